import { expect, onTestFinished } from "vitest";
import { createTestClock, testOnEachDatabase } from "~e2e/support/databases/database";
import { closeDatabase, openDatabase } from "~/platform/database/database.server";
import type { Database } from "~/platform/database/database.server";
import { createOutboxStore } from "~/platform/outbox/outbox.store.server";
import type { KeyRef } from "../kinds/token-id";
import { createKeyStore } from "./keys.store.server";
import { firstSecondAfter, isRevokedByDeparture } from "../tokens/access-token.schema";
import { createSubmissionStore } from "../form/submissions.store.server";

// Larger than 32 bits, and the largest uint256: both must come back unharmed.
const chainId = 11_297_108_109;
const tokenId = (2n ** 256n - 1n).toString();
const key: KeyRef = { chainId, contractAddress: `0x${"ab".repeat(20)}`, tokenId };
const holder = `0x${"cd".repeat(20)}`;

async function useUp(database: Database, usedBy: string): Promise<number> {
  const { clock } = createTestClock();
  await createSubmissionStore(database, clock, createOutboxStore(database, clock)).submitOnce({
    submissionId: "s",
    key,
    usedBy,
    message: "m",
    messageHash: null,
    requestId: "r",
    notification: { kind: "k", data: {} },
  });
  return clock();
}

testOnEachDatabase("a key never used or given away has an empty state", async ({ database }) => {
  const store = createKeyStore(database);
  expect(await store.findUsedKey({ key })).toBe(null);
  expect(await store.findKeyState({ key, holder })).toEqual({
    used: null,
    departedAtMs: null,
    isProofRevoked: false,
    watchedBlocks: [],
  });
});

testOnEachDatabase(
  "the state tells how far each chain of the kind was last read, whichever contract the row bears",
  async ({ database }) => {
    const rows = [
      { ...key, blockNumber: 9n, updatedAtMs: 1n },
      { ...key, contractAddress: "0xcd", blockNumber: 7n, updatedAtMs: 2n },
      { ...key, chainId: 5, blockNumber: 8n, updatedAtMs: 3n },
    ].map(({ tokenId: _, ...row }) => ({ ...row, blockHash: "0x", blockSeconds: row.blockNumber * 12n }));
    await database.chainCursor.createMany({ data: rows });
    const store = createKeyStore(database);
    const own = { chainId, blockNumber: 7n, blockSeconds: 84n };
    expect((await store.findKeyState({ key, holder })).watchedBlocks).toEqual([own]);
    const membership = { key: { ...key, chainId: 0 }, holder, chainIds: [chainId, 5, 6] };
    const { watchedBlocks } = await store.findKeyState(membership);
    expect(watchedBlocks.toSorted((one, other) => one.chainId - other.chainId)).toEqual([
      { chainId: 5, blockNumber: 8n, blockSeconds: 96n },
      own,
    ]);
  },
);

testOnEachDatabase("use and departure are reported together and apart", async ({ database }) => {
  const store = createKeyStore(database);
  await store.recordDeparture({ key, holder, departedAtMs: 1_700_000_000_001 });
  expect(await store.findKeyState({ key, holder })).toEqual({
    used: null,
    departedAtMs: 1_700_000_000_001,
    isProofRevoked: false,
    watchedBlocks: [],
  });
  const usedAtMs = await useUp(database, holder);
  const used = { usedBy: holder, usedAtMs };
  expect(await store.findUsedKey({ key })).toEqual(used);
  expect(await store.findKeyState({ key, holder })).toEqual({
    used,
    departedAtMs: 1_700_000_000_001,
    isProofRevoked: false,
    watchedBlocks: [],
  });
  const somebodyElse = `0x${"ef".repeat(20)}`;
  expect(await store.findKeyState({ key, holder: somebodyElse })).toEqual({
    used,
    departedAtMs: null,
    isProofRevoked: false,
    watchedBlocks: [],
  });
});

testOnEachDatabase(
  "the latest departure is kept, in whatever order they are reported",
  async ({ database }) => {
    const store = createKeyStore(database);
    const moments = [5_000, 9_000, 3_000, 9_000, 7_000];
    await Promise.all(moments.map((departedAtMs) => store.recordDeparture({ key, holder, departedAtMs })));
    expect((await store.findKeyState({ key, holder })).departedAtMs).toBe(9_000);
  },
);

testOnEachDatabase("a departure that is read again keeps its date", async ({ database }) => {
  const store = createKeyStore(database);
  const { tokenId, ...contract } = key;
  const departures = [{ tokenId, holder }];
  const recordAgain = async (departedAtMs: number, knownSinceMs: number) => {
    await store.recordDepartures({ ...contract, departures, departedAtMs, knownSinceMs });
    return (await store.findKeyState({ key, holder })).departedAtMs;
  };
  // Its log was omitted when the block was read first.
  expect(await recordAgain(6_000, 5_000)).toBe(6_000);
  expect(await recordAgain(60_000, 5_000)).toBe(6_000);
  // The recorded one is older than the block.
  expect(await recordAgain(60_000, 7_000)).toBe(60_000);
});

testOnEachDatabase("use and departure are found whatever the case of an address", async ({ database }) => {
  const store = createKeyStore(database);
  const shouted = { ...key, contractAddress: `0x${"AB".repeat(20)}` };
  await store.recordDeparture({ key: shouted, holder: `0x${"CD".repeat(20)}`, departedAtMs: 5 });
  await useUp(database, `0x${"CD".repeat(20)}`);
  expect(await store.findKeyState({ key, holder })).toMatchObject({
    used: { usedBy: holder },
    departedAtMs: 5,
  });
  expect(await store.findUsedKey({ key: shouted })).toMatchObject({ usedBy: holder });
});

testOnEachDatabase("the same token of another contract or chain is another key", async ({ database }) => {
  const store = createKeyStore(database);
  await useUp(database, holder);
  const others: KeyRef[] = [
    { ...key, chainId: 1 },
    { ...key, contractAddress: `0x${"ba".repeat(20)}` },
    { ...key, tokenId: "1" },
  ];
  for (const other of others) expect(await store.findUsedKey({ key: other })).toBe(null);
});

testOnEachDatabase(
  "a key that leaves, comes back and leaves again within a second leaves no token valid, and the next sign-in gets a valid one",
  async ({ database }) => {
    const store = createKeyStore(database);
    const startMs = 1_700_000_000_000;
    const findDeparture = async () => (await store.findKeyState({ key, holder })).departedAtMs!;
    const leave = (ms: number) => store.recordDeparture({ key, holder, departedAtMs: startMs + ms });
    const isRevoked = async (issuedAtSeconds: number) =>
      isRevokedByDeparture(await findDeparture(), issuedAtSeconds);

    await leave(100);
    // Signed in between, when the key was back.
    const issuedAtSeconds = firstSecondAfter(await findDeparture());
    expect(await isRevoked(issuedAtSeconds)).toBe(false);
    await leave(900);
    expect(await isRevoked(issuedAtSeconds)).toBe(true);

    // Noticing it again does not move the moment beyond this second.
    for (const ms of [901, 950, 999]) await leave(ms);
    expect(await findDeparture()).toBe(startMs + 1_000);
    const next = firstSecondAfter(await findDeparture());
    expect(await isRevoked(next)).toBe(false);
    await leave(1_001);
    expect(await isRevoked(next)).toBe(true);
  },
);

testOnEachDatabase(
  "departures reported together are written by a statement for each thousand, each once",
  async ({ url }) => {
    let statements = 0;
    const database = await openDatabase({ url, instrument: { observe: () => void statements++ } });
    onTestFinished(() => closeDatabase(database));
    const store = createKeyStore(database);
    const contract = { chainId, contractAddress: key.contractAddress };
    const departures = Array.from({ length: 999 }, (_, index) => ({ tokenId: String(index), holder }));
    const shouted = { tokenId: "7", holder: `0x${"CD".repeat(20)}` };
    statements = 0;
    await store.recordDepartures({ ...contract, departures: [...departures, shouted], departedAtMs: 5_000 });
    expect(statements).toBe(1);
    const more = [...departures, { tokenId: "999", holder }, { tokenId: "1000", holder }];
    await store.recordDepartures({ ...contract, departures: more, departedAtMs: 7_000 });
    await store.recordDepartures({ ...contract, departures: [], departedAtMs: 9_000 });
    expect(statements).toBe(3);
    expect(await database.keyDeparture.count({ where: { departedAtMs: 7_000n } })).toBe(1_001);
  },
);
