import { findDatabaseFault } from "~/platform/database/database.server";
import type { Database } from "~/platform/database/database.server";
import type { ReadinessCheck } from "~/platform/readiness.server";
import type { Redis } from "~/platform/redis/redis.server";
import type { ChatServices } from "./chat.server";
import type { GateServices } from "./gate.server";
import type { SpeechServices } from "./speech.server";

const databasePingMs = 2000;

type Dependencies = {
  database: Database;
  redis: Pick<Redis, "findFault"> | null;
  gate: Pick<GateServices, "findContractFault" | "judgeWatcherAge">;
  chat: Pick<ChatServices, "pingProvider">;
  speech: Pick<SpeechServices, "pingProvider">;
};

/** What the service depends on, each asked in the way that shows best whether it does its work. */
export function listChecks(dependencies: Dependencies): Record<string, ReadinessCheck> {
  const { database, redis, gate, chat, speech } = dependencies;
  return {
    database: {
      required: true,
      ask: () => findDatabaseFault(database, databasePingMs),
      whenDown: "The database could not be asked.",
    },
    // Without it nobody signs in and nothing that is counted is answered.
    ...(redis && {
      redis: { required: true, ask: redis.findFault, whenDown: "Redis could not be asked." },
    }),
    chain: {
      required: true,
      ask: gate.findContractFault,
      whenDown: "No RPC endpoint of the configured chain answered.",
    },
    // Requests go on to read the chain themselves.
    watcher: {
      required: false,
      ask: gate.judgeWatcherAge,
      whenDown: "The database could not be asked when the transfers of keys were last read.",
    },
    provider: {
      required: false,
      ask: chat.pingProvider,
      whenDown: "The model provider did not answer in time.",
    },
    ...(speech.pingProvider && {
      speech: {
        required: false,
        ask: speech.pingProvider,
        whenDown: "The provider of speech did not answer in time.",
      },
    }),
  };
}
