import { expect } from "vitest";
import { transact } from "~/platform/database/transactions.server";
import { testOnEachDatabase } from "~e2e/support/databases/database";
import { createQuotaStore } from "./quota.store.server";
import { ownerOfKey } from "./quota-subject";
import type { Settlement } from "./settlements.store.server";

const keyOf = (tokenId: string) => ownerOfKey({ chainId: 31337, contractAddress: "0xabcd", tokenId });
const limits = { wanted: 100, limit: 20_000, windowSeconds: 86_400, expiresInSeconds: 60 };

testOnEachDatabase(
  "what ends together is settled together: each once, into its own window, or nothing of it",
  async ({ database }) => {
    const store = createQuotaStore(database, Date.now, "a");
    const reserve = async (tokenId: string, reservationId: string) =>
      void (await store.reserve({ owner: keyOf(tokenId), reservationId, ...limits }));
    const usedBy = async (tokenId: string) => {
      const { used, reserved } = await store.readStanding({ owner: keyOf(tokenId), limit: limits.limit });
      return [used, reserved];
    };
    for (const [tokenId, id] of [
      ["1", "a"],
      ["1", "b"],
      ["2", "c"],
      ["2", "d"],
    ] as const)
      await reserve(tokenId, id);
    const settleThem = (mayCommit: boolean) =>
      transact(database, async (transaction) => {
        const asked = [
          { reservationId: "a", usedTokens: 10.2 },
          { reservationId: "b", usedTokens: 20 },
          { reservationId: "c", usedTokens: 5 },
          { reservationId: "c", usedTokens: 50 },
          { reservationId: "unknown", usedTokens: 7 },
        ];
        const settle = (usage: Settlement) => store.settle({ ...usage, transaction });
        const settled = await Promise.all(asked.map(settle));
        if (!mayCommit) throw new Error("changed its mind");
        return [...settled, await settle({ reservationId: "b", usedTokens: 9 })];
      });
    await expect(settleThem(false)).rejects.toThrow("changed its mind");
    expect([await usedBy("1"), await usedBy("2")]).toEqual([
      [0, 200],
      [0, 200],
    ]);
    expect(await settleThem(true)).toEqual([true, true, true, false, false, false]);
    expect([await usedBy("1"), await usedBy("2")]).toEqual([
      [31, 0],
      [5, 100],
    ]);
  },
);
