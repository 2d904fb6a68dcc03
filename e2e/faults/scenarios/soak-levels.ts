import path from "node:path";
import type { Database } from "~/platform/database/database.server";
import { readMemory } from "~e2e/support/measure/memory-report";
import { waitUntil } from "~e2e/support/processes";
import { dayMs } from "../day-clock";
import { countDescriptors, megabyte, readDatabaseBytes } from "../server-measures";
import type { Day } from "./soak-visits";

/** Expired rows: the sweeper is to have deleted them. */
async function countExpired(database: Database, nowMs: number): Promise<number> {
  const by = { lte: BigInt(nowMs) };
  const counts = [
    await database.nonce.count({ where: { expiresAtMs: by } }),
    await database.spentSignature.count({ where: { expiresAtMs: { lte: BigInt(nowMs - dayMs) } } }),
    await database.rateLimitWindow.count({ where: { expiresAtMs: by } }),
    await database.rateLimitLog.count({ where: { expiresAtMs: by } }),
    await database.quotaWindow.count({ where: { resetAtMs: by } }),
    await database.operatorSession.count({ where: { endsAtMs: by } }),
  ];
  return counts.reduce((sum, count) => sum + count, 0);
}

/** Rows that can expire, whether they have or not. */
export const countEnding = async (database: Database) => countExpired(database, Number.MAX_SAFE_INTEGER);

export type Rest = {
  held: number;
  resident: number;
  descriptors: number | null;
  rows: number;
  fileBytes: number;
};

/** Between two hours: everything is answered, and what expired is swept. */
export async function rest(day: Day, database: Database): Promise<Rest> {
  const { clock, gate, tally } = day;
  day.client.close();
  const countNow = () => countExpired(database, clock.nowMs());
  await waitUntil(async () => (await countNow()) === 0, { timeoutMs: 15_000, everyMs: 200 }).catch(async () =>
    tally.count("expired rows left", await countNow()),
  );
  tally.count("reservations left", await database.quotaReservation.count());
  const { heldBytes, rss } = await readMemory(gate.server);
  return {
    held: heldBytes / megabyte,
    resident: rss / megabyte,
    descriptors: countDescriptors(gate.server.pid),
    rows: await countEnding(database),
    fileBytes: readDatabaseBytes(path.join(gate.server.dataDir, "latchkey.db")),
  };
}

export function describeRest({ held, resident, descriptors, rows, fileBytes }: Rest): string {
  const memory = `${held.toFixed(2)} MB held, ${resident.toFixed(0)} MB resident`;
  return `${memory}, ${descriptors} open, ${rows} rows that end, ${(fileBytes / megabyte).toFixed(2)} MB of database`;
}

/** What a straight line through the values rises from the first to the last. */
function fitRise(values: readonly number[]): number {
  const middle = (values.length - 1) / 2;
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const spread = values.reduce((sum, _value, at) => sum + (at - middle) ** 2, 0);
  const tilt = values.reduce((sum, value, at) => sum + (at - middle) * (value - mean), 0);
  return (tilt / spread) * (values.length - 1);
}

/**
 * Nothing is kept for a request. What rises is the code that the engine compiles ever better, with its notes of it: two
 * heap snapshots, of hour 8 and hour 24, differ by some 2 MB of that and by little else, however many requests lie in
 * between. And readings after collections lie up to a megabyte apart. In the full measure both together are 8 to 80 bytes a
 * request. A leak of an entry of a Map with a key and an object of its own is above 120. Fewer requests show less.
 */
function bytesThatMayStay(requests: number): number {
  return Math.max(120, (3 * megabyte) / requests);
}

/** Of a whole day: what its second half adds. `count`: requests in an hour. */
export function describeLevels(rests: readonly Rest[], count: number) {
  const half = rests.slice(rests.length / 2);
  const [first, last] = [half[0]!, half.at(-1)!];
  const opened = half.map(({ descriptors }) => descriptors);
  const requests = count * (half.length - 1);
  const bytesARequest = (fitRise(half.map(({ held }) => held)) * megabyte) / requests;
  return [
    {
      what: "rise of the memory held, over the second half, for each request",
      measured: bytesARequest,
      unit: "bytes",
      bound: { atMost: bytesThatMayStay(requests) },
    },
    {
      what: "memory of the process at the end, more than in the middle",
      measured: last.resident - first.resident,
      unit: "MB",
      bound: { atMost: 16 },
    },
    {
      what: "files and sockets at the end, more than in the middle",
      measured: opened.every((number) => number !== null) ? opened.at(-1)! - opened[0]! : null,
      bound: { atMost: 16 },
    },
    {
      what: "database file at the end, more than in the middle",
      measured: (last.fileBytes - first.fileBytes) / megabyte,
      unit: "MB",
      bound: { atMost: 1 },
    },
  ];
}
