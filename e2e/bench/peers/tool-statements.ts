import { createKeyStore } from "~/gate/ownership/keys.store.server";
import type { KeyRef } from "~/gate/kinds/token-id";
import { openDatabase } from "~/platform/database/database.server";
import { migrateDatabase } from "~/platform/database/migrate.server";
import { keyUsed } from "~/gate/form/key-notifications";
import { createKeyUses } from "./key-uses";

export type ToolStatementsSetup = {
  databaseUrl: string;
  key: KeyRef;
  holder: string;
  /** What the real server's tool said, so that the same goes over the wire. */
  gatedText: string;
};

/**
 * What the tools about a key say to the database and nothing else of them, by their names: the service's own stores with
 * the same settings, and for a key use a transaction of Prisma's client. No token is looked at and no chain is asked.
 */
export async function openToolStatements({ databaseUrl, key, holder, gatedText }: ToolStatementsSetup) {
  await migrateDatabase({ url: databaseUrl, migrationsDir: "prisma/migrations" });
  const database = await openDatabase({ url: databaseUrl });
  const keys = createKeyStore(database);
  const useKey = createKeyUses(database);
  let lastKey = 0;
  return {
    key_status: async () => {
      const use = await keys.findUsedKey({ key });
      const used = { used: use !== null, usedBy: use?.usedBy ?? null, usedAt: use?.usedAtMs ?? null };
      return { tokenId: key.tokenId, exists: true, owner: holder, ...used };
    },
    get_gated_content: async () => {
      await keys.findKeyState({ key, holder });
      return gatedText;
    },
    /** Another key each time. */
    mark_key_used: async () => {
      const next = { ...key, tokenId: String(++lastKey) };
      await keys.findKeyState({ key: next, holder });
      const { tokenId } = next;
      const notification = keyUsed({ ...next, address: holder });
      const usedAtMs = await useKey({ key: next, usedBy: holder, notification });
      return { tokenId, usedBy: holder, usedAt: new Date(usedAtMs).toISOString() };
    },
  };
}
