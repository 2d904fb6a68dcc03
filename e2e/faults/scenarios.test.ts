import { readFile, readdir } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { scenarios } from "./scenarios";

test("docs/faults.md names the faults that the tests do not play", async () => {
  const [, named] = /It does not play\s+([^.]+)\./.exec(await readFile("docs/faults.md", "utf8"))!;
  const left = scenarios.filter(({ inTests }) => inTests === false).map(({ slug }) => slug);
  expect(left.length).toBeLessThan(scenarios.length);
  expect([...named!.matchAll(/`([^`]+)`/g)].map(([, slug]) => slug)).toEqual(left);
});

test("docs/faults.md names the faults whose waits inside the server are shortened", async () => {
  const files = (await readdir("e2e/faults/scenarios")).filter((file) => !file.endsWith(".test.ts"));
  const read = async (file: string) =>
    [file, await readFile(path.join("e2e/faults/scenarios", file), "utf8")] as const;
  const shortening = (await Promise.all(files.map(read)))
    .filter(([, text]) => /\.\.\.shorten\w+\(/.test(text))
    .map(([file]) => path.basename(file, ".ts"));
  const rows = (await readFile("docs/faults.md", "utf8")).matchAll(/^\| `([^`]+)` \|.*\| a preload \|$/gm);
  expect([...rows].map(([, slug]) => slug).sort()).toEqual(shortening.sort());
});
