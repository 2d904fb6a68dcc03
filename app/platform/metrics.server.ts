import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from "prom-client";
import { refusalTable } from "./http/refusal";
import { createLabelBound, metricPrefix as prefix } from "./metric-labels";
import { answerWithin } from "./metric-answer";
import { createWorkMetrics } from "./work-metrics.server";
import type { WorkMetrics } from "./work-metrics.server";

/** What was proved when content was granted. */
export type GrantProof = "bearer" | "siwe" | "legacy";

export type RpcOutcome = "ok" | "error" | "timeout";

export type Metrics = WorkMetrics & {
  /** `route` is the pattern (`/api/token-status/:tokenId`), never the path itself. */
  observeRequest(request: { route: string; method: string; status: number; durationSeconds: number }): void;
  countRefusal(slug: string): void;
  countGrant(proof: GrantProof): void;
  observeRpcCall(call: { method: string; outcome: RpcOutcome; durationSeconds: number }): void;
  /** A limit that could not be kept in its store, so that the in-process insurance decided. */
  countLimiterStoreFailure(route: string): void;
  /** A client that the insurance had no room for any more while its limit was in force. */
  countForgottenClient(route: string): void;
  /** Asked at each scrape. While it fails or takes longer than a second the gauge says NaN: unknown, not zero. */
  watchOutboxPending(countPending: () => Promise<number>): void;
  /** As above: how long ago any process has read the transfers of keys, and from which age on that is too long ago. */
  watchWatcherAge(watcher: { readSeconds: () => Promise<number>; allowedSeconds: number }): void;
  /** Read at each scrape: which leases this process owns. */
  watchLeases(readHeld: () => Record<string, boolean>): void;
  render(): Promise<{ contentType: string; body: string }>;
};

const knownMethods = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);
const knownSlugs = new Set<string>(Object.values(refusalTable).map((entry) => entry.slug));

const httpBucketsSeconds = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30,
];
const rpcBucketsSeconds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

/** The counters of one process, in a registry of their own: call once, and hand the result to who counts. */
export function createMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, prefix });
  return {
    ...createHttpMetrics(registry),
    ...createRpcMetrics(registry),
    ...createWorkMetrics(registry),
    countGrant: createGrantCounter(registry),
    ...createLimiterCounters(registry),
    watchOutboxPending: (countPending) =>
      createAskedGauge({
        registry,
        name: `${prefix}outbox_pending`,
        help: "Deliveries that are neither delivered nor given up.",
        ask: countPending,
      }),
    watchWatcherAge: ({ readSeconds, allowedSeconds }) => {
      createAskedGauge({
        registry,
        name: `${prefix}watcher_age_seconds`,
        help: "How long ago the transfers of keys were read by any process.",
        ask: readSeconds,
      });
      createAskedGauge({
        registry,
        name: `${prefix}watcher_allowed_age_seconds`,
        help: "How long ago they may have been read, by how often they are read and how long a lease lasts.",
        ask: () => Promise.resolve(allowedSeconds),
      });
    },
    watchLeases: (readHeld) => createLeaseGauge(registry, readHeld),
    render: async () => ({ contentType: registry.contentType, body: await registry.metrics() }),
  };
}

function createHttpMetrics(registry: Registry): Pick<Metrics, "observeRequest" | "countRefusal"> {
  const labelNames = ["route", "method", "status"] as const;
  const shared = { registers: [registry], labelNames };
  const requests = new Counter({
    ...shared,
    name: `${prefix}http_requests_total`,
    help: "Requests answered, by route pattern, method and class of status.",
  });
  const durations = new Histogram({
    ...shared,
    name: `${prefix}http_request_duration_seconds`,
    help: "From the request's first byte to the answer's last.",
    buckets: httpBucketsSeconds,
  });
  const refusals = new Counter({
    name: `${prefix}refusals_total`,
    help: "Refusals, by the slug of their problem type.",
    labelNames: ["slug"] as const,
    registers: [registry],
  });
  const boundRoute = createLabelBound();
  return {
    observeRequest({ route, method, status, durationSeconds }) {
      const labels = {
        route: boundRoute(route),
        method: knownMethods.has(method) ? method : "other",
        status: statusClass(status),
      };
      requests.inc(labels);
      durations.observe(labels, durationSeconds);
    },
    countRefusal: (slug) => refusals.inc({ slug: knownSlugs.has(slug) ? slug : "other" }),
  };
}

function createRpcMetrics(registry: Registry): Pick<Metrics, "observeRpcCall"> {
  const calls = new Counter({
    name: `${prefix}rpc_requests_total`,
    help: "Requests to the chain, by JSON-RPC method and outcome.",
    labelNames: ["method", "outcome"] as const,
    registers: [registry],
  });
  const durations = new Histogram({
    name: `${prefix}rpc_request_duration_seconds`,
    help: "How long the chain took to answer, by JSON-RPC method.",
    labelNames: ["method"] as const,
    buckets: rpcBucketsSeconds,
    registers: [registry],
  });
  const boundMethod = createLabelBound();
  return {
    observeRpcCall({ method, outcome, durationSeconds }) {
      const bounded = boundMethod(method);
      calls.inc({ method: bounded, outcome });
      durations.observe({ method: bounded }, durationSeconds);
    },
  };
}

function createGrantCounter(registry: Registry): Metrics["countGrant"] {
  const grants = new Counter({
    name: `${prefix}grants_total`,
    help: "Times gated content was granted, by what was proved.",
    labelNames: ["proof"] as const,
    registers: [registry],
  });
  return (proof) => grants.inc({ proof });
}

function createLimiterCounters(
  registry: Registry,
): Pick<Metrics, "countLimiterStoreFailure" | "countForgottenClient"> {
  const forgotten = new Counter({
    name: `${prefix}limiter_forgotten_clients_total`,
    help: "Clients forgotten by the in-process insurance while their limit was in force: more came than it keeps.",
    labelNames: ["route"] as const,
    registers: [registry],
  });
  const failures = new Counter({
    name: `${prefix}limiter_store_failures_total`,
    help: "Rate limits decided by the in-process insurance because their store failed.",
    labelNames: ["route"] as const,
    registers: [registry],
  });
  const boundRoute = createLabelBound();
  return {
    countLimiterStoreFailure: (route) => failures.inc({ route: boundRoute(route) }),
    countForgottenClient: (route) => forgotten.inc({ route: boundRoute(route) }),
  };
}

function createLeaseGauge(registry: Registry, readHeld: () => Record<string, boolean>): void {
  new Gauge({
    name: `${prefix}lease_held`,
    help: "1 where this process owns the lease, else 0.",
    labelNames: ["lease"] as const,
    registers: [registry],
    collect() {
      for (const [lease, isHeld] of Object.entries(readHeld())) this.set({ lease }, Number(isHeld));
    },
  });
}

type CreateAskedGaugeOptions = {
  registry: Registry;
  name: string;
  help: string;
  ask: () => Promise<number>;
};

function createAskedGauge({ registry, name, help, ask }: CreateAskedGaugeOptions): void {
  registry.removeSingleMetric(name);
  new Gauge({
    name,
    help,
    registers: [registry],
    async collect() {
      this.set((await answerWithin(ask())) ?? Number.NaN);
    },
  });
}

function statusClass(status: number): string {
  const first = Math.floor(status / 100);
  return first >= 1 && first <= 5 ? `${first}xx` : "other";
}
