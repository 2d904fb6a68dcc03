import { Gauge, Registry, collectDefaultMetrics } from "prom-client";
import { version } from "../../../package.json";
import { refusalTable } from "../refusals/refusal";
import type { UnmetKind } from "../refusals/refusal";
import { createMeters, metricPrefix } from "./meters.server";
import type { Meters } from "./meters.server";
import { createWorkMetrics } from "./work-metrics.server";
import { shareMetrics } from "../instance/worker.server";

export type Metrics = ReturnType<typeof createMetrics>;

const knownMethods = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);
const knownSlugs = new Set<string>(Object.values(refusalTable).map((entry) => entry.slug));

const httpBuckets = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const rpcBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

/** The metrics of one process, in a registry of their own: call once, and pass it on. */
export function createMetrics() {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  // The oldest worker's; without an aggregator it would be missing where there are several.
  Object.assign(registry.getSingleMetric("process_start_time_seconds")!, { aggregator: "min" });
  new Gauge({
    name: `${metricPrefix}build_info`,
    help: "Always 1; the label tells the version that runs.",
    labelNames: ["version"],
    registers: [registry],
    aggregator: "first",
  }).set({ version }, 1);
  const meters = createMeters(registry);
  const { readGauge, readGauges, labelledGauge } = meters;
  const renderText = shareMetrics(registry);
  return {
    ...createRequestMetrics(meters),
    ...createRpcMetrics(meters),
    ...createWorkMetrics(meters),
    ...createLimiterMetrics(meters),
    observeOutboxPending: (countPending: () => Promise<number>) =>
      readGauge("outbox_pending", "Notifications that are neither delivered nor given up.", countPending),
    /** One for each chain; the same age is allowed for all. */
    observeWatcherAge: (...watchers: readonly WatcherAge[]) => {
      const ageHelp = "Time since any process read the transfers of keys.";
      readGauges(
        "watcher_age_seconds",
        ageHelp,
        watchers.map(({ chainId, readSeconds }) => ({ labels: nameChain(chainId), read: readSeconds })),
      );
      const allowedHelp = "The age of the watcher above which readiness is degraded.";
      const allowed = Math.max(...watchers.map(({ allowedSeconds }) => allowedSeconds));
      readGauge("watcher_allowed_age_seconds", allowedHelp, () => Promise.resolve(allowed));
    },
    observeLeases: (readHeld: () => Record<string, boolean>) => {
      const read = () =>
        Object.fromEntries(Object.entries(readHeld()).map(([lease, isHeld]) => [lease, Number(isHeld)]));
      labelledGauge("lease_held", "1 where this process owns the lease, else 0.", { label: "lease", read });
    },
    /** Only where kinds of keys have names: without a count a metric would show too. */
    openKeyMetrics: () => createKeyMetrics(meters),
    /** Only where there are sites behind the door. */
    openDoorMetrics: () => createDoorMetrics(meters),
    render: async () => ({ contentType: registry.contentType, body: await renderText() }),
  };
}

/** `chainId` only where there are several chains. */
type OfChain = { chainId?: number | undefined };
type WatcherAge = OfChain & { readSeconds: () => Promise<number>; allowedSeconds: number };

function nameChain(chainId: number | undefined): { chain?: string } {
  return chainId === undefined ? {} : { chain: String(chainId) };
}

/** `route` is the pattern (`/api/token-status/:tokenId`), never the path itself. */
type AnsweredRequest = { route: string; method: string; status: number; durationSeconds: number };

function createRequestMetrics({ counter, histogram }: Meters) {
  const labelNames = ["route", "method", "status"] as const;
  const timeHelp = "Duration from the request's first byte to the response's last.";
  const timeRequest = histogram("http_request_duration_seconds", timeHelp, {
    buckets: httpBuckets,
    labelNames,
  });
  const countHelp = "Responses, by route pattern, method and class of status.";
  const countRequest = counter("http_requests_total", countHelp, labelNames);
  const countRefusal = counter("refusals_total", "Refusals, by the slug of their problem type.", ["slug"]);
  const grantsHelp = "Times gated content was granted, by kind of proof.";
  const countGrant = counter("grants_total", grantsHelp, ["proof"]);
  return {
    observeRequest({ route, method, status, durationSeconds }: AnsweredRequest): void {
      const labels = {
        route,
        method: knownMethods.has(method) ? method : "other",
        status: statusClass(status),
      };
      timeRequest(labels, durationSeconds);
      countRequest(labels);
    },
    countRefusal: (slug: string) => countRefusal({ slug: knownSlugs.has(slug) ? slug : "other" }),
    countGrant: (proof: string) => countGrant({ proof }),
  };
}

type RpcCall = OfChain & { method: string; outcome: "ok" | "error" | "timeout"; durationSeconds: number };

function createRpcMetrics({ counter, histogram }: Meters) {
  const callsHelp = "Requests to the chain, by JSON-RPC method and outcome.";
  const countCall = counter("rpc_requests_total", callsHelp, ["method", "outcome", "chain"]);
  const timeHelp = "Duration of requests to the chain, by JSON-RPC method.";
  const timeCall = histogram("rpc_request_duration_seconds", timeHelp, {
    buckets: rpcBuckets,
    labelNames: ["method", "chain"],
  });
  return {
    observeRpcCall({ method, outcome, durationSeconds, chainId }: RpcCall): void {
      const chain = nameChain(chainId);
      countCall({ method, outcome, ...chain });
      timeCall({ method, ...chain }, durationSeconds);
    },
  };
}

export type KeyMetrics = ReturnType<typeof createKeyMetrics>;
type ChainReading = { chainId: number; outcome: "ok" | "unavailable" };

function createKeyMetrics({ counter }: Meters) {
  const unmetHelp =
    "Refusals because a key is not held, by its kind and by what is missing: the key, a leaf by its index, or a secret one.";
  const countPart = counter("key_refusals_total", unmetHelp, ["kind", "leaf"]);
  const readingsHelp = "Readings of keys and what they ask for, by chain and outcome; each is one call.";
  const countReading = counter("key_readings_total", readingsHelp, ["chain", "outcome"]);
  return {
    /** Each part of a refusal once, all secret ones together. */
    countUnmet({ kind, parts }: UnmetKind): void {
      const leaves = new Set(parts.map(({ place, isSecret }) => (isSecret ? "secret" : String(place))));
      for (const leaf of leaves) countPart({ kind, leaf });
    },
    countReading: ({ chainId, outcome }: ChainReading) => countReading({ chain: String(chainId), outcome }),
  };
}

function createDoorMetrics({ counter }: Meters) {
  const questionsHelp = "Questions of the proxies of sites behind the door, by site and outcome.";
  const countQuestion = counter("door_questions_total", questionsHelp, ["site", "outcome"]);
  return {
    countQuestion: ({ site, outcome }: { site: string; outcome: string }) => countQuestion({ site, outcome }),
  };
}

function createLimiterMetrics({ counter }: Meters) {
  const forgottenHelp = "Clients that the in-process limiter evicted while their limit was in force.";
  const countForgotten = counter("limiter_forgotten_clients_total", forgottenHelp, ["route"]);
  const failuresHelp = "Rate limits decided by the in-process limiter because their store failed.";
  const countFailure = counter("limiter_store_failures_total", failuresHelp, ["route"]);
  return {
    countLimiterStoreFailure: (route: string) => countFailure({ route }),
    countForgottenClient: (route: string) => countForgotten({ route }),
  };
}

function statusClass(status: number): string {
  const first = Math.floor(status / 100);
  return first >= 1 && first <= 5 ? `${first}xx` : "other";
}
