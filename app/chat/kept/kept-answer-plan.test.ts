import { Prisma } from "~/generated/sqlite/client";
import Sqlite from "libsql";
import { expect, onTestFinished, test } from "vitest";
import { createSqliteTestDatabase } from "~e2e/support/databases/database";
import { answerTerms, toAppend, updateAnswers } from "./kept-answer-appends.store.server";
import type { Terms } from "./kept-answer-appends.store.server";
import { findNewest } from "./kept-answers.store.server";

/** How SQLite would carry out a statement. */
async function explain(toStatement: (terms: Terms) => Prisma.Sql): Promise<string> {
  const { database, url } = await createSqliteTestDatabase();
  const statement = Prisma.sql`EXPLAIN QUERY PLAN ${toStatement(answerTerms(database))}`;
  const sqlite = new Sqlite(url.replace(/^file:/, ""));
  onTestFinished(() => void sqlite.close());
  const plan = sqlite.prepare(statement.sql).all(statement.values) as { detail: string }[];
  return plan.map(({ detail }) => detail).join("\n");
}

const appended = { replyId: "reply-1", leaseMs: 1, firstId: 1, events: ["1"], usedTokens: 1 };

test.each([
  ["without an ending", appended],
  ["with one", { ...appended, ending: { endingId: 1, expiresAtMs: 1 } }],
])(
  "SQLite finds the answers of a write %s by their ids, not through all that are under way",
  async (_name, request) => {
    const plan = await explain((terms) => updateAnswers(terms, [toAppend(request)]));
    expect(plan).toMatch(/SEARCH answer USING .*\(id=\?\)/);
  },
);

test("SQLite finds the answers of a conversation by it, those under way and those that have ended", async () => {
  const plan = await explain((terms) => findNewest(terms, { owner: "o", conversationId: "c" }));
  expect(plan).toMatch(/SEARCH KeptAnswer USING INDEX KeptAnswer_open_conversation_key/);
  expect(plan).toMatch(/SEARCH KeptAnswer USING INDEX KeptAnswer_ended_conversationId_idx/);
  expect(plan).not.toMatch(/SCAN KeptAnswer/);
});
