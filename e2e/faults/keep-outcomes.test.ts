import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { describeMachine } from "~e2e/bench/report";
import { createOutcomeKeeper, describePlayed } from "./keep-outcomes";
import type { PlayedFault } from "./keep-outcomes";
import { countVerdicts, judge } from "./report";
import { scenarios } from "./scenarios";

const played = (slug: string, rest: Partial<PlayedFault> = {}): PlayedFault => ({
  slug,
  promise: "All is kept.",
  seconds: 90,
  error: null,
  skipped: null,
  figures: [{ what: "unlocks lost", measured: 0, bound: { equals: 0 } }],
  takenAt: "2026-01-02T03:04:05.000Z",
  commit: "abc",
  seed: 7,
  scale: 1,
  machine: describeMachine([0]),
  ...rest,
});

async function createSite() {
  const dir = await mkdtemp(path.join(os.tmpdir(), "latchkey-outcomes-"));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  const document = path.join(dir, "tables.md");
  await writeFile(document, "Before.\n<!-- faults:begin -->\n<!-- faults:end -->\nAfter.\n");
  return {
    keeper: createOutcomeKeeper(document, ["one", "two"]),
    page: () => readFile(document, "utf8"),
  };
}

test("a fault played again replaces its own outcome and no other", async () => {
  const { keeper, page } = await createSite();
  keeper.keep(played("two"));
  keeper.keep(played("one", { figures: [{ what: "keys used twice", measured: 3, bound: { equals: 0 } }] }));
  expect(await page()).toMatch(/1 passed, 1 failed\.[^]*\| one .*\| broken \|\n\| two .*\| +held \|/);
  keeper.keep(played("one", { commit: "def" }));
  const text = await page();
  expect(text).toMatch(/^Before\.[^]*2 passed, 0 failed\.[^]*After\.\n$/);
  expect(text).toMatch(/\| one +\| 2026-01-02 +\| def .*1\.5 minutes/);
  expect(text).not.toContain("keys used twice");
  expect(keeper.read().map(({ slug, commit }) => [slug, commit])).toEqual([
    ["one", "def"],
    ["two", "abc"],
  ]);
});

const kept = createOutcomeKeeper(
  "docs/faults/tables.md",
  scenarios.map(({ slug }) => slug),
).read();

test("docs/faults/tables.md has every fault's outcome, and docs/faults.md how many held", async () => {
  expect(kept.map(({ slug }) => slug)).toEqual(scenarios.map(({ slug }) => slug));
  expect(await readFile("docs/faults/tables.md", "utf8")).toContain(`\n\n${describePlayed(kept)}\n\n`);
  expect(await readFile("docs/faults.md", "utf8")).toContain(countVerdicts(kept));
});

test.each(kept)(
  "the kept outcome of $slug was played in full, held, and belongs to a committed version",
  (one) => {
    expect(one.scale).toBe(1);
    expect(judge(one)).toBe("held");
    // Another one than the page calls changed since, or not noted.
    expect(one.commit).toMatch(/^[0-9a-f]{12,40}$/);
  },
);
