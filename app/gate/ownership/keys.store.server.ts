import { setImmediate as nextTurn } from "node:timers/promises";
import { Prisma } from "~/generated/sqlite/client";
import type { WatchedBlock } from "~/platform/chain/seen-block";
import type { Database } from "~/platform/database/database.server";
import type { LeaseHold } from "~/platform/leases/lease";
import { whileHeld } from "~/platform/leases/lease-condition.store.server";
import type { KeyRef } from "../kinds/token-id";
import { isTaken } from "~/platform/database/write-conflict.server";

type KeyUse = { usedBy: string; usedAtMs: number };

/** `departedAtMs`: when this key last left that holder's wallet; tokens minted up to then are revoked. */
export type KeyState = {
  used: KeyUse | null;
  departedAtMs: number | null;
  /** Whether its holder has signed out of what the proof began. */
  isProofRevoked: boolean;
  /** Up to which the chains asked about were read, as far as somebody has. */
  watchedBlocks: readonly (WatchedBlock & { chainId: number })[];
};
/**
 * `proofHash`: of the text that `wallet` signed, to which a token goes back; null where there is no token yet.
 * `chainIds`: of all that the kind asks for.
 */
type StateQuestion = {
  key: KeyRef;
  holder: string;
  wallet?: string;
  proofHash?: string | null;
  chainIds?: readonly number[];
};

export type KeyStore = ReturnType<typeof createKeyStore>;

/** Addresses are lowered here too: a use or a departure must not hide behind case. */
export function toKeyColumns({ chainId, contractAddress, tokenId }: KeyRef) {
  return { chainId: BigInt(chainId), contractAddress: contractAddress.toLowerCase(), tokenId };
}

export function createKeyStore(database: Database) {
  async function findUsedKey({ key }: { key: KeyRef }): Promise<KeyUse | null> {
    const where = { chainId_contractAddress_tokenId: toKeyColumns(key) };
    const row = await database.usedKey.findUnique({ where });
    return row && { usedBy: row.usedBy, usedAtMs: Number(row.usedAtMs) };
  }

  /** One statement for four tables: nearly every request asks it, and over a network each trip counts. */
  async function findKeyState({
    key,
    holder,
    wallet = holder,
    proofHash = null,
    chainIds = [key.chainId],
  }: StateQuestion): Promise<KeyState> {
    const { chainId, contractAddress, tokenId } = toKeyColumns(key);
    const rows = await database.$queryRaw<KeyStateRow[]>`
      SELECT used."usedBy", used."usedAtMs", departure."departedAtMs", revoked."proofHash",
        watched."chainId", watched."blockNumber", watched."blockSeconds"
      FROM (SELECT 1 AS "one") AS always
      LEFT JOIN "UsedKey" AS used
        ON used."chainId" = ${chainId} AND used."contractAddress" = ${contractAddress}
          AND used."tokenId" = ${tokenId}
      LEFT JOIN "KeyDeparture" AS departure
        ON departure."chainId" = ${chainId} AND departure."contractAddress" = ${contractAddress}
          AND departure."tokenId" = ${tokenId} AND departure."holder" = ${holder.toLowerCase()}
      LEFT JOIN "RevokedProof" AS revoked
        ON revoked."proofHash" = ${proofHash} AND revoked."wallet" IN (${wallet.toLowerCase()}, '')
      LEFT JOIN "ChainCursor" AS watched
        ON watched."chainId" IN (${Prisma.join(chainIds.map(BigInt))}) AND watched."updatedAtMs" =
          (SELECT MAX("updatedAtMs") FROM "ChainCursor" WHERE "chainId" = watched."chainId")`;
    const [row] = rows;
    if (row === undefined) throw new Error("The database returned no row for a key's state.");
    const { usedBy, usedAtMs, departedAtMs } = row;
    return {
      used: usedBy === null ? null : { usedBy, usedAtMs: Number(usedAtMs) },
      departedAtMs: departedAtMs === null ? null : Number(departedAtMs),
      isProofRevoked: row.proofHash !== null,
      watchedBlocks: rows.flatMap(({ chainId: id, blockNumber, blockSeconds }) =>
        id === null ? [] : [{ chainId: Number(id), blockNumber: blockNumber!, blockSeconds: blockSeconds! }],
      ),
    };
  }

  /** A second one within a second is dated to its end: a token made between the two bears the next second. */
  async function recordDepartures(report: DepartureReport) {
    const { departures, departedAtMs, knownSinceMs = departedAtMs, hold, ...contract } = report;
    const columns = toKeyColumns({ ...contract, tokenId: "" });
    const isHeld = whileHeld(database, hold);
    for (const rows of inStatements(departures)) {
      await nextTurn();
      await database.$executeRaw`
        WITH departed ("tokenId", "holder") AS (VALUES ${Prisma.join(rows)})
        INSERT INTO "KeyDeparture" ("chainId", "contractAddress", "tokenId", "holder", "departedAtMs")
        SELECT CAST(${columns.chainId} AS BIGINT), ${columns.contractAddress}, departed."tokenId", departed."holder",
          CAST(${BigInt(departedAtMs)} AS BIGINT)
        FROM departed
        WHERE ${isHeld}
        ON CONFLICT ("chainId", "contractAddress", "tokenId", "holder")
        DO UPDATE SET "departedAtMs" = CASE
          WHEN "KeyDeparture"."departedAtMs" / 1000 = excluded."departedAtMs" / 1000
          THEN (excluded."departedAtMs" / 1000 + 1) * 1000
          ELSE excluded."departedAtMs" END
        WHERE "KeyDeparture"."departedAtMs" < CAST(${BigInt(Math.min(departedAtMs, knownSinceMs))} AS BIGINT)
          AND ${isHeld}`;
    }
  }

  return {
    findUsedKey,
    findKeyState,
    recordDepartures,
    recordDeparture: ({ key, holder, departedAtMs }: KeyDeparture) =>
      recordDepartures({ ...key, departures: [{ tokenId: key.tokenId, holder }], departedAtMs }),
  };
}

type KeyDeparture = { key: KeyRef; holder: string; departedAtMs: number };
type Departure = { tokenId: string; holder: string };
type DepartureReport = Omit<KeyRef, "tokenId"> & {
  departures: readonly Departure[];
  departedAtMs: number;
  /** Those recorded since then stay as they are. */
  knownSinceMs?: number | undefined;
  hold?: LeaseHold | undefined;
};
type KeyStateRow = {
  usedBy: string | null;
  usedAtMs: bigint | null;
  departedAtMs: bigint | null;
  proofHash: string | null;
  chainId: bigint | null;
  blockNumber: bigint | null;
  blockSeconds: bigint | null;
};

/** A statement of so many holds up the requests of a single-threaded server for some 25 ms. */
const maxRowsInStatement = 1_000;

/** Each departure once, as rows, in one order: two statements that write the same ones wait for each other one way round. */
function inStatements(departures: readonly Departure[]): Prisma.Sql[][] {
  const rows = new Map<string, Prisma.Sql>();
  for (const { tokenId, holder } of departures) {
    const lowered = holder.toLowerCase();
    rows.set(`${tokenId}:${lowered}`, Prisma.sql`(${tokenId}, ${lowered})`);
  }
  const sorted = [...rows.keys()].sort().map((name) => rows.get(name)!);
  const count = Math.ceil(sorted.length / maxRowsInStatement);
  return Array.from({ length: count }, (_, index) =>
    sorted.slice(index * maxRowsInStatement, (index + 1) * maxRowsInStatement),
  );
}

export type RevokedProofStore = ReturnType<typeof createRevokedProofStore>;

/** Two wallets may sign the same older envelope, so a proof counts for the wallet that signed it. In lower case. */
type WalletProof = { wallet: string; proofHash: string };

/** Proofs whose holder signed out; `findKeyState` looks here too. */
export function createRevokedProofStore(database: Database) {
  return {
    async revokeProof({ expiresAtMs, ...proof }: WalletProof & { expiresAtMs: number }): Promise<void> {
      const data = { ...proof, expiresAtMs: BigInt(expiresAtMs) };
      await database.revokedProof.create({ data }).catch((error: unknown) => {
        if (!isTaken(error, "RevokedProof")) throw error;
      });
    },
  };
}
