import { startTcpGate } from "~e2e/support/providers/proxies";
import { startPostgresql } from "../../../prisma/shadow-databases.mjs";
import type { Due } from "./outage-monitor";
import { playOutages } from "./play-outages";
import type { Outage } from "./play-outages";
import type { Question } from "../client";
import { scaled } from "../scenario";
import type { Figure, Scenario } from "../scenario";
import { withCleanup } from "../cleanup";

const connectSeconds = 2;
const statementSeconds = 3;
/** The longest waits of one request in sequence, doubled for a busy machine. */
const boundSeconds = 2 * (connectSeconds + statementSeconds + 1);

export const databaseStopped: Scenario = {
  slug: "database-stopped",
  promise:
    "A PostgreSQL that is stopped, crashes, is cut off or hangs makes requests fail with a reason and in time, loses nothing acknowledged, and needs no restart of the server.",
  inTests: false,
  run: (run) =>
    withCleanup(async (later): Promise<Figure[]> => {
      const postgresql = await startPostgresql();
      later(() => postgresql.stop());
      const databaseUrl = await postgresql.createDatabase();
      const way = new URL(databaseUrl);
      const gate = await startTcpGate({ host: way.hostname, port: Number(way.port) });
      later(gate.stop);
      way.port = String(gate.port);
      const kinds: Outage[] = [
        { name: "stopped", seconds: 2.5, leave: () => postgresql.halt(), comeBack: postgresql.resume },
        {
          name: "crashed",
          seconds: 2.5,
          leave: () => postgresql.halt({ crash: true }),
          comeBack: postgresql.resume,
        },
        // Long enough for every wait to time out.
        { name: "hangs", seconds: boundSeconds, leave: gate.hold, comeBack: gate.mend },
        { name: "cut off", seconds: 2.5, leave: gate.cut, comeBack: gate.mend },
      ];
      const count = scaled({ count: 8, scale: run.scale, least: 2 });
      return await playOutages({
        run,
        later,
        name: "PostgreSQL was away",
        dueOf,
        boundSeconds,
        outages: Array.from({ length: count }, (_, index) => kinds[index % kinds.length]!),
        site: {
          databaseUrl,
          env: {
            DATABASE_URL: way.href,
            DATABASE_CONNECT_SECONDS: String(connectSeconds),
            DATABASE_STATEMENT_SECONDS: String(statementSeconds),
          },
        },
      });
    }),
};

/** Without the database the server knows nothing, so it may grant nothing. */
function dueOf({ path }: Question): Due {
  return path === "/readyz" ? "either" : "refused";
}
