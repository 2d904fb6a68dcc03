import { createHash } from "node:crypto";
import { Webhook } from "standardwebhooks";
import { closeDatabase, openDatabase } from "~/platform/database/database.server";
import { saying, startOpenAiServer } from "~e2e/support/providers/openai-server";
import type { Behaviour } from "~e2e/support/providers/openai-server";
import { startTcpGate } from "~e2e/support/providers/proxies";
import { startServer } from "~e2e/support/running-server";
import type { RunningServer } from "~e2e/support/running-server";
import { startWebhookReceiver } from "~e2e/support/providers/webhook-receiver";
import { startPostgresql } from "../../prisma/shadow-databases.mjs";
import { openGate } from "../api/gate-fixture";

export const resetSecret = "operator-secret-of-the-tests";
export const metricsToken = "metrics-token-for-0a1b2c3d4e5f";
export const leaseSeconds = 3;
/** Long enough that a new owner within `waitUntil`'s ten seconds was handed the lease. */
export const longLeaseSeconds = 30;
/** Other tests measure the speed of a start. */
const startLimitMs = 120_000;
const webhookSecret = `whsec_${createHash("sha256").update("instances").digest("base64")}`;

export type Site = Awaited<ReturnType<typeof openSite>>;

/**
 * Two servers on one PostgreSQL behind `origin`, with a chain, a model and a webhook receiver. The database connection
 * can be cut. The caller puts a proxy in front of the servers' ports.
 */
export async function openSite(origin: string, env: Record<string, string> = {}) {
  const postgresql = await startPostgresql();
  const databaseUrl = new URL(await postgresql.createDatabase());
  const directUrl = databaseUrl.href;
  const way = await startTcpGate({ host: databaseUrl.hostname, port: Number(databaseUrl.port) });
  databaseUrl.port = String(way.port);
  const greeting = saying("Hello ", "there.");
  let behaviour = greeting;
  const provider = await startOpenAiServer((call) => behaviour(call));
  const receiver = await startWebhookReceiver(new Webhook(webhookSecret));
  const settings = {
    DATABASE_URL: databaseUrl.href,
    LEASE_SECONDS: String(leaseSeconds),
    LOG_LEVEL: "info",
    NEXT_PUBLIC_DOMAIN: new URL(origin).host,
    PUBLIC_ORIGIN: origin,
    TRUST_PROXY: "loopback",
    AI_PROVIDER: "local",
    AI_BASE_URL: provider.baseUrl,
    NEXT_PUBLIC_AI_CHAT_REQUIRES_JWT: "true",
    AI_CHAT_MAX_OUTPUT_TOKENS: "30",
    AI_CHAT_QUOTA_TOKENS: "60",
    AI_QUOTA_RESET_SECRET: resetSecret,
    WEBHOOK_URL: receiver.url,
    WEBHOOK_SECRET: webhookSecret,
    METRICS_TOKEN: metricsToken,
    RATE_LIMIT_NONCE: "0",
    RATE_LIMIT_GATE_ACCESS: "0",
    RATE_LIMIT_FORM_SUBMISSION: "0",
    RATE_LIMIT_CHAT: "0",
    RATE_LIMIT_MCP: "0",
    RATE_LIMIT_MODELS: "0",
    RATE_LIMIT_QUOTA: "0",
    RATE_LIMIT_SESSION: "0",
    RATE_LIMIT_SESSION_ENTER: "0",
    RATE_LIMIT_QUOTA_RESET: "0",
    ...env,
  };
  const gate = await openGate({ env: settings, startLimitMs });
  const chainSettings = {
    RPC_URL: gate.chain.rpcUrl,
    KEY_CONTRACT_ADDRESS: gate.contract,
    CHAIN_POLL_SECONDS: "1",
    ...settings,
  };
  const startInstance = (own: Record<string, string> = {}) =>
    startServer({ env: { ...chainSettings, ...own }, startLimitMs });
  const servers: RunningServer[] = [gate.server, await startInstance()];
  const database = await openDatabase({ url: directUrl });

  return {
    /** Sets the model's behaviour. Null: its usual greeting. */
    setModel: (wanted: Behaviour | null) => (behaviour = wanted ?? greeting),
    gate,
    servers,
    receiver,
    way,
    database,
    startInstance,
    close: async () => {
      await Promise.all(servers.map((server) => server.stop()));
      await gate.close();
      await closeDatabase(database);
      await Promise.all([provider.close(), receiver.close(), way.stop()]);
      await postgresql.stop();
    },
  };
}

/** The leases of a server, by its metrics. */
export async function readLeases(server: Pick<RunningServer, "port">): Promise<Record<string, number>> {
  const response = await fetch(`http://127.0.0.1:${server.port}/metrics`, {
    headers: { Authorization: `Bearer ${metricsToken}` },
  });
  const found = (await response.text()).matchAll(/^latchkey_lease_held\{lease="(\w+)"\} (\d)$/gm);
  return Object.fromEntries([...found].map(([, name, value]) => [name!, Number(value)]));
}
