import type { SqlQuery } from "@prisma/driver-adapter-utils";
import type { PoolClient } from "pg";

/** Of a text that is the same each time it is asked. */
export type RepeatedQuery = SqlQuery & { isRepeated: true };

/** Should a text differ each time after all: PostgreSQL keeps every one for as long as its connection. */
const maxNames = 200;

/**
 * Under a name, a connection to PostgreSQL parses and plans a statement once instead of each time. Behind a pooler that gives
 * one's next transaction to another connection it would not be known there, so that nothing is named.
 */
export function createStatementNames() {
  const names = new Map<string, string>();
  let isDirect = false;

  return {
    /** The pool's, for each new connection. A pooler tells a process of its own making, and not the one that carries out statements. */
    async verify(client: PoolClient): Promise<void> {
      const { rows } = await client.query<{ pid: number }>("SELECT pg_backend_pid() AS pid");
      isDirect = rows[0]?.pid === (client as { processID?: number | null }).processID;
    },
    /** Empty: it is sent without one. */
    nameOf(query: SqlQuery): string {
      if (!isDirect || !("isRepeated" in query)) return "";
      const known = names.get(query.sql);
      if (known !== undefined || names.size === maxNames) return known ?? "";
      const name = `latchkey_${names.size}`;
      names.set(query.sql, name);
      return name;
    },
  };
}
