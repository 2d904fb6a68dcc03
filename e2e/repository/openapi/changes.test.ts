import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { describeDefaultGate } from "../client-types/render";
import { apiChanges } from "./changes";
import type { ApiChange } from "./changes";

type Difference = { pointer: string; now: unknown };

/** The outermost differences between two JSON values. `now` is undefined for a removed one. */
function* findDifferences(before: unknown, now: unknown, pointer = ""): Generator<Difference> {
  // Lists of different lengths differ as a whole.
  const areAlike = isContainer(before) && isContainer(now) && lengthOf(before) === lengthOf(now);
  if (!areAlike) {
    if (JSON.stringify(before) !== JSON.stringify(now)) yield { pointer, now };
    return;
  }
  for (const key of new Set([...Object.keys(before), ...Object.keys(now)])) {
    const step = key.replaceAll("~", "~0").replaceAll("/", "~1");
    yield* findDifferences(before[key], now[key], `${pointer}/${step}`);
  }
}

function isContainer(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

function lengthOf(container: object): number | null {
  return Array.isArray(container) ? container.length : null;
}

function matches(pattern: string, pointer: string): boolean {
  const steps = pattern.split("/");
  const given = pointer.split("/");
  return steps.length === given.length && steps.every((step, index) => step === "*" || step === given[index]);
}

function findChange({ pointer }: Difference): ApiChange | undefined {
  return apiChanges.find(({ at }) => at.some((pattern) => matches(pattern, pointer)));
}

type Description = { info: { version: string } };
const baseline = JSON.parse(readFileSync(new URL("baseline.json", import.meta.url), "utf8")) as Description;
const today = JSON.parse(JSON.stringify(describeDefaultGate())) as Description;
// The version differs by release.
baseline.info.version = today.info.version;
const differences = [...findDifferences(baseline, today)];

test("the API's description differs from its baseline only where a reason is given", () => {
  expect(differences.filter((difference) => !findChange(difference))).toEqual([]);
});

test("every listed difference exists", () => {
  const places = apiChanges.flatMap(({ at }) => at);
  const isIdle = (place: string) => !differences.some(({ pointer }) => matches(place, pointer));
  expect(places.filter(isIdle)).toEqual([]);
});

test.each(apiChanges)("a listed difference is the one that its reason was given for: $why", (change) => {
  const changed = differences.filter((difference) => findChange(difference) === change);
  const digest = createHash("sha256").update(JSON.stringify(changed)).digest("hex").slice(0, 12);
  expect(digest, "If this was meant, this is the new digest for changes.ts.").toBe(change.now);
});
