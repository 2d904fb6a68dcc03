import type { createProgressBar } from "../progress-bar";
import { CopyRefused } from "./copy-refused";
import { createTableDigest, fingerprint } from "./rows";
import type { Row } from "./rows";
import type { Source, Table } from "./source";
import type { Target } from "./target";

type Copying = {
  source: Source;
  target: Target;
  onProgress: ReturnType<typeof createProgressBar>["show"];
  signal: AbortSignal;
};
type TableCopying = Copying & { tables: Table[] };
export type CopiedTable = { name: string; count: number; added: number; digest: string };

const otherContentAdvice = "Give it an empty database: this copies, and does not merge.";

/** Copies every table in batches that are either there or not, so the next run goes on where one was cut off. */
export async function copyData(copying: Copying): Promise<CopiedTable[]> {
  const all = { ...copying, tables: copying.source.listTables() };
  await requireSameSchema(all);
  await requireNobodyWorks(all);
  await requireNoOtherRows(all);
  const added = await copyTables(all);
  const copied = await verifyTables(all, added);
  // A server that came meanwhile, and may have gone again, wrote what the copy does not have.
  if (!all.source.wasWorkedWith()) return copied;
  throw new CopyRefused(
    "A server has worked with the SQLite database meanwhile: the copy is of before. Do not use it. Stop the server, " +
      "and copy into an empty database.",
  );
}

async function requireSameSchema({ source, target, tables }: TableCopying): Promise<void> {
  const [from, to] = [source.listMigrations(), await target.listMigrations()];
  if (from.join() !== to.join()) {
    throw new CopyRefused(
      "The SQLite database is of another version than this build. Start this build on it once, stop it, and copy then.",
    );
  }
  const columns = await target.listColumns();
  for (const { name, columns: wanted } of tables) {
    const found = columns.get(name);
    if (found?.toSorted().join() !== wanted.toSorted().join()) {
      throw new CopyRefused(`The table ${name} is not the same in both databases.`);
    }
  }
}

async function requireNobodyWorks({ source, target }: Copying): Promise<void> {
  const advice = "Stop it, and try again; after a crash its lease expires by itself within LEASE_SECONDS.";
  if (source.readLeaseUntilMs() > Date.now()) {
    throw new CopyRefused(`A server is still working with the SQLite database. ${advice}`);
  }
  if (await target.isLeased()) {
    throw new CopyRefused(`A server is already working with the PostgreSQL database. ${advice}`);
  }
}

async function requireNoOtherRows({ source, target, tables, signal }: TableCopying): Promise<void> {
  for (const table of tables) {
    const there = await target.countRows(table);
    if (there === 0) continue;
    let known = 0;
    for (const rows of source.readBatches(table)) {
      signal.throwIfAborted();
      known += rows.length - (await findMissing(target, table, rows)).length;
    }
    if (known === there) continue;
    throw new CopyRefused(
      `The PostgreSQL database has ${there - known} rows in ${table.name} that the SQLite database does not have. ` +
        `Nothing was copied. ${otherContentAdvice}`,
    );
  }
}

/** The rows that the target lacks. Refuses a row that is there with other content. */
async function findMissing(target: Target, table: Table, rows: Row[]): Promise<Row[]> {
  const keyOf = (row: Row) => fingerprint(table.keyOf(row));
  const found = await target.findSameKeys(table, rows);
  const there = new Map(found.map((row) => [keyOf(row), fingerprint(row)]));
  return rows.filter((row) => {
    const same = there.get(keyOf(row));
    if (same === undefined || same === fingerprint(row)) return same === undefined;
    throw new CopyRefused(
      `The PostgreSQL database has a row in ${table.name} with the same key and other content: it was in use, or is ` +
        `of another source. ${otherContentAdvice}`,
    );
  });
}

async function copyTables({ source, target, tables, onProgress, signal }: TableCopying) {
  const total = tables.reduce((sum, table) => sum + source.countRows(table), 0);
  const added = new Map<string, number>();
  let done = 0;
  onProgress({ done, total, source: "" });
  for (const table of tables) {
    for (const rows of source.readBatches(table)) {
      signal.throwIfAborted();
      const missing = await findMissing(target, table, rows);
      await target.insert(table, missing);
      added.set(table.name, (added.get(table.name) ?? 0) + missing.length);
      done += rows.length;
      onProgress({ done, total, source: table.name });
    }
  }
  return added;
}

async function verifyTables({ source, target, tables, signal }: TableCopying, added: Map<string, number>) {
  const copied: CopiedTable[] = [];
  for (const table of tables) {
    signal.throwIfAborted();
    const [from, to] = [createTableDigest(), createTableDigest()];
    for (const rows of source.readBatches(table)) rows.forEach(from.add);
    for await (const row of target.readAll(table)) to.add(row);
    const [expected, found] = [from.read(), to.read()];
    if (expected.digest !== found.digest || expected.count !== found.count) {
      throw new CopyRefused(
        `The copy of ${table.name} is not the same: ${expected.count} rows became ${found.count}. Somebody else wrote ` +
          "into one of the databases meanwhile. Do not use the copy.",
      );
    }
    copied.push({ name: table.name, added: added.get(table.name) ?? 0, ...expected });
  }
  return copied;
}
