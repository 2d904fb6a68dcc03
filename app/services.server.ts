import { createDemoChain } from "~/demo/demo-chain.gateway.server";
import type { DemoChain } from "~/demo/demo-chain.gateway.server";
import { createChainClient } from "~/platform/chain/chain-client.server";
import { systemClock } from "~/platform/clock";
import type { Config } from "~/settings.server";
import { openBrand } from "~/platform/brand/open-brand.server";
import type { OpenedBrand } from "~/platform/brand/open-brand.server";
import { closeDatabase, openDatabase, readPool } from "~/platform/database/database.server";
import { migrateDatabase } from "~/platform/database/migrate.server";
import { describeMissingContent, makeDataDir } from "~/platform/folders.server";
import { isLoopbackName } from "~/platform/http/domains";
import { Refusal } from "~/platform/http/refusal";
import type { ServiceContext } from "~/platform/http/request-context.server";
import type { Log } from "~/platform/log.server";
import { createMetrics } from "~/platform/metrics.server";
import type { Metrics } from "~/platform/metrics.server";
import { createReadiness } from "~/platform/readiness.server";
import type { Readiness } from "~/platform/readiness.server";
import { openRedis } from "~/platform/redis/redis.server";
import { createInstanceId } from "~/platform/instance.server";
import { createSweepStore } from "~/platform/database/sweep.store.server";
import { createSweeper } from "~/platform/sweeper.server";
import type { Tracing } from "~/platform/tracing/tracing.server";
import { wireChat } from "~/services/chat.server";
import type { ChatServices } from "~/services/chat.server";
import { wireContent } from "~/services/content.server";
import type { ContentServices } from "~/services/content.server";
import { wireGate } from "~/services/gate.server";
import type { GateServices } from "~/services/gate.server";
import { withOperatorSweep, wireOperator } from "~/services/operator.server";
import type { OperatorServices } from "~/services/operator.server";
import { createServiceContext, openMetricsPort } from "~/services/serving.server";
import { listChecks } from "~/services/readiness.server";
import { wireRecording } from "~/services/recording.server";
import { wirePayments } from "~/services/payments.server";
import { wireOutbox } from "~/services/outbox.server";
import { wireLeases } from "~/services/leases.server";
import { wireQuota } from "~/services/quota.server";
import type { QuotaServices } from "~/services/quota.server";
import { wireSearch } from "~/services/search.server";
import { wireSpeech } from "~/services/speech.server";
import type { SpeechServices } from "~/services/speech.server";
import { createStateStores } from "~/services/state.server";
import { wireTools } from "~/services/tools.server";
import type { ToolServices } from "~/services/tools.server";
import { wireInstruments } from "~/services/instrument.server";

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
  /** Null where nobody follows requests. */
  tracing: Tracing | null;
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

type StartServicesOptions = {
  config: Config;
  port: number;
  log: Log;
  buildVersion: string;
};

/**
 * The only place where configuration becomes gateways, stores and use-cases. Migrates, connects and starts what
 * runs beside the requests; `stop` ends all of it.
 */
export async function startServices({
  config,
  port,
  log,
  buildVersion,
}: StartServicesOptions): Promise<Services> {
  const instance = createInstanceId();
  const { domains, origin } = resolveSite(config, port);
  const brand = await openBrand(config.brand, log);
  await makeDataDir(config.serving.dataDir);
  await migrateDatabase({ url: config.database.url, migrationsDir: "prisma/migrations", log });
  const ownMetrics = createMetrics();
  const instruments = await wireInstruments({ config, instance, metrics: ownMetrics, log });
  const database = await openDatabase({ ...config.database, watch: instruments.database, log });
  ownMetrics.watchDatabasePool(() => readPool(database));
  const redis =
    config.state.redis && (await openRedis({ ...config.state.redis, watch: instruments.redis, log }));
  const state = createStateStores({ database, redis, clock: systemClock, instance });
  const recording = wireRecording({ config, database, instance, log });
  const metrics = recording.watch(ownMetrics);
  const chain = createChainClient({
    rpcUrls: config.chain.rpcUrls,
    chainId: config.chain.id,
    ...instruments.chain,
  });
  const missingContent = await describeMissingContent(config.serving.contentDir);
  if (missingContent !== null) log.warn(missingContent);
  const content = await wireContent(config, log);
  const leases = wireLeases({ config, database, instance, metrics, log });
  const outbox = wireOutbox({ config, database, instance, metrics, log });
  const gate = await wireGate({
    config,
    domains,
    origin,
    database,
    nonces: state.nonces,
    chain,
    content,
    leases,
    outbox,
    metrics,
    log,
  });
  const quota = await wireQuota({ config, state, instruments, instance, log });
  const search = wireSearch({ config, gate, instruments, log });
  const payments = wirePayments({
    config,
    database,
    chain,
    gate,
    outbox,
    metrics,
    log,
    lease: leases.of("payments"),
  });
  const tools = wireTools({ config, domains, origin, gate, search, payments, instruments, log });
  const chat = wireChat({
    config,
    quota,
    tools,
    metrics,
    instruments,
    log,
    countTokens: recording.countTokens,
  });
  const speech = await wireSpeech({ config, quota, metrics, instruments, log });
  const sweeper = createSweeper({
    store: withOperatorSweep(createSweepStore(database), config, database),
    clock: systemClock,
    intervalSeconds: sweepIntervalSeconds,
    onFailure: (error) => log.warn({ err: error }, "sweep failed; it is retried in a minute"),
  });
  sweeper.start();
  outbox.sender.start();
  await leases.start();
  const metricsServer = await openMetricsPort(config, metrics, log);

  const readReadiness = createReadiness(listChecks({ database, redis, gate, chat, speech }), systemClock);
  const operator = wireOperator({
    config,
    database,
    redis,
    quotaWindows: state.quotaWindows,
    chain,
    gate,
    outbox,
    quota,
    search,
    recording,
    payments,
    readReadiness,
    log,
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
      tracing: instruments.tracing,
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
    demo: config.mode === "demo" ? createDemoChain(config.chain.rpcUrls[0]!) : null,
    metrics,
    tracing: instruments.tracing,
    readReadiness,
    operator,
    beginStop: chat.stop,
    stop: async () => {
      metricsServer?.close();
      await payments?.stop();
      const others = [gate, outbox.sender, search, speech, sweeper];
      await Promise.all(others.map((each) => each.stop()));
      // After those that settle what they had set aside.
      await quota.stop();
      await recording.stop();
      await leases.stop();
      await Promise.all([closeDatabase(database), redis?.close(), instruments.stop()]);
    },
  };
  return running;
}

/** Known before anything runs: where this server stands, as visitors call it. */
export function resolveSite(
  config: Config,
  port: number,
): {
  domains: string[];
  origin: string;
} {
  const domains = config.serving.domains ?? [`localhost:${port}`];
  const first = domains[0]!;
  const scheme = isLoopbackName(new URL(`http://${first}`).hostname) ? "http" : "https";
  return { domains, origin: config.serving.publicOrigin ?? `${scheme}://${first}` };
}
