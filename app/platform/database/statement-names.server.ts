import { createHash } from "node:crypto";
import type { SqlQuery } from "@prisma/driver-adapter-utils";
import type { ClientBase, QueryConfig } from "pg";

/** Of a text that is the same each time it is asked. */
export type RepeatedQuery = SqlQuery & { isRepeated: true };

/** Should a text differ each time after all: PostgreSQL keeps every one for as long as its connection. */
const maxNames = 200;

/**
 * Under a name, a connection to PostgreSQL parses and plans a statement once instead of each time. Behind a pooler that gives
 * one's next transaction to another connection it would not be known there, so that nothing is named.
 */
export function createStatementNames(timeoutMs: number) {
  const names = new Map<string, string>();
  /** Of all connections so far; null before the first. */
  let areDirect: boolean | null = null;

  return {
    /** For each new connection. A pooler tells a process of its own making, and not the one that carries out statements. */
    async verify(client: ClientBase): Promise<void> {
      const question = { text: "SELECT pg_backend_pid() AS pid", query_timeout: timeoutMs } as QueryConfig;
      const { rows } = await client.query<{ pid: number }>(question);
      const isDirect = rows[0]?.pid === (client as { processID?: number | null }).processID;
      areDirect = areDirect !== false && isDirect;
    },
    /** Empty: it is sent without one. Two processes that share a connection all the same have no name for two texts. */
    nameOf(query: SqlQuery): string {
      if (!areDirect || !("isRepeated" in query)) return "";
      const known = names.get(query.sql);
      if (known !== undefined || names.size === maxNames) return known ?? "";
      const name = `latchkey_${createHash("sha256").update(query.sql).digest("hex").slice(0, 32)}`;
      names.set(query.sql, name);
      return name;
    },
  };
}
