import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { scenarios } from "./scenarios";

test("docs/faults.md names the faults that the tests do not play", async () => {
  const [, named] = /It does not play\s+([^.]+)\./.exec(await readFile("docs/faults.md", "utf8"))!;
  const left = scenarios.filter(({ inTests }) => inTests === false).map(({ slug }) => slug);
  expect(left.length).toBeLessThan(scenarios.length);
  expect([...named!.matchAll(/`([^`]+)`/g)].map(([, slug]) => slug)).toEqual(left);
});
