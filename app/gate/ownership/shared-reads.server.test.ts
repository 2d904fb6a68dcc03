import { expect, test } from "vitest";
import type { SeenBlock } from "~/platform/chain/seen-block";
import { createSharedReads } from "./chain-readings.server";

type Value = SeenBlock & { text: string };
const block = { blockNumber: 1n, blockSeconds: 1n, isOfHeader: false };

function makeReads({ maxEntries = 3 } = {}) {
  let loads = 0;
  let newest = 0n;
  const isOutdated = ({ blockNumber }: SeenBlock) => blockNumber < newest;
  const reads = createSharedReads<Value>({ cacheMs: 1_000, maxEntries, clock: () => 0, isOutdated });
  return {
    reads,
    know: (blockNumber: bigint) => void (newest = blockNumber),
    loads: () => loads,
    read: (key: string, { blockNumber = 1n, group = key, fresh = false } = {}) =>
      reads.read({
        key,
        group,
        fresh,
        load: async () => {
          loads += 1;
          return { ...block, blockNumber, text: `${key} ${loads}` };
        },
      }),
  };
}

test("no more readings are cached than allowed, and the one read longest ago is evicted first", async () => {
  const { reads, read, loads } = makeReads({ maxEntries: 3 });
  for (const key of ["a", "b", "c"]) await read(key);
  await read("a", { fresh: true });
  await read("d");

  expect(reads.size()).toBe(3);
  const before = loads();
  for (const key of ["a", "c", "d"]) await read(key);
  expect(loads()).toBe(before);
  await read("b");
  expect(loads()).toBe(before + 1);
});

test("ten thousand unknown keys take no more room than the limit", async () => {
  const { reads, read } = makeReads({ maxEntries: 100 });
  await Promise.all(Array.from({ length: 10_000 }, (_, index) => read(`key ${index}`)));

  expect(reads.size()).toBe(100);
});

test("a reading is shared until a newer block is known, and an older one is not cached", async () => {
  const { read, loads, know } = makeReads();
  await read("a", { blockNumber: 10n });
  await read("a");
  expect(loads()).toBe(1);
  know(11n);
  await read("a", { blockNumber: 10n });
  await read("a", { blockNumber: 11n });
  await read("a");
  expect(loads()).toBe(3);
});

test("forgetting a group drops its readings and no others", async () => {
  const { reads, read, loads } = makeReads();
  await read("7:alice", { group: "7" });
  await read("7:bob", { group: "7" });
  await read("8:alice", { group: "8" });
  reads.forget(new Set(["7"]));

  expect(reads.size()).toBe(1);
  await read("8:alice", { group: "8" });
  expect(loads()).toBe(3);
});

test("a failed read rejects for all who waited for it, and for nobody after them", async () => {
  const { reads } = makeReads();
  let isBroken = true;
  const read = () =>
    reads.read({
      key: "a",
      group: "a",
      fresh: false,
      load: async () => {
        if (isBroken) throw new Error("away");
        return { ...block, text: "here" };
      },
    });

  const outcomes = await Promise.allSettled([read(), read()]);
  expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  isBroken = false;
  expect(await read()).toMatchObject({ text: "here" });
});

test("a read forgotten in flight is not cached, and does not end the one that replaced it", async () => {
  const { reads, read, loads } = makeReads();
  const landings: ((text: string) => void)[] = [];
  const begin = () =>
    reads.read({
      key: "a",
      group: "a",
      fresh: false,
      load: async () => ({ ...block, text: await new Promise<string>((land) => landings.push(land)) }),
    });

  const early = begin();
  reads.forget(new Set(["a"]));
  const late = begin();
  landings[0]?.("early");
  await early;
  expect(reads.size()).toBe(0);
  const joined = begin();
  landings[1]?.("late");

  expect([await late, await joined].map(({ text }) => text)).toEqual(["late", "late"]);
  expect(landings).toHaveLength(2);
  expect(await read("a")).toMatchObject({ text: "late" });
  expect(loads()).toBe(0);
});
