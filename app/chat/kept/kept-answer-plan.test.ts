import Sqlite from "libsql";
import { expect, onTestFinished, test } from "vitest";
import { Prisma } from "~/generated/sqlite/client";
import { createSqliteTestDatabase } from "~e2e/support/databases/database";
import { findStatements } from "./kept-answers.store.server";

test("SQLite finds the answers of a conversation by it, those under way and those that have ended", async () => {
  const { database, url } = await createSqliteTestDatabase();
  const sqlite = new Sqlite(url.replace(/^file:/, ""));
  onTestFinished(() => void sqlite.close());
  const { open, ended } = findStatements(database, { owner: "o", conversationId: "c" });
  for (const [found, index] of [
    [open, "KeptAnswer_open_conversation_key"],
    [ended, "KeptAnswer_ended_conversationId_idx"],
  ] as const) {
    const { sql, values } = Prisma.sql`EXPLAIN QUERY PLAN ${found}`;
    const plan = sqlite.prepare(sql).all(values) as { detail: string }[];
    expect(plan.map(({ detail }) => detail).join()).toContain(`SEARCH KeptAnswer USING INDEX ${index}`);
  }
});
