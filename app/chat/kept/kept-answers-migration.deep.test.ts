import { cp } from "node:fs/promises";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { expect } from "vitest";
import { migrateDatabase } from "~/platform/database/migrate.server";
import {
  createTestDir,
  migrationsDir,
  openTestDatabase,
  testOnEachDatabase,
} from "~e2e/support/databases/database";
import type { TestDatabase } from "~e2e/support/databases/database";
import { createKeptAnswerStore } from "./kept-answers.store.server";

const thisMigration = "0010_one_open_answer";

/** A database as the former version left it: on the same server or in its own file. */
async function createFormer({ url, database }: TestDatabase): Promise<string> {
  const dir = await createTestDir();
  const formerDir = path.join(dir, "migrations");
  const isFormer = (file: string) => (/[/\\](\d{4}_\w+)/.exec(file)?.[1] ?? "") < thisMigration;
  await cp(migrationsDir, formerDir, { recursive: true, filter: isFormer });
  const address = url.startsWith("file:") ? pathToFileURL(path.join(dir, "former.db")) : new URL(url);
  if (address.protocol !== "file:") {
    address.pathname = "/former_answers";
    await database.$executeRaw`CREATE DATABASE former_answers`;
  }
  await migrateDatabase({ url: address.href, migrationsDir: formerDir });
  return address.href;
}

testOnEachDatabase(
  "several open answers of one conversation stay, the newest is found, and the others are concluded",
  async (target) => {
    const url = await createFormer(target);
    const database = await openTestDatabase(url);
    const nowMs = Date.now();
    /** The former version took the conversation from an answer when the next one began. */
    const insert = (id: string, conversationId: string | null, changes: { expiresAtMs?: number } = {}) =>
      database.$executeRaw`
        INSERT INTO "KeptAnswer" ("id", "owner", "conversationId", "openFor", "lastId", "leaseExpiresAtMs", "expiresAtMs")
        VALUES (${id}, 'o', ${conversationId}, 'k', 1, 1, ${changes.expiresAtMs === undefined ? null : BigInt(changes.expiresAtMs)})`;
    await insert("first", null);
    await insert("second", null);
    await insert("newest", "conversation-0001");
    await insert("ended", "conversation-0002", { expiresAtMs: nowMs + 60_000 });
    await expect(insert("double", "conversation-0001")).rejects.toThrow(/unique/i);
    await migrateDatabase({ url, migrationsDir });

    const store = createKeptAnswerStore(database, Date.now);
    const of = (conversationId: string) => store.find({ owner: "o", conversationId });
    expect(await of("conversation-0001")).toMatchObject({ replyId: "newest", ending: null });
    expect(await of("conversation-0002")).toMatchObject({ replyId: "ended" });
    expect((await store.listAbandoned()).sort()).toEqual(["first", "newest", "second"]);
    const again = { owner: "o", conversationId: "conversation-0001", openFor: "k", proofHash: null };
    const begin = () => store.begin({ ...again, replyId: "next", maxOpen: 1, leaseMs: 60_000 });
    expect(await begin()).toEqual({ outcome: "abandoned", replyId: "newest" });
    for (const replyId of await store.listAbandoned())
      expect(await store.conclude({ replyId, endingEvents: ["{}"], expiresAtMs: nowMs })).toBe(true);
    expect(await begin()).toEqual({ outcome: "begun" });
  },
);
