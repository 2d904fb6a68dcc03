import { sqltag as sql } from "@prisma/client/runtime/client";
import Sqlite from "libsql";
import { expect, onTestFinished, test } from "vitest";
import { createSqliteTestDatabase } from "~e2e/support/databases/database";
import { answerTerms, updateAnswers } from "./kept-answer-appends.store.server";

test("SQLite finds the answers of a write by their ids, and does not go through all that are under way", async () => {
  const { database, url } = await createSqliteTestDatabase();
  const statement = sql`EXPLAIN QUERY PLAN ${updateAnswers(answerTerms(database), [])}`;
  const sqlite = new Sqlite(url.replace(/^file:/, ""));
  onTestFinished(() => void sqlite.close());
  const plan = sqlite.prepare(statement.sql).all(statement.values) as { detail: string }[];
  expect(plan.map(({ detail }) => detail).join("\n")).toMatch(/SEARCH answer USING .*\(id=\?\)/);
});
