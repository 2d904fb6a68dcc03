import type { Server } from "node:http";
import type { Database } from "~/platform/database/database.server";
import { createDemoChain } from "~/demo/demo-chain.gateway.server";
import type { DemoChain } from "~/demo/demo-chain.gateway.server";
import { createChainClient } from "~/platform/chain/chain-client.server";
import { systemClock } from "~/platform/clock";
import type { Config, RateLimitName } from "~/platform/config/config.server";
import { closeDatabase, findDatabaseFault, openDatabase } from "~/platform/database/database.server";
import { migrateDatabase } from "~/platform/database/migrate.server";
import { describeMissingContent, makeDataDir } from "~/platform/folders.server";
import { isLoopbackName, originHost } from "~/platform/http/domains";
import { listen } from "~/platform/http/http-server.server";
import { Refusal } from "~/platform/http/refusal";
import type { ServiceContext } from "~/platform/http/request-context.server";
import { createRateLimiter } from "~/platform/limits/rate-limiter.server";
import type { RateLimiter } from "~/platform/limits/rate-limiter.server";
import { createRateLimitStore } from "~/platform/limits/rate-limits.store.server";
import type { Log } from "~/platform/log.server";
import { createMetrics } from "~/platform/metrics.server";
import type { Metrics } from "~/platform/metrics.server";
import { createMetricsServer } from "~/platform/metrics-access.server";
import { createReadiness } from "~/platform/readiness.server";
import type { Readiness } from "~/platform/readiness.server";
import { createSweepStore } from "~/platform/database/sweep.store.server";
import { createSweeper } from "~/platform/sweeper.server";
import { wireChat } from "~/services/chat.server";
import type { ChatServices } from "~/services/chat.server";
import { wireContent } from "~/services/content.server";
import type { ContentServices } from "~/services/content.server";
import { wireGate } from "~/services/gate.server";
import type { GateServices } from "~/services/gate.server";
import { wirePayments } from "~/services/payments.server";
import { wireLeases } from "~/services/leases.server";
import { wireQuota } from "~/services/quota.server";
import type { QuotaServices } from "~/services/quota.server";
import { wireSearch } from "~/services/search.server";
import { wireSpeech } from "~/services/speech.server";
import type { SpeechServices } from "~/services/speech.server";
import { wireTools } from "~/services/tools.server";
import type { ToolServices } from "~/services/tools.server";

export type Services = {
  config: Config;
  /** The service's own origin. */
  origin: string;
  context: ServiceContext;
  gate: GateServices;
  content: ContentServices;
  quota: QuotaServices;
  chat: ChatServices;
  tools: ToolServices;
  speech: SpeechServices;
  demo: DemoChain | null;
  metrics: Metrics;
  readReadiness: () => Promise<Readiness>;
  /** At the first sign of a stop: what streams ends with a last event. */
  beginStop: () => void;
  stop: () => Promise<void>;
};

const databasePingMs = 2000;
const sweepIntervalSeconds = 60;

let running: Services | undefined;

/** The running service. Routes ask for it when they are called, never when they are loaded. */
export function getServices(): Services {
  if (!running) throw new Error("The services have not been started.");
  return running;
}

/** Part of the demo only; elsewhere these addresses do not exist. */
export function requireDemo(): DemoChain {
  const { demo } = getServices();
  if (!demo) throw new Refusal("not-found");
  return demo;
}

/**
 * The only place where configuration becomes gateways, stores and use-cases. Migrates, connects and starts what
 * runs beside the requests; `stop` ends all of it.
 */
export async function startServices({
  config,
  port,
  log,
}: {
  config: Config;
  port: number;
  log: Log;
}): Promise<Services> {
  const { domains, origin } = resolvePlace({ config, port });
  await makeDataDir(config.serving.dataDir);
  await migrateDatabase({ url: config.database.url, migrationsDir: "prisma/migrations", log });
  const database = await openDatabase({ ...config.database, log });
  const metrics = createMetrics();
  const chain = createChainClient({
    rpcUrls: config.chain.rpcUrls,
    chainId: config.chain.id,
    ...watchChain({ metrics, log }),
  });
  const missingContent = await describeMissingContent(config.serving.contentDir);
  if (missingContent !== null) log.warn(missingContent);
  const content = await wireContent({ config, log });
  const { keeper: leases, mayWork } = wireLeases({ config, database, metrics, log });
  const gate = await wireGate({ config, domains, origin, database, chain, content, leases, metrics, log });
  const quota = await wireQuota({ config, database, log });
  const search = wireSearch({ config, log });
  const payments = wirePayments({ config, database, chain, gate, quota, log });
  const tools = wireTools({ config, domains, origin, gate, search, payments, log });
  const chat = wireChat({ config, gate, quota, tools, log });
  const speech = await wireSpeech({ config, gate, quota, log });
  const sweeper = createSweeper({
    store: createSweepStore({ database }),
    clock: systemClock,
    intervalSeconds: sweepIntervalSeconds,
    onFailure: (error) => log.warn({ err: error }, "sweeping failed; the next sweep tries again"),
    mayWork: () => mayWork("sweeper"),
  });
  sweeper.start();
  await leases.start();
  const metricsServer = await openMetricsPort({ config, metrics, log });

  running = {
    config,
    origin,
    context: createServiceContext({ config, domains, origin, database, metrics, log }),
    gate,
    content,
    quota,
    chat,
    tools,
    speech,
    demo: config.mode === "demo" ? createDemoChain({ rpcUrl: config.chain.rpcUrls[0]! }) : null,
    metrics,
    readReadiness: createReadiness({
      clock: systemClock,
      checks: {
        database: {
          required: true,
          ask: () => findDatabaseFault({ database, timeoutMs: databasePingMs }),
          whenDown: "The database could not be asked.",
        },
        chain: {
          required: true,
          ask: gate.findContractFault,
          whenDown: "No RPC endpoint of the configured chain answered.",
        },
        provider: {
          required: false,
          ask: chat.pingProvider,
          whenDown: "The model provider did not answer in time.",
        },
      },
    }),
    beginStop: chat.stop,
    stop: async () => {
      metricsServer?.close();
      await payments?.stop();
      await Promise.all([gate.stop(), quota.stop(), search.stop(), speech.stop(), sweeper.stop()]);
      await leases.stop();
      await closeDatabase(database);
    },
  };
  return running;
}

function resolvePlace({ config, port }: { config: Config; port: number }): {
  domains: string[];
  origin: string;
} {
  const domains = config.serving.domains ?? [`localhost:${port}`];
  const first = domains[0]!;
  const scheme = isLoopbackName(new URL(`http://${first}`).hostname) ? "http" : "https";
  return { domains, origin: config.serving.publicOrigin ?? `${scheme}://${first}` };
}

function createServiceContext({
  config,
  domains,
  origin,
  database,
  metrics,
  log,
}: {
  config: Config;
  domains: readonly string[];
  origin: string;
  database: Database;
  metrics: Metrics;
  log: Log;
}): ServiceContext {
  const limiters = new Map<RateLimitName, RateLimiter>();
  const store = createRateLimitStore({ database });
  for (const [name, limit] of Object.entries(config.limits) as [
    RateLimitName,
    Config["limits"][RateLimitName],
  ][]) {
    if (!limit) continue;
    const limiter = createRateLimiter({
      store,
      name,
      ...limit,
      algorithm: name === "nonce" ? "sliding" : "fixed",
      clock: systemClock,
      onStoreFailure: (error) => {
        metrics.countLimiterStoreFailure(name);
        log.warn({ limit: name, err: error }, "rate limits are kept in process: their store cannot be asked");
      },
    });
    limiters.set(name, limiter);
  }
  return {
    origin,
    isAllowedOrigin: (candidate) => {
      const host = originHost(candidate);
      return host !== null && (domains.includes(host) || config.serving.corsOrigins.includes(candidate));
    },
    consumeLimit: async ({ name, clientId }) => (await limiters.get(name)?.consume(clientId)) ?? null,
    countRefusal: metrics.countRefusal,
    publicSettings: {
      mode: config.mode,
      appName: "Latchkey",
      chainId: config.chain.id,
      contractAddress: config.chain.contractAddress,
      keyStandard: config.chain.standard,
      rpcUrlForBrowser: config.mode === "demo" ? "/demo/rpc" : null,
    },
  };
}

async function openMetricsPort({
  config,
  metrics,
  log,
}: {
  config: Config;
  metrics: Metrics;
  log: Log;
}): Promise<Server | null> {
  if (config.serving.metricsPort === null) return null;
  const server = createMetricsServer({ render: metrics.render });
  const port = await listen({ server, host: "127.0.0.1", port: config.serving.metricsPort });
  log.info({ port }, "metrics are served on their own port");
  return server;
}

/** Every request to the chain is counted; an endpoint that fails or recovers is named once. */
function watchChain({ metrics, log }: { metrics: Metrics; log: Log }) {
  return {
    onAnswer: metrics.observeRpcCall,
    onFault: (fault: { endpoint: string; reason: string }) => log.warn(fault, "a chain endpoint failed"),
  };
}
