import { Registry, collectDefaultMetrics } from "prom-client";
import { version } from "../../../package.json";
import { shareMetrics } from "../instance/worker.server";
import { refusalTable } from "../refusals/refusal";
import type { UnmetKind } from "../refusals/refusal";
import { createMeters } from "./meters.server";
import type { Meters } from "./meters.server";
import { createWorkMetrics } from "./work-metrics.server";

export type Metrics = ReturnType<typeof createMetrics>;

const knownMethods = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);
const knownSlugs = new Set<string>(Object.values(refusalTable).map((entry) => entry.slug));

const httpBuckets = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const rpcBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

/** The metrics of one process, in a registry of their own: call once, and pass it on. */
export function createMetrics() {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  // The oldest worker's. Without an aggregator it would be missing if there are several.
  Object.assign(registry.getSingleMetric("process_start_time_seconds")!, { aggregator: "min" });
  const meters = createMeters(registry);
  const { gauge, readGauge, labelledGauge } = meters;
  gauge("build_info", "Always 1; the label tells the version that runs.", ["version"]).set({ version }, 1);
  Object.assign(registry.getSingleMetric("latchkey_build_info")!, { aggregator: "first" });
  const renderText = shareMetrics(registry);
  return {
    ...createRequestMetrics(meters),
    ...createRpcMetrics(meters),
    ...createWorkMetrics(meters),
    ...createLimiterMetrics(meters),
    observeOutboxPending: (read: () => Promise<number>) =>
      readGauge("outbox_pending", "Notifications that are neither delivered nor given up.", [{ read }]),
    /** One for each chain; the same age is allowed for all. */
    observeWatcherAge: (...watchers: readonly WatcherAge[]) => {
      const readings = watchers.map(({ chainId, readSeconds }) => ({
        labels: nameChain(chainId),
        read: readSeconds,
      }));
      readGauge("watcher_age_seconds", "Time since any process read the transfers of keys.", readings);
      const allowedHelp = "The age of the watcher above which readiness is degraded.";
      const allowed = Math.max(...watchers.map(({ allowedSeconds }) => allowedSeconds));
      readGauge("watcher_allowed_age_seconds", allowedHelp, [{ read: async () => allowed }]);
    },
    observeLeases: (readHeld: () => Record<string, boolean>) => {
      const read = () =>
        Object.fromEntries(Object.entries(readHeld()).map(([lease, isHeld]) => [lease, Number(isHeld)]));
      labelledGauge("lease_held", "1 where this process owns the lease, else 0.", { label: "lease", read });
    },
    /** Only if kinds of keys have names: a metric shows even without a count. */
    openKeyMetrics: () => createKeyMetrics(meters),
    /** Only if there are sites behind the door. */
    openDoorMetrics: () => createDoorMetrics(meters),
    render: async () => ({ contentType: registry.contentType, body: await renderText() }),
  };
}

/** `chainId` only if there are several chains. */
type OfChain = { chainId?: number | undefined };
type WatcherAge = OfChain & { readSeconds: () => Promise<number>; allowedSeconds: number };

function nameChain(chainId: number | undefined): { chain?: string } {
  return chainId === undefined ? {} : { chain: String(chainId) };
}

/** `route` is the pattern (`/api/token-status/:tokenId`), never the path itself. */
type FinishedRequest = { route: string; method: string; status: number; durationSeconds: number };

function createRequestMetrics({ counter, timer }: Meters) {
  const labelNames = ["route", "method", "status"] as const;
  const timeHelp = "Duration from the request's first byte to the response's last.";
  const times = timer("http_request_duration_seconds", timeHelp, { buckets: httpBuckets, labelNames });
  const countHelp = "Responses, by route pattern, method and class of status.";
  const requests = counter("http_requests_total", countHelp, labelNames);
  const refusals = counter("refusals_total", "Refusals, by the slug of their problem type.", ["slug"]);
  const grants = counter("grants_total", "Times gated content was granted, by kind of proof.", ["proof"]);
  return {
    observeRequest({ route, method, status, durationSeconds }: FinishedRequest): void {
      const labels = {
        route,
        method: knownMethods.has(method) ? method : "other",
        status: statusClass(status),
      };
      times.observe(labels, durationSeconds);
      requests.inc(labels);
    },
    countRefusal: (slug: string) => refusals.inc({ slug: knownSlugs.has(slug) ? slug : "other" }),
    countGrant: (proof: string) => grants.inc({ proof }),
  };
}

function statusClass(status: number): string {
  const first = Math.floor(status / 100);
  return first >= 1 && first <= 5 ? `${first}xx` : "other";
}

type RpcCall = OfChain & { method: string; outcome: "ok" | "error" | "timeout"; durationSeconds: number };

function createRpcMetrics({ counter, timer }: Meters) {
  const callsHelp = "Requests to the chain, by JSON-RPC method and outcome.";
  const calls = counter("rpc_requests_total", callsHelp, ["method", "outcome", "chain"]);
  const timeHelp = "Duration of requests to the chain, by JSON-RPC method.";
  const labelNames = ["method", "chain"] as const;
  const times = timer("rpc_request_duration_seconds", timeHelp, { buckets: rpcBuckets, labelNames });
  return {
    observeRpcCall({ method, outcome, durationSeconds, chainId }: RpcCall): void {
      const chain = nameChain(chainId);
      calls.inc({ method, outcome, ...chain });
      times.observe({ method, ...chain }, durationSeconds);
    },
  };
}

export type KeyMetrics = ReturnType<typeof createKeyMetrics>;
type ChainReading = { chainId: number; outcome: "ok" | "unavailable" };

function createKeyMetrics({ counter }: Meters) {
  const unmetHelp =
    "Refusals because a key is not held, by its kind and by what is missing: the key, a leaf by its index, or a secret one.";
  const unmetParts = counter("key_refusals_total", unmetHelp, ["kind", "leaf"]);
  const readingsHelp = "Readings of keys and what they ask for, by chain and outcome; each is one call.";
  const readings = counter("key_readings_total", readingsHelp, ["chain", "outcome"]);
  return {
    /** Each part of a refusal once, all secret ones together. */
    countUnmet({ kind, parts }: UnmetKind): void {
      const leaves = new Set(parts.map(({ place, isSecret }) => (isSecret ? "secret" : String(place))));
      for (const leaf of leaves) unmetParts.inc({ kind, leaf });
    },
    countReading: ({ chainId, outcome }: ChainReading) => readings.inc({ chain: String(chainId), outcome }),
  };
}

function createDoorMetrics({ counter }: Meters) {
  const help = "Questions of the proxies of sites behind the door, by site and outcome.";
  const questions = counter("door_questions_total", help, ["site", "outcome"]);
  return { countQuestion: (question: { site: string; outcome: string }) => questions.inc(question) };
}

function createLimiterMetrics({ counter }: Meters) {
  const forgottenHelp = "Clients that the in-process limiter evicted while their limit was in force.";
  const forgotten = counter("limiter_forgotten_clients_total", forgottenHelp, ["route"]);
  const failuresHelp = "Rate limits decided by the in-process limiter because their store failed.";
  const failures = counter("limiter_store_failures_total", failuresHelp, ["route"]);
  return {
    countLimiterStoreFailure: (route: string) => failures.inc({ route }),
    countForgottenClient: (route: string) => forgotten.inc({ route }),
  };
}
