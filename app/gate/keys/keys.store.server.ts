import type { Database } from "~/platform/database/database.server";
import type { LeaseHold } from "~/platform/leases/lease";
import { whileHeld } from "~/platform/database/lease-condition.server";
import { toKeyColumns } from "./key-columns.store.server";
import type { KeyRef } from "./key-ref";

export type KeyUse = { usedBy: string; usedAtMs: number };

/** `departedAtMs`: when this key last left that holder's wallet; tokens minted up to then are revoked. */
export type KeyState = { used: KeyUse | null; departedAtMs: number | null };

export type KeyStore = ReturnType<typeof createKeyStore>;

export function createKeyStore({ database }: { database: Database }) {
  async function findUsedKey({ key }: { key: KeyRef }): Promise<KeyUse | null> {
    const row = await database.usedKey.findUnique({
      where: { chainId_contractAddress_tokenId: toKeyColumns(key) },
    });
    return row === null ? null : { usedBy: row.usedBy, usedAtMs: Number(row.usedAtMs) };
  }

  /** Everything a request has to know of a key beside its owner, in one round trip. */
  async function findKeyState(request: { key: KeyRef; holder: string }): Promise<KeyState> {
    const [row] = await queryKeyState({ database, ...request });
    if (row === undefined) throw new Error("The database answered a key's state with no row at all.");
    const { usedBy, usedAtMs, departedAtMs } = row;
    return {
      used: usedBy === null ? null : { usedBy, usedAtMs: Number(usedAtMs) },
      departedAtMs: departedAtMs === null ? null : Number(departedAtMs),
    };
  }

  /**
   * Remembers the latest departure: an older one that is reported afterwards changes nothing, nor does one under a hold
   * that is not in force any more.
   */
  async function recordDeparture(request: Departure): Promise<void> {
    const { chainId, contractAddress, tokenId } = toKeyColumns(request.key);
    const holder = request.holder.toLowerCase();
    const isHeld = whileHeld({ database, hold: request.hold });
    await database.$executeRaw`
      INSERT INTO "KeyDeparture" ("chainId", "contractAddress", "tokenId", "holder", "departedAtMs")
      SELECT CAST(${chainId} AS BIGINT), ${contractAddress}, ${tokenId}, ${holder},
        CAST(${BigInt(request.departedAtMs)} AS BIGINT)
      WHERE ${isHeld}
      ON CONFLICT ("chainId", "contractAddress", "tokenId", "holder")
      DO UPDATE SET "departedAtMs" = excluded."departedAtMs"
      WHERE "KeyDeparture"."departedAtMs" < excluded."departedAtMs" AND ${isHeld}`;
  }

  return { findUsedKey, findKeyState, recordDeparture };
}

type Departure = { key: KeyRef; holder: string; departedAtMs: number; hold?: LeaseHold | undefined };
type KeyStateRow = { usedBy: string | null; usedAtMs: bigint | null; departedAtMs: bigint | null };

async function queryKeyState({
  database,
  key,
  holder,
}: {
  database: Database;
  key: KeyRef;
  holder: string;
}): Promise<KeyStateRow[]> {
  const { chainId, contractAddress, tokenId } = toKeyColumns(key);
  return await database.$queryRaw<KeyStateRow[]>`
    SELECT used."usedBy", used."usedAtMs", departure."departedAtMs"
    FROM (SELECT 1 AS "one") AS always
    LEFT JOIN "UsedKey" AS used
      ON used."chainId" = ${chainId} AND used."contractAddress" = ${contractAddress}
        AND used."tokenId" = ${tokenId}
    LEFT JOIN "KeyDeparture" AS departure
      ON departure."chainId" = ${chainId} AND departure."contractAddress" = ${contractAddress}
        AND departure."tokenId" = ${tokenId} AND departure."holder" = ${holder.toLowerCase()}`;
}
