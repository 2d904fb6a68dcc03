import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ContentFileError } from "./content-files.server";
import { createFileCache } from "./file-cache.server";

let folder: string;
let nowMs: number;
let loads: string[];

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "latchkey-cache-"));
  nowMs = 1_700_000_000_000;
  loads = [];
});

afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

async function file(name: string): Promise<string> {
  const filePath = path.join(folder, name);
  await writeFile(filePath, name);
  return filePath;
}

function createCache({
  maxEntries = 100,
  maxBytes = 100_000,
  load = (filePath: string) => Promise.resolve(filePath),
} = {}) {
  return createFileCache({
    load: (filePath) => {
      loads.push(path.basename(filePath));
      return load(filePath);
    },
    weigh: (value) => value.length,
    clock: () => nowMs,
    recheckMs: 1000,
    maxEntries,
    maxBytes,
  });
}

test("a hundred concurrent callers share one read, and one look at the file when a recheck is due", async () => {
  const filePath = await file("a");
  const cache = createCache();
  const outcomes = await Promise.all(Array.from({ length: 100 }, () => cache.get(filePath)));
  expect(new Set(outcomes).size).toBe(1);
  nowMs += 1000;
  const again = await Promise.all(Array.from({ length: 100 }, () => cache.get(filePath)));
  expect(new Set([...outcomes, ...again]).size).toBe(1);
  expect(loads).toEqual(["a"]);
});

test("the least recently used entry is evicted when there are too many", async () => {
  const [a, b, c] = [await file("a"), await file("b"), await file("c")];
  const cache = createCache({ maxEntries: 2 });
  await cache.get(a);
  await cache.get(b);
  await cache.get(a);
  await cache.get(c);
  await cache.get(a);
  expect(loads).toEqual(["a", "b", "c"]);
  await cache.get(b);
  expect(loads).toEqual(["a", "b", "c", "b"]);
});

test("entries are evicted when they are too large together, and one too large alone is not cached", async () => {
  const [a, b] = [await file("a"), await file("b")];
  const cache = createCache({
    maxBytes: 10,
    load: (filePath) => Promise.resolve(filePath === a ? "x".repeat(6) : "y".repeat(5)),
  });
  await cache.get(a);
  await cache.get(b);
  await cache.get(a);
  expect(loads).toEqual(["a", "b", "a"]);
  const heavy = createCache({ maxBytes: 10, load: () => Promise.resolve("x".repeat(11)) });
  loads = [];
  expect(await heavy.get(a)).toEqual({ state: "present", value: "x".repeat(11) });
  await heavy.get(a);
  expect(loads).toEqual(["a", "a"]);
});

test("absent files are cached without another look at the disk, within the same bound", async () => {
  const cache = createCache({ maxEntries: 50 });
  const names = Array.from({ length: 60 }, (_unused, index) => `late-${index}`);
  for (const name of names) {
    expect(await cache.get(path.join(folder, name))).toEqual({ state: "missing" });
  }
  for (const name of names) await file(name);
  const states = [];
  for (const name of names.reverse()) states.push((await cache.get(path.join(folder, name))).state);
  expect(states).toEqual([...Array(50).fill("missing"), ...Array(10).fill("present")]);
});

test("a disk failure is retried at each recheck, and stays the same outcome while it lasts", async () => {
  const filePath = await file("a");
  let isDown = true;
  const cache = createCache({
    load: () =>
      isDown
        ? Promise.reject(new ContentFileError({ kind: "unreadable", reason: "cannot be read (EIO)" }))
        : Promise.resolve("back"),
  });
  const first = await cache.get(filePath);
  expect(first).toEqual({ state: "broken", reason: "cannot be read (EIO)" });
  nowMs += 1000;
  expect(await cache.get(filePath)).toBe(first);
  expect(loads).toHaveLength(2);
  isDown = false;
  nowMs += 1000;
  expect(await cache.get(filePath)).toEqual({ state: "present", value: "back" });
});

test("a broken file is not read again before it changes", async () => {
  const filePath = await file("a");
  const cache = createCache({
    load: () => Promise.reject(new ContentFileError({ kind: "broken", reason: "is not valid JSON" })),
  });
  const first = await cache.get(filePath);
  nowMs += 1000;
  expect(await cache.get(filePath)).toBe(first);
  expect(loads).toHaveLength(1);
  await writeFile(filePath, "changed");
  nowMs += 1000;
  expect(await cache.get(filePath)).not.toBe(first);
  expect(loads).toHaveLength(2);
});
