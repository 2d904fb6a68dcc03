import { expect } from "vitest";
import { createTestClock, testOnEachDatabase } from "~/testing/database";
import type { Database } from "~/platform/database/database.server";
import type { KeyRef } from "./key-ref";
import { createKeyStore } from "./keys.store.server";
import { createSubmissionStore } from "./submissions.store.server";

// Larger than 32 bits, and the largest uint256: both must come back unharmed.
const chainId = 11_297_108_109;
const tokenId = (2n ** 256n - 1n).toString();
const key: KeyRef = { chainId, contractAddress: `0x${"ab".repeat(20)}`, tokenId };
const holder = `0x${"cd".repeat(20)}`;

async function useUp({ database, usedBy }: { database: Database; usedBy: string }): Promise<number> {
  const { clock } = createTestClock();
  await createSubmissionStore({ database, clock }).submitOnce({
    ...{ submissionId: "s", key, usedBy, message: "m", messageHash: null, requestId: "r" },
    notification: { kind: "k", payload: "{}", channels: [] },
  });
  return clock();
}

testOnEachDatabase("a key nobody used or gave away has an empty state", async ({ database }) => {
  const store = createKeyStore({ database });
  expect(await store.findUsedKey({ key })).toBe(null);
  expect(await store.findKeyState({ key, holder })).toEqual({ used: null, departedAtMs: null });
});

testOnEachDatabase("use and departure are told together and apart", async ({ database }) => {
  const store = createKeyStore({ database });
  await store.recordDeparture({ key, holder, departedAtMs: 1_700_000_000_001 });
  expect(await store.findKeyState({ key, holder })).toEqual({ used: null, departedAtMs: 1_700_000_000_001 });
  const usedAtMs = await useUp({ database, usedBy: holder });
  const used = { usedBy: holder, usedAtMs };
  expect(await store.findUsedKey({ key })).toEqual(used);
  expect(await store.findKeyState({ key, holder })).toEqual({ used, departedAtMs: 1_700_000_000_001 });
  const somebodyElse = `0x${"ef".repeat(20)}`;
  expect(await store.findKeyState({ key, holder: somebodyElse })).toEqual({ used, departedAtMs: null });
});

testOnEachDatabase(
  "the latest departure stays, in whatever order they are reported",
  async ({ database }) => {
    const store = createKeyStore({ database });
    const moments = [5, 9, 3, 9, 7];
    await Promise.all(moments.map((departedAtMs) => store.recordDeparture({ key, holder, departedAtMs })));
    expect((await store.findKeyState({ key, holder })).departedAtMs).toBe(9);
  },
);

testOnEachDatabase(
  "neither a use nor a departure hides behind the case of an address",
  async ({ database }) => {
    const store = createKeyStore({ database });
    const shouted = { ...key, contractAddress: `0x${"AB".repeat(20)}` };
    await store.recordDeparture({ key: shouted, holder: `0x${"CD".repeat(20)}`, departedAtMs: 5 });
    await useUp({ database, usedBy: `0x${"CD".repeat(20)}` });
    expect(await store.findKeyState({ key, holder })).toMatchObject({
      used: { usedBy: holder },
      departedAtMs: 5,
    });
    expect(await store.findUsedKey({ key: shouted })).toMatchObject({ usedBy: holder });
  },
);

testOnEachDatabase("the same token of another contract or chain is another key", async ({ database }) => {
  const store = createKeyStore({ database });
  await useUp({ database, usedBy: holder });
  const others: KeyRef[] = [
    { ...key, chainId: 1 },
    { ...key, contractAddress: `0x${"ba".repeat(20)}` },
    { ...key, tokenId: "1" },
  ];
  for (const other of others) expect(await store.findUsedKey({ key: other })).toBe(null);
});
