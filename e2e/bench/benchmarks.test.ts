import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { benchmarks, chooseBenchmarks, listChoices } from "./benchmarks";
import { describeKept } from "./keep-result";
import type { KeptResult } from "./keep-result";
import { operations } from "./costs/operations";
import { durationMark } from "./run-benchmarks";

const tablesFile = "docs/performance/tables.md";
const readKept = (name: string) =>
  JSON.parse(readFileSync(`docs/performance/${name}.json`, "utf8")) as KeptResult;

const namesOf = (only?: string) => chooseBenchmarks(only)?.chosen.map(({ name }) => name);

test("every benchmark runs when none is named", () => {
  expect(namesOf()).toEqual(benchmarks.map(({ name }) => name));
});

test("a name selects one benchmark, a group all of its own, and an operation's slug that operation alone", () => {
  expect(namesOf("search")).toEqual(["search"]);
  expect(namesOf("scale")).toEqual(["chats", "resumable", "used-keys", "instances", "workers"]);
  expect(chooseBenchmarks("siwe")).toMatchObject({ chosen: [{ name: "operations" }], operation: "siwe" });
  expect(chooseBenchmarks("operations")).toMatchObject({ operation: null });
  expect(chooseBenchmarks("sowi")).toBeNull();
});

test("names of benchmarks are unique, and all are listed", () => {
  const names = [...benchmarks.map(({ name }) => name), "scale", ...operations.map(({ slug }) => slug)];
  expect(new Set(names).size).toBe(names.length);
  for (const name of names) expect(listChoices()).toContain(name);
});

test("Latchkey comes first in every operation, and is never measured alone", () => {
  for (const { name, sides } of operations) {
    expect(Object.keys(sides)[0], name).toBe("Latchkey");
    expect(Object.keys(sides).length, name).toBeGreaterThan(1);
  }
});

test.each([...benchmarks.map(({ name }) => name), durationMark])(
  "docs/performance/tables.md has a place for %s",
  (name) => {
    const document = readFileSync(tablesFile, "utf8");
    expect(document.split(`<!-- ${name}:begin -->`)).toHaveLength(2);
    expect(document.split(`<!-- ${name}:end -->`)).toHaveLength(2);
    expect(document.indexOf(`<!-- ${name}:end -->`)).toBeGreaterThan(
      document.indexOf(`<!-- ${name}:begin -->`),
    );
  },
);

const kept = benchmarks.filter(({ name }) => existsSync(`docs/performance/${name}.json`));

test("docs/performance/tables.md says of which benchmarks no figures are kept yet", () => {
  const shown = readFileSync(tablesFile, "utf8");
  const said = [...shown.matchAll(/<!-- ([\w-]+):begin -->\n\nNo figures are kept yet\./g)];
  const without = benchmarks.filter((benchmark) => !kept.includes(benchmark));
  expect(said.map(([, name]) => name)).toEqual(without.map(({ name }) => name));
});

test.each(kept)("docs/performance/tables.md shows the kept results of $name", ({ name, describe }) => {
  const shown = readFileSync(tablesFile, "utf8");
  expect(shown).toContain(`<!-- ${name}:begin -->\n\n${describeKept(readKept(name), describe)}\n\n<!--`);
});

test("docs/performance.md counts the aims and names exactly those that the kept results miss", () => {
  const verdicts = kept.flatMap(({ name }) => readKept(name).verdicts);
  const missed = verdicts.filter((line) => line.startsWith("over"));
  const page = readFileSync("docs/performance.md", "utf8");
  expect(page).toContain(`${verdicts.length - missed.length} of ${verdicts.length} aims are met.`);
  const named = [...page.matchAll(/^\| Missed: `([^`]+)` \|/gm)].map(([, aim]) => aim);
  expect(named).toEqual(missed.map((line) => /^over {2}(.+): /.exec(line)![1]));
});
