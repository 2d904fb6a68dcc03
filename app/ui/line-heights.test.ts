import { readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";

const sheets = readdirSync("app", { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".css"))
  .map((file) => path.join("app", file));

test("every rule that sets a font sets its line height too", () => {
  const faults = sheets.flatMap((file) =>
    [...readFileSync(file, "utf8").matchAll(/\bfont:\s*([^;]+);/g)]
      .map(([, value]) => value!)
      .filter((value) => value !== "inherit" && !value.includes("/"))
      .map((value) => `${file}: ${value}`),
  );
  expect(sheets.length).toBeGreaterThan(10);
  expect(faults).toEqual([]);
});

test("no rule resets the line height to the font's own", () => {
  const given = sheets.filter((file) => /line-height:\s*normal/.test(readFileSync(file, "utf8")));
  expect(given).toEqual([]);
});
