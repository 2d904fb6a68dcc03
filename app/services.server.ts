import type { Server } from "node:http";
import { createDemoChain } from "~/demo/demo-chain.gateway.server";
import type { DemoChain } from "~/demo/demo-chain.gateway.server";
import { createChainClient } from "~/platform/chain/chain-client.server";
import { systemClock } from "~/platform/clock";
import type { Config, RateLimitName } from "~/platform/config/config.server";
import { openBrand } from "~/platform/brand/open-brand.server";
import type { OpenedBrand } from "~/platform/brand/open-brand.server";
import { closeDatabase, openDatabase } from "~/platform/database/database.server";
import { migrateDatabase } from "~/platform/database/migrate.server";
import { describeMissingContent, makeDataDir } from "~/platform/folders.server";
import { isLoopbackName, originHost } from "~/platform/http/domains";
import { listen } from "~/platform/http/http-server.server";
import { Refusal } from "~/platform/http/refusal";
import type { ServiceContext } from "~/platform/http/request-context.server";
import { createRateLimiter } from "~/platform/limits/rate-limiter.server";
import type { RateLimiter } from "~/platform/limits/rate-limiter.server";
import type { RateLimitStore } from "~/platform/limits/rate-limits.store.server";
import type { Log } from "~/platform/log.server";
import { createMetrics } from "~/platform/metrics.server";
import type { Metrics } from "~/platform/metrics.server";
import { createMetricsServer } from "~/platform/metrics-access.server";
import { createReadiness } from "~/platform/readiness.server";
import type { Readiness } from "~/platform/readiness.server";
import { openRedis } from "~/platform/redis/redis.server";
import { nameInstance } from "~/quota/instance.server";
import { createSweepStore } from "~/platform/database/sweep.store.server";
import { createSweeper } from "~/platform/sweeper.server";
import { wireChat } from "~/services/chat.server";
import type { ChatServices } from "~/services/chat.server";
import { wireContent } from "~/services/content.server";
import type { ContentServices } from "~/services/content.server";
import { wireGate } from "~/services/gate.server";
import type { GateServices } from "~/services/gate.server";
import { withOperatorSweep, wireOperator } from "~/services/operator.server";
import type { OperatorServices } from "~/services/operator.server";
import { listChecks } from "~/services/readiness.server";
import { wireRecording } from "~/services/recording.server";
import type { Recording } from "~/services/recording.server";
import { wirePayments } from "~/services/payments.server";
import { wireLeases } from "~/services/leases.server";
import { wireQuota } from "~/services/quota.server";
import type { QuotaServices } from "~/services/quota.server";
import { wireSearch } from "~/services/search.server";
import { wireSpeech } from "~/services/speech.server";
import type { SpeechServices } from "~/services/speech.server";
import { createStateStores } from "~/services/state.server";
import { wireTools } from "~/services/tools.server";
import type { ToolServices } from "~/services/tools.server";
import { describeWallets } from "~/services/wallets.server";

export type Services = {
  config: Config;
  /** The service's own origin. */
  origin: string;
  context: ServiceContext;
  brand: OpenedBrand;
  /** Changes with every build that changes what browsers get. */
  buildVersion: string;
  gate: GateServices;
  content: ContentServices;
  quota: QuotaServices;
  chat: ChatServices;
  tools: ToolServices;
  speech: SpeechServices;
  demo: DemoChain | null;
  metrics: Metrics;
  readReadiness: () => Promise<Readiness>;
  operator: OperatorServices;
  /** At the first sign of a stop: what streams ends with a last event. */
  beginStop: () => void;
  stop: () => Promise<void>;
};

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

/** As for the demo: where no secret is set for the operator's view, its addresses do not exist. */
export function requireOperatorService(): NonNullable<OperatorServices> {
  const { operator } = getServices();
  if (!operator) throw new Refusal("not-found", { detail: "The operator's view is switched off here." });
  return operator;
}

/**
 * The only place where configuration becomes gateways, stores and use-cases. Migrates, connects and starts what
 * runs beside the requests; `stop` ends all of it.
 */
export async function startServices({
  config,
  port,
  log,
  buildVersion,
}: {
  config: Config;
  port: number;
  log: Log;
  buildVersion: string;
}): Promise<Services> {
  const { domains, origin } = resolvePlace({ config, port });
  const brand = await openBrand({ options: config.brand, log });
  await makeDataDir(config.serving.dataDir);
  await migrateDatabase({ url: config.database.url, migrationsDir: "prisma/migrations", log });
  const database = await openDatabase({ ...config.database, log });
  const redis = config.state.redis && (await openRedis({ ...config.state.redis, log }));
  const instance = nameInstance();
  const state = createStateStores({ database, redis, clock: systemClock, instance });
  const recording = wireRecording({ config, database, log });
  const metrics = recording.watch(createMetrics());
  const chain = createChainClient({
    rpcUrls: config.chain.rpcUrls,
    chainId: config.chain.id,
    ...watchChain({ metrics, log }),
  });
  const missingContent = await describeMissingContent(config.serving.contentDir);
  if (missingContent !== null) log.warn(missingContent);
  const content = await wireContent({ config, log });
  const { keeper: leases, mayWork } = wireLeases({ config, database, metrics, log });
  const gate = await wireGate({
    ...{ config, domains, origin, database, nonces: state.nonces, chain, content, leases, metrics, log },
  });
  const quota = await wireQuota({ config, state, instance, log });
  const search = wireSearch({ config, gate, log });
  const payments = wirePayments({ config, database, chain, gate, quota, log });
  const tools = wireTools({ config, domains, origin, gate, search, payments, log });
  const chat = wireChat({ config, gate, quota, tools, countTokens: recording.countTokens, log });
  const speech = await wireSpeech({ config, gate, quota, log });
  const sweeper = createSweeper({
    store: withOperatorSweep({ store: createSweepStore({ database }), config, database }),
    clock: systemClock,
    intervalSeconds: sweepIntervalSeconds,
    onFailure: (error) => log.warn({ err: error }, "sweeping failed; the next sweep tries again"),
    mayWork: () => mayWork("sweeper"),
  });
  sweeper.start();
  await leases.start();
  const metricsServer = await openMetricsPort({ config, metrics, log });

  const readReadiness = createReadiness({
    clock: systemClock,
    checks: listChecks({ database, redis, gate, chat, speech }),
  });
  const operator = wireOperator({
    ...{ config, database, redis, quotaWindows: state.quotaWindows, chain, gate, quota, search },
    ...{ recording, readReadiness, log },
  });

  running = {
    config,
    origin,
    context: createServiceContext({
      config,
      domains,
      origin,
      brand,
      limits: state.limits,
      metrics,
      recording,
      log,
    }),
    brand,
    buildVersion,
    gate,
    content,
    quota,
    chat,
    tools,
    speech,
    demo: config.mode === "demo" ? createDemoChain({ rpcUrl: config.chain.rpcUrls[0]! }) : null,
    metrics,
    readReadiness,
    operator,
    beginStop: chat.stop,
    stop: async () => {
      metricsServer?.close();
      await payments?.stop();
      await Promise.all([gate.stop(), quota.stop(), search.stop(), speech.stop(), sweeper.stop()]);
      await recording.stop();
      await leases.stop();
      await Promise.all([closeDatabase(database), redis?.close()]);
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
  brand,
  limits,
  metrics,
  recording,
  log,
}: {
  config: Config;
  domains: readonly string[];
  origin: string;
  brand: OpenedBrand;
  limits: RateLimitStore;
  metrics: Metrics;
  recording: Recording;
  log: Log;
}): ServiceContext {
  const limiters = new Map<RateLimitName, RateLimiter>();
  for (const [name, limit] of Object.entries(config.limits) as [
    RateLimitName,
    Config["limits"][RateLimitName],
  ][]) {
    if (!limit) continue;
    const limiter = createRateLimiter({
      store: limits,
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
    brand: brand.brand,
    noteAccess: recording.noteAccess,
    publicSettings: {
      mode: config.mode,
      appName: config.brand.name,
      chainId: config.chain.id,
      contractAddress: config.chain.contractAddress,
      keyStandard: config.chain.standard,
      rpcUrlForBrowser: config.mode === "demo" ? "/demo/rpc" : null,
      wallets: describeWallets({ config, origin }),
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
