import type { createProgressBar } from "../run-command";
import { CopyRefused, createTableDigest } from "./rows";
import type { Source, Table } from "./source";
import type { Target } from "./target";

type Copying = {
  source: Source;
  target: Target;
  onProgress: ReturnType<typeof createProgressBar>["show"];
  signal: AbortSignal;
};
type TableCopying = Copying & { tables: Table[] };
export type CopiedTable = { name: string; count: number; digest: string };

/** Copies every table in one transaction. If the target has rows already, it only compares them. */
export async function copyData(copying: Copying): Promise<CopiedTable[]> {
  const all = { ...copying, tables: copying.source.listTables() };
  const { source, target, tables } = all;
  await requireSameSchema(all);
  await requireNobodyWorks(all);
  return await target.inTransaction(async () => {
    if (await target.isEmpty(tables)) await copyTables(all);
    const copied = await verifyTables(all);
    if (!source.wasWorkedWith()) return copied;
    throw new CopyRefused(
      "A server has worked with the SQLite database meanwhile. Nothing was copied. Stop the server and try again.",
    );
  });
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
  const advice = "Stop it and try again. After a crash its lease expires within LEASE_SECONDS.";
  if (source.readLeaseUntilMs() > Date.now()) {
    throw new CopyRefused(`A server is still working with the SQLite database. ${advice}`);
  }
  if (await target.isLeased()) {
    throw new CopyRefused(`A server is already working with the PostgreSQL database. ${advice}`);
  }
}

async function copyTables({ source, target, tables, onProgress, signal }: TableCopying): Promise<void> {
  const total = tables.reduce((sum, table) => sum + source.countRows(table), 0);
  let done = 0;
  onProgress({ done, total, source: "" });
  for (const table of tables) {
    for (const rows of source.readBatches(table)) {
      signal.throwIfAborted();
      await target.insert(table, rows);
      done += rows.length;
      onProgress({ done, total, source: table.name });
    }
  }
}

async function verifyTables({ source, target, tables, signal }: TableCopying): Promise<CopiedTable[]> {
  const copied: CopiedTable[] = [];
  for (const table of tables) {
    signal.throwIfAborted();
    const [from, to] = [createTableDigest(), createTableDigest()];
    for (const rows of source.readBatches(table)) rows.forEach(from.add);
    for await (const row of target.readAll(table)) to.add(row);
    const [expected, found] = [from.read(), to.read()];
    if (expected.digest !== found.digest) {
      throw new CopyRefused(
        `${table.name} has ${expected.count} rows in the SQLite database, and ${found.count} or other ones in the ` +
          "PostgreSQL database. Nothing was copied. Give it an empty database: this copies, and does not merge.",
      );
    }
    copied.push({ name: table.name, ...expected });
  }
  return copied;
}
