import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { createTestDir } from "~e2e/support/databases/database";
import type { BenchResult } from "./bench-options";
import { describeKept } from "./keep-result";
import type { KeptResult } from "./keep-result";
import { runBenchmarks } from "./run-benchmarks";

const result = (changes: Partial<BenchResult> = {}): BenchResult => ({
  rounds: 2,
  verdicts: [],
  figures: { middle: 1 },
  measured: [1, 2],
  ...changes,
});
const describe = ({ figures }: { figures: unknown }) => `| ${JSON.stringify(figures)} |`;
const finding = (name: string, changes: Partial<BenchResult> = {}) => ({
  name,
  describe,
  run: async () => result(changes),
});
const failing = (name: string) => ({
  name,
  describe,
  run: async () => Promise.reject(new Error("An answer was not as expected")),
});

async function openSite(names: readonly string[]) {
  const dir = await createTestDir();
  const documentFile = path.join(dir, "page", "tables.md");
  mkdirSync(path.dirname(documentFile));
  const marks = names.map((name) => `<!-- ${name}:begin -->\nold ${name}\n<!-- ${name}:end -->`);
  writeFileSync(documentFile, marks.join("\n"));
  const options = { resultsDir: dir, rounds: 2, scale: 1, operation: null, beside: null, hasProfile: false };
  const said: string[] = [];
  const say = (text: string) => void said.push(text);
  return {
    said,
    call: { options, documentFile, command: "npm run bench", isStrict: false, isWhole: true, say },
    readBeside: (name: string) => readFileSync(path.join(dir, "page", `${name}.json`), "utf8"),
    hasBeside: () => names.some((name) => existsSync(path.join(dir, "page", `${name}.json`))),
    readPage: () => readFileSync(documentFile, "utf8"),
    readKept: (name: string) =>
      JSON.parse(readFileSync(path.join(dir, `bench-${name}.json`), "utf8")) as Record<string, unknown>,
  };
}

test("each benchmark rewrites its part of the page and keeps every round with the machine, and the duration is written", async () => {
  const { call, readPage, readKept, said } = await openSite(["one", "two", "duration"]);
  const verdicts = ["over  to be quick: 3 s"];
  await runBenchmarks({ ...call, chosen: [finding("one", { verdicts }), finding("two")] });
  expect(readPage()).not.toContain("old");
  expect(readPage()).toContain("```text\nover  to be quick: 3 s\n```");
  expect(said.at(-1)).toMatch(/^\n`npm run bench` took \d+\.\d minutes\.$/);
  expect(readPage()).toMatch(/`npm run bench` took \d+\.\d minutes in all: one 0\.0, two 0\.0\./);
  expect(readKept("one")).toMatchObject({
    name: "one",
    command: "npm run bench",
    rounds: 2,
    verdicts,
    figures: { middle: 1 },
    measured: [1, 2],
    options: { rounds: 2, scale: 1, operation: null },
    machine: {
      node: process.version,
      loadBefore: [expect.any(Number), expect.any(Number), expect.any(Number)],
      loadAfter: [expect.any(Number), expect.any(Number), expect.any(Number)],
    },
  });
  expect(readKept("one")).toHaveProperty("commit");
});

test("every benchmark's JSON is written beside a written page, on one line, and none without a page", async () => {
  const { call, readBeside, hasBeside, readKept } = await openSite(["one", "two", "duration"]);
  const measured = [{ p50Ms: 12.3456789, requests: 12345678 }];
  const chosen = [finding("one", { measured }), finding("two")];
  await runBenchmarks({ ...call, chosen, documentFile: null });
  expect(hasBeside()).toBe(false);
  await runBenchmarks({ ...call, chosen });
  for (const name of ["one", "two"]) {
    expect(readBeside(name).trimEnd()).not.toContain("\n");
    const { commit, figures, command } = readKept(name);
    expect(JSON.parse(readBeside(name))).toMatchObject({ name, commit, figures, command });
  }
  expect(JSON.parse(readBeside("one"))).toMatchObject({ measured: [{ p50Ms: 12.3457, requests: 12345678 }] });
});

test("the page shows the figures as they are kept, to no digit more", async () => {
  const { call, readPage, readBeside } = await openSite(["one", "duration"]);
  await runBenchmarks({ ...call, chosen: [finding("one", { figures: { perSecond: 4410.4999 } })] });
  expect(readPage()).toContain('| {"perSecond":4410.5} |');
  const kept = JSON.parse(readBeside("one")) as KeptResult;
  expect(readPage()).toContain(`\n\n${describeKept(kept, describe)}\n\n`);
});

test("a failing benchmark does not stop the others, and the run fails", async () => {
  const { call, readPage, readKept } = await openSite(["one", "two", "duration"]);
  const run = runBenchmarks({ ...call, chosen: [failing("one"), finding("two")] });
  await expect(run).rejects.toThrow("one: An answer was not as expected");
  expect(readPage()).toContain("old one");
  expect(readPage()).not.toContain("old two");
  expect(readPage()).toContain("old duration");
  expect(readKept("two").measured).toEqual([1, 2]);
});

test("a benchmark is written to the page before the next one begins", async () => {
  const { call, readPage } = await openSite(["one", "two", "duration"]);
  let seen = "";
  const looking = {
    name: "two",
    describe,
    run: async () => {
      seen = readPage();
      return result();
    },
  };
  await runBenchmarks({ ...call, chosen: [finding("one"), looking] });
  expect(seen).not.toContain("old one");
  expect(seen).toContain("old two");
});

test("a missed aim fails a strict run and no other, after it was written", async () => {
  const { call, readPage } = await openSite(["one", "duration"]);
  const chosen = [finding("one", { verdicts: ["PASS  small: 1", "over  quick: 3 s", "n/a   cpu: n/a"] })];
  await runBenchmarks({ ...call, chosen });
  const strict = runBenchmarks({ ...call, chosen, isStrict: true });
  await expect(strict).rejects.toThrow(/^Not kept:\nover {2}quick: 3 s$/);
  const kept = [finding("one", { verdicts: ["PASS  small: 1", "n/a   cpu: n/a"] })];
  await runBenchmarks({ ...call, chosen: kept, isStrict: true });
  expect(readPage()).not.toContain("old");
});

test("a benchmark without a place on the page is refused before it runs", async () => {
  const { call } = await openSite(["one"]);
  let hasRun = false;
  const chosen = [{ name: "two", describe, run: async () => ((hasRun = true), result()) }];
  await expect(runBenchmarks({ ...call, chosen })).rejects.toThrow("two:begin");
  expect(hasRun).toBe(false);
});

test("a run of some benchmarks writes no duration, and one without a page writes nothing", async () => {
  const { call, readPage } = await openSite(["one", "duration"]);
  await runBenchmarks({ ...call, chosen: [finding("one")], isWhole: false });
  expect(readPage()).toContain("old duration");
  const before = readPage();
  await runBenchmarks({ ...call, chosen: [finding("one", { figures: "new" })], documentFile: null });
  expect(readPage()).toBe(before);
});

test("a run with an unknown option ends with a failure", async () => {
  const parameters = ["--import", "tsx", "e2e/bench/run-bench.ts", "--only", "nothing-like-it"];
  const run = promisify(execFile)(process.execPath, parameters);
  await expect(run).rejects.toMatchObject({ code: 1 });
});
