import path from "node:path";
import { createRecording } from "~/operator/activity/create-recording.server";
import { openBrand } from "~/platform/brand/open-brand.server";
import { createChainClients } from "~/platform/chain/chain-clients.server";
import { systemClock } from "~/platform/time/clock";
import { openDatabase, readPool } from "~/platform/database/database.server";
import { migrateDatabase } from "~/platform/database/migrate.server";
import { makeDataDir } from "~/platform/instance/folders.server";
import { installationDir } from "~/platform/config/installation.server";
import { createOriginCheck, isLoopbackName } from "~/platform/config/domains";
import { createInstanceId } from "~/platform/instance/instance.server";
import { createLeaseKeeper } from "~/platform/leases/lease-keeper.server";
import { createLeaseStore } from "~/platform/leases/leases.store.server";
import { openLimiter } from "~/platform/limits/rate-limiter.server";
import type { Log } from "~/platform/log/log.server";
import { createMetrics } from "~/platform/metrics/metrics.server";
import { openRedis } from "~/platform/redis/redis.server";
import type { Config } from "~/settings.server";
import { createInstruments } from "./instrument.server";
import { createStateStores } from "./state.server";

export type Foundation = Awaited<ReturnType<typeof openFoundation>>;

/** Migrates and opens what all features share. */
export async function openFoundation(config: Config, port: number, log: Log) {
  const instance = createInstanceId();
  const brand = await openBrand({ ...config.brand, hasChat: config.chat.isOn }, log);
  await makeDataDir(config.serving.dataDir);
  const migrationsDir = path.join(installationDir, "prisma/migrations");
  await migrateDatabase({ url: config.database.url, migrationsDir, log });
  const ownMetrics = createMetrics();
  const instruments = await createInstruments({ config, instance, metrics: ownMetrics, log });
  const database = await openDatabase({ ...config.database, instrument: instruments.database, log });
  ownMetrics.observeDatabasePool(() => readPool(database));
  const redis =
    config.state.redis && (await openRedis({ ...config.state.redis, instrument: instruments.redis, log }));
  const chains = createChainClients(
    config.chains.map(({ id: chainId, rpcUrls }) => ({ chainId, rpcUrls })),
    instruments.chain,
  );
  const recording = createRecording({
    isOn: config.operator.secret !== null,
    keepsDecisions: config.operator.decisionDays > 0,
    areKindsNamed: config.keys.areNamed,
    database,
    instance,
    log,
  });
  const metrics = recording.instrumentMetrics(ownMetrics);
  const state = createStateStores({ database, redis, clock: systemClock, instance });
  const leases = createLeaseKeeper({
    store: createLeaseStore(database),
    owner: instance,
    leaseSeconds: config.database.leaseSeconds,
    log,
  });
  metrics.observeLeases(leases.readHeld);
  const { domains, origin } = resolveSite(config, port);
  return {
    site: { domains, origin, isAllowedOrigin: createOriginCheck(domains, config.serving.corsOrigins) },
    config,
    instance,
    brand,
    database,
    redis,
    state,
    chains,
    metrics,
    /** Null if kinds of keys have no names. */
    keyMetrics: config.keys.areNamed ? ownMetrics.openKeyMetrics() : null,
    instruments,
    recording,
    /** Features add the leases of their work; none is acquired before `start`. */
    leases,
    openLimiter: (limit: Parameters<typeof openLimiter>[1]) =>
      openLimiter({ store: state.limits, metrics, log }, limit),
    log,
  };
}

/** The service's own origin and domains, known before anything runs. */
export function resolveSite({ serving }: Config, port: number): { domains: string[]; origin: string } {
  const domains = serving.domains ?? [`localhost:${port}`];
  const first = domains[0]!;
  const scheme = isLoopbackName(new URL(`http://${first}`).hostname) ? "http" : "https";
  return { domains, origin: serving.publicOrigin ?? `${scheme}://${first}` };
}
