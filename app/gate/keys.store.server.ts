import type { Database } from "~/platform/database/database.server";
import { toKeyColumns } from "./key-columns.store.server";
import type { KeyRef } from "./key-ref";

export type KeyUse = { usedBy: string; usedAtMs: number };

/** `departedAtMs`: when this key last left that holder's wallet; tokens minted up to then are revoked. */
export type KeyState = { used: KeyUse | null; departedAtMs: number | null };

export type KeyStore = ReturnType<typeof createKeyStore>;

type KeyStateRow = { usedBy: string | null; usedAtMs: bigint | null; departedAtMs: bigint | null };

export function createKeyStore({ database }: { database: Database }) {
  async function findUsedKey({ key }: { key: KeyRef }): Promise<KeyUse | null> {
    const row = await database.usedKey.findUnique({
      where: { chainId_contractAddress_tokenId: toKeyColumns(key) },
    });
    return row === null ? null : { usedBy: row.usedBy, usedAtMs: Number(row.usedAtMs) };
  }

  /** Everything a request has to know of a key beside its owner, in one round trip. */
  async function findKeyState({ key, holder }: { key: KeyRef; holder: string }): Promise<KeyState> {
    const { chainId, contractAddress, tokenId } = toKeyColumns(key);
    const rows = await database.$queryRaw<KeyStateRow[]>`
      SELECT used."usedBy", used."usedAtMs", departure."departedAtMs"
      FROM (SELECT 1 AS "one") AS always
      LEFT JOIN "UsedKey" AS used
        ON used."chainId" = ${chainId} AND used."contractAddress" = ${contractAddress}
          AND used."tokenId" = ${tokenId}
      LEFT JOIN "KeyDeparture" AS departure
        ON departure."chainId" = ${chainId} AND departure."contractAddress" = ${contractAddress}
          AND departure."tokenId" = ${tokenId} AND departure."holder" = ${holder.toLowerCase()}`;
    const row = rows[0];
    if (row === undefined) throw new Error("The database answered a key's state with no row at all.");
    return {
      used: row.usedBy === null ? null : { usedBy: row.usedBy, usedAtMs: Number(row.usedAtMs) },
      departedAtMs: row.departedAtMs === null ? null : Number(row.departedAtMs),
    };
  }

  /** Remembers the latest departure: an older one that is reported afterwards changes nothing. */
  async function recordDeparture(request: {
    key: KeyRef;
    holder: string;
    departedAtMs: number;
  }): Promise<void> {
    const { chainId, contractAddress, tokenId } = toKeyColumns(request.key);
    await database.$executeRaw`
      INSERT INTO "KeyDeparture" ("chainId", "contractAddress", "tokenId", "holder", "departedAtMs")
      VALUES (${chainId}, ${contractAddress}, ${tokenId}, ${request.holder.toLowerCase()},
        ${BigInt(request.departedAtMs)})
      ON CONFLICT ("chainId", "contractAddress", "tokenId", "holder")
      DO UPDATE SET "departedAtMs" = excluded."departedAtMs"
      WHERE "KeyDeparture"."departedAtMs" < excluded."departedAtMs"`;
  }

  return { findUsedKey, findKeyState, recordDeparture };
}
