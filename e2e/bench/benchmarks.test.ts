import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { benchmarks, chooseBenchmarks, listChoices } from "./benchmarks";
import { describeKept } from "./keep-result";
import type { KeptResult } from "./keep-result";
import { operations } from "./operations";
import { durationMark } from "./run-benchmarks";

const namesOf = (only?: string) => chooseBenchmarks(only)?.chosen.map(({ name }) => name);

test("without a name everything is measured", () => {
  expect(namesOf()).toEqual(benchmarks.map(({ name }) => name));
});

test("a name chooses one, a group all of its own, and an operation's slug that operation alone", () => {
  expect(namesOf("search")).toEqual(["search"]);
  expect(namesOf("scale")).toEqual(["chats", "used-keys", "instances"]);
  expect(chooseBenchmarks("siwe")).toMatchObject({ chosen: [{ name: "operations" }], operation: "siwe" });
  expect(chooseBenchmarks("operations")).toMatchObject({ operation: null });
  expect(chooseBenchmarks("sowi")).toBeNull();
});

test("no two things to choose have one name, and each is told of", () => {
  const names = [...benchmarks.map(({ name }) => name), "scale", ...operations.map(({ slug }) => slug)];
  expect(new Set(names).size).toBe(names.length);
  for (const name of names) expect(listChoices()).toContain(name);
});

test("ours comes first in every operation, and nobody is measured alone", () => {
  for (const { name, sides } of operations) {
    expect(Object.keys(sides)[0], name).toBe("Latchkey");
    expect(Object.keys(sides).length, name).toBeGreaterThan(1);
  }
});

test.each([...benchmarks.map(({ name }) => name), durationMark])(
  "the page about performance has a place for %s",
  (name) => {
    const document = readFileSync("docs/performance.md", "utf8");
    expect(document.split(`<!-- ${name}:begin -->`)).toHaveLength(2);
    expect(document.split(`<!-- ${name}:end -->`)).toHaveLength(2);
    expect(document.indexOf(`<!-- ${name}:end -->`)).toBeGreaterThan(
      document.indexOf(`<!-- ${name}:begin -->`),
    );
  },
);

test.each(benchmarks)("docs/performance.md shows of $name what is kept beside it", ({ name, describe }) => {
  const kept = JSON.parse(readFileSync(`docs/performance/${name}.json`, "utf8")) as KeptResult;
  const shown = readFileSync("docs/performance.md", "utf8");
  expect(shown).toContain(`<!-- ${name}:begin -->\n\n${describeKept({ kept, describe })}\n\n<!--`);
});
