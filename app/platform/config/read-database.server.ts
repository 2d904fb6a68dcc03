import path from "node:path";
import { canReadPostgresqlAddress } from "~/platform/database/postgresql-address.server";
import type { SettingReader } from "./setting-reader";

export function readDatabase({ reader, dataDir }: { reader: SettingReader; dataDir: string }) {
  return {
    url: readUrl({ reader, dataDir }),
    pool: {
      size: reader.getInteger({ name: "DATABASE_POOL_SIZE", min: 2, max: 200 }),
      connectSeconds: reader.getInteger({ name: "DATABASE_CONNECT_SECONDS", min: 1, max: 60 }),
      statementSeconds: reader.getInteger({ name: "DATABASE_STATEMENT_SECONDS", min: 1, max: 300 }),
      lockSeconds: reader.getInteger({ name: "DATABASE_LOCK_SECONDS", min: 1, max: 300 }),
      // Transactions of ours end within ten seconds; whatever is open for longer hangs.
      idleSeconds: reader.getInteger({ name: "DATABASE_IDLE_SECONDS", min: 11, max: 600 }),
    },
    leaseSeconds: reader.getInteger({ name: "LEASE_SECONDS", min: 2, max: 120 }),
  };
}

function readUrl({ reader, dataDir }: { reader: SettingReader; dataDir: string }): string {
  const text = reader.findText("DATABASE_URL");
  if (text === null) return `file:${path.join(dataDir, "latchkey.db")}`;
  if (!/^(file:.|postgres(ql)?:\/\/)/.test(text)) {
    reader.report("DATABASE_URL", "must begin with file: or postgresql://.");
  } else if (!text.startsWith("file:") && !canReadPostgresqlAddress(text)) {
    reader.report(
      "DATABASE_URL",
      "cannot be read. Write postgresql://user:password@host:5432/name, and # / ? % in the password as %23 %2F %3F %25.",
    );
  }
  return text;
}
