import { createHash, randomInt } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import os from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import type { ChildProcess } from "node:child_process";
import { Webhook } from "standardwebhooks";
import { closeDatabase, openDatabase } from "~/platform/database/database.server";
import type { Database } from "~/platform/database/database.server";
import { startOpenAiServer } from "~e2e/support/providers/openai-server";
import type { CompletionCall } from "~e2e/support/providers/openai-server";
import { waitUntil } from "~e2e/support/processes";
import { startServer } from "~e2e/support/running-server";
import type { RunningServer } from "~e2e/support/running-server";
import { startWebhookReceiver } from "~e2e/support/providers/webhook-receiver";
import { deployKeyContract, startLocalChain } from "../../contracts/local-chain.mjs";
import { createClient } from "./client";
import type { Exchange } from "./client";
import { createKeyRing } from "./key-ring";
import type { Random } from "./random";
import type { Later } from "./cleanup";

export type LoadSite = Awaited<ReturnType<typeof openLoadSite>>;

export const resetSecret = "operator-secret-of-the-faults";
/** The charge for a whole reply, and for an unfinished one. A sum tells them apart. */
export const answerTokens = 3;
export const reservedTokens = 100_000;
/** Longer than any limit of the service. A longer request counts as hung. */
const hungAfterMs = 20_000;
/** By then a server has settled a killed one's reservations: LEASE_SECONDS without a heartbeat, and its next checks. */
export const orphansSettledAfterMs = 4_000;

const webhookSecret = `whsec_${createHash("sha256").update("faults").digest("base64")}`;
/** Other tests measure the speed of a start. Hundreds of starts in a row meet any load. */
const startLimitMs = 120_000;
const outboxDrainsWithinMs = 60_000;

/** Limits are off except one that is never reached, which keeps its store busy. */
const faultSettings = {
  CHAIN_POLL_SECONDS: "1",
  LEASE_SECONDS: "2",
  JWT_ACCESS_TTL: "86400",
  AI_PROVIDER: "local",
  NEXT_PUBLIC_AI_CHAT_REQUIRES_JWT: "true",
  AI_CHAT_MAX_OUTPUT_TOKENS: String(reservedTokens),
  AI_CHAT_QUOTA_TOKENS: "1000000000",
  AI_QUOTA_RESET_SECRET: resetSecret,
  WEBHOOK_SECRET: webhookSecret,
  RATE_LIMIT_NONCE: "0",
  RATE_LIMIT_GATE_ACCESS: "0",
  RATE_LIMIT_FORM_SUBMISSION: "0",
  RATE_LIMIT_CHAT: "0",
  RATE_LIMIT_MCP: "0",
  RATE_LIMIT_MODELS: "0",
  RATE_LIMIT_QUOTA: "0",
  RATE_LIMIT_QUOTA_RESET: "0",
  RATE_LIMIT_TOKEN_STATUS: "1000000/60",
};

type OpenLoadSiteOptions = {
  later: Later;
  random: Random;
  env?: Record<string, string | undefined>;
  dataDir?: string;
  /** PostgreSQL as the final checks reach it. The server may use another address. */
  databaseUrl?: string;
  onExchange?: (exchange: Exchange) => void;
};

/** A server under fault and its surroundings. The server keeps its port across restarts. */
export async function openLoadSite({
  later,
  random,
  env = {},
  dataDir: givenDataDir,
  databaseUrl,
  onExchange = () => undefined,
}: OpenLoadSiteOptions) {
  const chain = await startLocalChain();
  later(chain.stop);
  const contract = await deployKeyContract({ rpcUrl: chain.rpcUrl });
  const provider = await startOpenAiServer((call) => answerSlowly(call, random));
  later(provider.close);
  const receiver = await openMoodyReceiver();
  later(receiver.close);
  const dataDir = givenDataDir ?? (await mkdtemp(path.join(os.tmpdir(), "latchkey-faults-")));
  if (givenDataDir === undefined) later(() => rm(dataDir, { recursive: true, force: true }));
  const port = await findLastingPort();
  const client = createClient({ port, timeoutMs: hungAfterMs, onExchange });
  later(client.close);
  let running: RunningServer | null = null;
  later(() => running?.kill());

  const settings: Record<string, string | undefined> = {
    ...faultSettings,
    RPC_URL: chain.rpcUrl,
    KEY_CONTRACT_ADDRESS: contract.address,
    PORT: String(port),
    AI_BASE_URL: provider.baseUrl,
    WEBHOOK_URL: receiver.url,
    DATABASE_URL: databaseUrl,
    ...env,
  };
  const records = openRecords(databaseUrl ?? pathToFileURL(path.join(dataDir, "latchkey.db")).href);

  async function start(onSpawn?: (child: ChildProcess) => void): Promise<RunningServer> {
    running = await startServer({ env: settings, dataDir, onSpawn, startLimitMs });
    return running;
  }

  return {
    chain,
    contract: contract.address,
    provider,
    receiver,
    dataDir,
    databaseUrl,
    settings,
    port,
    requests: client,
    gate: { origin: `http://localhost:${port}`, chainId: 31337 },
    keys: createKeyRing(chain.rpcUrl, contract.address),
    /** The latest server. */
    running: () => running!,
    start,
    ...records,
    /** Skips the outbox's waits: a dead sender's claims last 90 seconds, and its retries up to hours. */
    shortenOutboxWaits(): Promise<void> {
      receiver.calmDown();
      return records.endOutboxWaits();
    },
  };
}

/** Reads the server's records from outside, whether or not it runs. */
function openRecords(url: string) {
  async function withDatabase<T>(work: (database: Database) => Promise<T>): Promise<T> {
    const database = await openDatabase({ url });
    try {
      return await work(database);
    } finally {
      await closeDatabase(database);
    }
  }

  async function endOutboxWaits(): Promise<void> {
    await withDatabase((database) =>
      database.notificationDelivery.updateMany({
        where: { deliveredAtMs: null },
        data: { nextAttemptAtMs: BigInt(Date.now()), claimedUntilMs: null, claimedBy: null },
      }),
    );
  }

  /** Waits until nothing is pending. The final checks count a delivery that stays. */
  async function drainOutbox(): Promise<void> {
    await withDatabase(async (database) => {
      const isDrained = async () =>
        (await database.notificationDelivery.count({ where: { deliveredAtMs: null } })) === 0;
      await waitUntil(isDrained, { timeoutMs: outboxDrainsWithinMs, everyMs: 200 }).catch(() => undefined);
    });
  }

  return { withDatabase, endOutboxWaits, drainOutbox };
}

async function answerSlowly(call: CompletionCall, random: Random): Promise<void> {
  await call.delta({ role: "assistant", content: "" });
  for (let said = 0; said < answerTokens; said += 1) {
    await call.text("word");
    await delay(random.between(0, 20));
  }
  await call.finish();
}

/** Fails sometimes, as receivers do, until `calmDown` is called. */
async function openMoodyReceiver() {
  let isCalm = false;
  const taken = new Set<number>();
  const receiver = await startWebhookReceiver(new Webhook(webhookSecret), ({ response, count }) => {
    const fails = !isCalm && count % 7 === 0;
    if (!fails) taken.add(count - 1);
    response.writeHead(fails ? 500 : 204).end();
  });
  return {
    url: receiver.url,
    close: receiver.close,
    calmDown: () => (isCalm = true),
    all: () => receiver.received,
    /** Events it acknowledged, repetitions included. */
    taken: () => receiver.received.filter((_, index) => taken.has(index)),
  };
}

/** Below the ephemeral ports, so it stays free while the server is away. Not seeded, because runs may overlap. */
async function findLastingPort(): Promise<number> {
  for (;;) {
    const port = randomInt(15_000, 30_000);
    const isFree = await new Promise<boolean>((resolve) => {
      const probe = createServer()
        .once("error", () => resolve(false))
        .listen(port, "127.0.0.1", () => probe.close(() => resolve(true)));
    });
    if (isFree) return port;
  }
}
