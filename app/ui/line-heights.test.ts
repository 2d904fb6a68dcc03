import { readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";

const sheets = readdirSync("app", { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".css"))
  .map((file) => path.join("app", file));

test("no rule leaves the height of its lines to the font: where a face is set, so is the line height", () => {
  const faults = sheets.flatMap((file) =>
    [...readFileSync(file, "utf8").matchAll(/\bfont:\s*([^;]+);/g)]
      .map(([, value]) => value!)
      .filter((value) => value !== "inherit" && !value.includes("/"))
      .map((value) => `${file}: ${value}`),
  );
  expect(sheets.length).toBeGreaterThan(10);
  expect(faults).toEqual([]);
});

test("no rule gives the line height back to the font", () => {
  const given = sheets.filter((file) => /line-height:\s*normal/.test(readFileSync(file, "utf8")));
  expect(given).toEqual([]);
});
