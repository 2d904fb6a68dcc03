import { pathToFileURL } from "node:url";
import type { Address } from "viem";
import { closeDatabase, openDatabase } from "~/platform/database/database.server";
import { migrateDatabase } from "~/platform/database/migrate.server";

const probes = 40;

/** Which of the keys 1 to `usedKeys` are asked for: as many used as unused ones, spread evenly over all. */
export function probeKeys(usedKeys: number): {
  used: number[];
  unused: number[];
  series: { firstTokenId: number; count: number; step: number };
} {
  const step = Math.floor(usedKeys / probes);
  if (step < 1) throw new Error(`Among ${usedKeys} keys there are no ${probes} to ask for.`);
  const all = Array.from({ length: probes }, (_, index) => (index + 1) * step);
  return {
    used: all.filter((_, index) => index % 2 === 1),
    unused: all.filter((_, index) => index % 2 === 0),
    series: { firstTokenId: step, count: probes, step },
  };
}

type FillUsedKeysOptions = {
  databaseFile: string;
  chainId: number;
  contractAddress: Address;
  usedKeys: number;
  unused: readonly number[];
};

/** A database as it would be after so many forms, made by one statement. */
export async function fillUsedKeys({
  databaseFile,
  chainId,
  contractAddress,
  usedKeys,
  unused,
}: FillUsedKeysOptions): Promise<void> {
  const url = pathToFileURL(databaseFile).href;
  await migrateDatabase({ url, migrationsDir: "prisma/migrations" });
  const database = await openDatabase({ url });
  try {
    const contract = contractAddress.toLowerCase();
    const nowMs = BigInt(Date.now());
    const except = JSON.stringify(unused);
    const usedBy = `0x${"ab".repeat(20)}`;
    const count = await database.$executeRaw`
      WITH RECURSIVE "series" ("id") AS (
        SELECT 1 UNION ALL SELECT "id" + 1 FROM "series" WHERE "id" < ${usedKeys + unused.length}
      )
      INSERT INTO "UsedKey" ("chainId", "contractAddress", "tokenId", "usedBy", "usedAtMs")
      SELECT ${BigInt(chainId)}, ${contract}, CAST("id" AS TEXT), ${usedBy}, ${nowMs} - "id"
      FROM "series" WHERE "id" NOT IN (SELECT value FROM json_each(${except}))`;
    if (count !== usedKeys) throw new Error(`${count} keys were put down as used and not ${usedKeys}.`);
  } finally {
    await closeDatabase(database);
  }
}
