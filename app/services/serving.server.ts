import type { Server } from "node:http";
import type { OpenedBrand } from "~/platform/brand/open-brand.server";
import { systemClock } from "~/platform/clock";
import type { RateLimit, RateLimitName } from "~/platform/limits/limit-name";
import type { Config } from "~/settings.server";
import { createOriginCheck } from "~/platform/http/domains";
import { listen } from "~/platform/http/http-server.server";
import type { ServiceContext } from "~/platform/http/request-context.server";
import { createRateLimiter } from "~/platform/limits/rate-limiter.server";
import type { RateLimiter } from "~/platform/limits/rate-limiter.server";
import type { RateLimitStore } from "~/platform/limits/rate-limits.store.server";
import type { Log } from "~/platform/log.server";
import type { Metrics } from "~/platform/metrics.server";
import { createMetricsServer } from "~/platform/metrics-access.server";
import type { Tracing } from "~/platform/tracing/tracing.server";
import type { Recording } from "./recording.server";
import { describeWallets } from "./wallets.server";

type CreateServiceContextOptions = {
  config: Config;
  domains: readonly string[];
  origin: string;
  brand: OpenedBrand;
  limits: RateLimitStore;
  metrics: Metrics;
  tracing: Tracing | null;
  recording: Recording;
  log: Log;
};

export function createServiceContext({
  config,
  domains,
  origin,
  brand,
  limits,
  metrics,
  tracing,
  recording,
  log,
}: CreateServiceContextOptions): ServiceContext {
  const limiters = new Map<RateLimitName, RateLimiter>();
  for (const [name, limit] of Object.entries(config.limits) as [RateLimitName, RateLimit][]) {
    if (!limit) continue;
    const limiter = createRateLimiter({
      store: limits,
      name,
      ...limit,
      algorithm: name === "nonce" ? "sliding" : "fixed",
      clock: systemClock,
      onStoreFailure: (error) => {
        metrics.countLimiterStoreFailure(name);
        log.warn({ limit: name, err: error }, "rate limit store unavailable; limits are kept in memory");
      },
      onForgotten: () => metrics.countForgottenClient(name),
    });
    limiters.set(name, limiter);
  }
  return {
    origin,
    isAllowedOrigin: createOriginCheck(domains, config.serving.corsOrigins),
    consumeLimit: async ({ name, clientId }) => (await limiters.get(name)?.consume(clientId)) ?? null,
    countRefusal: tracing
      ? (slug) => {
          metrics.countRefusal(slug);
          tracing.noteRefusal(slug);
        }
      : metrics.countRefusal,
    brand: brand.brand,
    noteAccess: recording.noteAccess,
    publicSettings: {
      mode: config.mode,
      appName: config.brand.name,
      chainId: config.chain.id,
      contractAddress: config.chain.contractAddress,
      keyStandard: config.chain.standard,
      rpcUrlForBrowser: config.mode === "demo" ? "/demo/rpc" : null,
      wallets: describeWallets(config, origin),
    },
  };
}

export async function openMetricsPort(config: Config, metrics: Metrics, log: Log): Promise<Server | null> {
  if (config.serving.metricsPort === null) return null;
  const server = createMetricsServer(metrics.render);
  const port = await listen(server, "127.0.0.1", config.serving.metricsPort);
  log.info({ port }, "metrics are served on their own port");
  return server;
}
