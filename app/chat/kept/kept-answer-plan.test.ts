import { sqltag as sql } from "@prisma/client/runtime/client";
import Sqlite from "libsql";
import { expect, onTestFinished, test } from "vitest";
import { createSqliteTestDatabase } from "~e2e/support/databases/database";
import { answerTerms, toAppend, updateAnswers } from "./kept-answer-appends.store.server";

const appended = { replyId: "reply-1", leaseMs: 1, firstId: 1, events: ["1"], usedTokens: 1 };

test.each([
  ["without an ending", appended],
  ["with one", { ...appended, ending: { endingId: 1, expiresAtMs: 1 } }],
])(
  "SQLite finds the answers of a write %s by their ids, not through all that are under way",
  async (_name, request) => {
    const { database, url } = await createSqliteTestDatabase();
    const statement = sql`EXPLAIN QUERY PLAN ${updateAnswers(answerTerms(database), [toAppend(request)])}`;
    const sqlite = new Sqlite(url.replace(/^file:/, ""));
    onTestFinished(() => void sqlite.close());
    const plan = sqlite.prepare(statement.sql).all(statement.values) as { detail: string }[];
    expect(plan.map(({ detail }) => detail).join("\n")).toMatch(/SEARCH answer USING .*\(id=\?\)/);
  },
);
