import type { Clock } from "~/platform/time/clock";
import type { Database } from "~/platform/database/database.server";

/** `digest`: the code itself is not stored. */
type DoorCode = { digest: string; site: string; startHash: string };
export type DoorCodeStore = ReturnType<typeof createDoorCodeStore>;

export function createDoorCodeStore(database: Database, clock: Clock) {
  return {
    async issueCode({
      digest,
      site,
      startHash,
      claims,
      ttlSeconds,
    }: DoorCode & { claims: string; ttlSeconds: number }): Promise<void> {
      const expiresAtMs = BigInt(clock() + ttlSeconds * 1000);
      await database.doorCode.create({ data: { digest, site, startHash, claims, expiresAtMs } });
    },

    /** Returns the claims once. A wrong request returns null and spends nothing. */
    async spendCode({ digest, site, startHash }: DoorCode): Promise<string | null> {
      const nowMs = BigInt(clock());
      const [spent] = await database.doorCode.updateManyAndReturn({
        where: { digest, site, startHash, spentAtMs: null, expiresAtMs: { gt: nowMs } },
        data: { spentAtMs: nowMs },
        select: { claims: true },
      });
      return spent?.claims ?? null;
    },
  };
}
