import type { Server } from "node:http";
import { trace } from "@opentelemetry/api";
import { firstKind } from "~/gate/kinds/kind";
import { listen } from "~/platform/http/connection/http-server.server";
import type { ServiceContext } from "~/platform/http/request-context.server";
import type { RateLimitName } from "~/platform/limits/limit-name";
import type { ConfiguredLimit } from "~/platform/limits/limits.settings";
import type { RateLimiter } from "~/platform/limits/rate-limiter.server";
import { createMetricsServer } from "~/platform/metrics/metrics-access.server";
import type { Foundation } from "./foundation.server";
import { describeWallets } from "~/gate/wallets.settings";

export function createServiceContext(foundation: Foundation): ServiceContext {
  const { config, site, brand, metrics, keyMetrics, recording } = foundation;
  const { origin } = site;
  const limiters = createLimiters(foundation);
  const { chainId, contract, standard } = firstKind(config.keys);
  return {
    origin,
    isAllowedOrigin: site.isAllowedOrigin,
    consumeLimit: async ({ name, clientId }) => (await limiters.get(name)?.consume(clientId)) ?? null,
    countRefusal: ({ slug, unmet }) => {
      metrics.countRefusal(slug);
      trace.getActiveSpan()?.setAttribute("latchkey.refusal", slug);
      if (unmet) keyMetrics?.countUnmet(unmet);
    },
    brand: brand.brand,
    noteAccess: recording.noteAccess,
    publicSettings: {
      mode: config.mode,
      appName: config.brand.name,
      chainId,
      contractAddress: contract,
      keyStandard: standard,
      rpcUrlForBrowser: config.mode === "demo" ? "/demo/rpc" : null,
      wallets: describeWallets(config.wallets, { origin, chainId, isDemo: config.mode === "demo" }),
    },
  };
}

function createLimiters({ config, openLimiter }: Foundation): Map<RateLimitName, RateLimiter> {
  const limiters = new Map<RateLimitName, RateLimiter>();
  for (const [name, limit] of Object.entries(config.limits) as [RateLimitName, ConfiguredLimit][]) {
    if (limit) limiters.set(name, openLimiter({ name, ...limit }));
  }
  return limiters;
}

export async function openMetricsPort({ config, metrics, log }: Foundation): Promise<Server | null> {
  if (config.serving.metricsPort === null) return null;
  const server = createMetricsServer(metrics.render);
  const port = await listen(server, "127.0.0.1", config.serving.metricsPort);
  log.info({ port }, "metrics port opened");
  return server;
}
