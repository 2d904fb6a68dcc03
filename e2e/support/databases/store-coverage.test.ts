import { readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { Database } from "~/platform/database/database.server";
import { appDir, findSources, findStoreMakers, namesInDualTests } from "./store-sources";
import type { StoreMaker } from "./store-sources";
import { listStoreWrites } from "./store-writes";

/** Stores that `openStores` of `testOnEachState` creates, on a database and on Redis. */
const openStores = readFileSync(path.join(appDir, "services/state.server.ts"), "utf8");

/** Whether a test creates this store, directly or as a part of another one. */
function isReached(maker: StoreMaker, dual: readonly Set<string>[]): boolean {
  const wholes = makers.filter(({ file }) => file !== maker.file && calls(readFileSync(file, "utf8"), maker));
  return dual.some(
    (names) =>
      [maker, ...wholes].some(({ name }) => names.has(name)) ||
      (names.has("openStores") && calls(openStores, maker)),
  );
}

function calls(text: string, { name }: StoreMaker): boolean {
  return new RegExp(`\\b${name}\\(`).test(text);
}

const files = findSources();
const makers = findStoreMakers(files);
const dualTests = files.filter((file) => file.endsWith(".test.ts")).map(namesInDualTests);

test("every store of the shared database is used by a test that runs on SQLite and on PostgreSQL", () => {
  expect(makers.length).toBeGreaterThan(15);
  const untested = makers.filter((maker) => !isReached(maker, dualTests));
  expect(untested.map(({ name }) => name)).toEqual([]);
});

test("every store that writes is listed for the tests of its writes, with each of its functions", () => {
  const listed = listStoreWrites({} as Database);
  const writers = makers.filter(({ writes }) => writes).map(({ name }) => name);
  expect(writers.sort()).toEqual(Object.keys(listed).sort());
  for (const [maker, { store, reads, writes, alone = {} }] of Object.entries(listed)) {
    const known = [...reads, ...Object.keys(writes), ...Object.keys(alone)];
    expect([maker, ...known.sort()]).toEqual([maker, ...Object.keys(store).sort()]);
    const unread = reads.filter((name) => !dualTests.some((names) => names.has(name)));
    expect([maker, ...unread]).toEqual([maker]);
  }
});

test("a new store without such a test is found under any name of its factory, also where other files name it", async () => {
  const dir = await mkdtemp(path.join(os.tmpdir(), "latchkey-stores-"));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  const [store, tests] = ["new.store.server.ts", "new.store.server.test.ts"].map((name) =>
    path.join(dir, name),
  );
  await writeFile(store!, "export function openLedger({ database }: { database: Database }) { return {}; }");
  expect(findStoreMakers([store!])).toEqual([{ name: "openLedger", file: store, writes: false }]);

  const oneSided = `
    // openLedger
    import { openLedger } from "./new.store.server";
    test("on SQLite alone", () => openLedger(createTestDatabase()));
    testOnEachDatabase("of something else", ({ database }) => openOther({ database }));`;
  await writeFile(tests!, oneSided);
  expect(namesInDualTests(tests!).has("openLedger")).toBe(false);
  const dual = `
    const open = (database) => openLedger({ database });
    testOnEachDatabase("on both", ({ database }) => open(database));`;
  await writeFile(tests!, oneSided + dual);
  expect(namesInDualTests(tests!).has("openLedger")).toBe(true);
});

test("no test of such a store runs on SQLite alone", () => {
  const oneSided = findSources()
    .filter((file) => file.endsWith(".store.server.test.ts"))
    .filter((file) => /create(Sqlite)?TestDatabase\(/.test(readFileSync(file, "utf8")));
  expect(oneSided.map((file) => path.relative(appDir, file))).toEqual([]);
});
