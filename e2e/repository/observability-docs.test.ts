import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { refusalTable } from "~/platform/refusals/refusal";
import { createMetrics } from "~/platform/metrics/metrics.server";

type Metric = { type: string; labels: string[] };

/** Labels that Prometheus adds to every sample or to histograms. */
const addedLabels = ["instance", "job", "le"];

/** All metrics, each used once, so its labels show. */
async function listMetrics(): Promise<Map<string, Metric>> {
  const metrics = createMetrics();
  metrics.observeRequest({ route: "/x", method: "GET", status: 200, durationSeconds: 1 });
  metrics.countRefusal("not-found");
  metrics.countGrant("siwe");
  metrics.observeRpcCall({ method: "eth_call", outcome: "ok", durationSeconds: 1, chainId: 1 });
  metrics.countLimiterStoreFailure("nonce");
  metrics.countForgottenClient("nonce");
  metrics.observeOutboxPending(async () => 0);
  metrics.observeWatcherAge({ chainId: 1, readSeconds: async () => 0, allowedSeconds: 90 });
  metrics.observeLeases(() => ({ watcher: true }));
  metrics.observeProviderCall({
    kind: "chat",
    provider: "local",
    outcome: "ok",
    durationSeconds: 1,
    firstSeconds: 1,
  });
  metrics.observeToolCall({ tool: "key_status", outcome: "ok", durationSeconds: 1 });
  metrics.trackStream("/x");
  metrics.countChatTokens({ direction: "in", count: 1 });
  for (const step of ["reserved", "settled", "refused"] as const)
    metrics.countQuota({ kind: "token", step, amount: 1 });
  metrics.countSpokenAnswer("kept");
  metrics.countDepartures(2);
  metrics.observeDatabase({ what: "statement", isFailed: true, durationSeconds: 1 });
  metrics.observeDatabase({ what: "transaction", isFailed: false, durationSeconds: 1 });
  metrics.observeRedis({ command: "nonce-issue", outcome: "ok", durationSeconds: 1 });
  metrics.observeDatabasePool(() => ({ open: 1, idle: 1, waiting: 0 }));
  metrics.observePayments(async () => ({ open: 0, oldestOpenMs: null }));
  metrics.observeTraceSpans(() => ({ sent: 1, dropped: 0, failed: 0 }));
  const keys = metrics.openKeyMetrics();
  keys.countUnmet({ kind: "founder", parts: [{ place: "key", label: null, isSecret: false }] });
  keys.countReading({ chainId: 1, outcome: "ok" });
  metrics.openDoorMetrics().countQuestion({ site: "wiki.example.com", outcome: "open" });
  const { body } = await metrics.render();
  const types = [...body.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, type]) => [name!, type!] as const);
  return new Map(types.map(([name, type]) => [name, { type, labels: labelsOf(body, name) }]));
}

function labelsOf(body: string, name: string): string[] {
  const samples = body.matchAll(new RegExp(`^${name}(?:_bucket|_sum|_count)?\\{([^}]*)\\}`, "gm"));
  const names = [...samples].flatMap(([, inside]) =>
    [...inside!.matchAll(/(\w+)="/g)].map(([, label]) => label!),
  );
  return [...new Set(names)].filter((label) => label !== "le").sort();
}

/** Node's own metrics have prom-client's names. */
const isOurs = ([name]: [string, Metric]) => name.startsWith("latchkey_");

/** The metrics in an expression, without the suffixes of histograms. */
function findNames(expression: string, known: ReadonlyMap<string, Metric>): string[] {
  return [...expression.matchAll(/\b(?:(?:latchkey|nodejs|process)_\w+|up\b)/g)].map(([name]) => {
    const base = name.replace(/_(?:bucket|sum|count)$/, "");
    return known.get(base)?.type === "histogram" ? base : name;
  });
}

type Expression = { where: string; expression: string };

type Panel = {
  id: number;
  title: string;
  type: string;
  gridPos: { x: number; y: number; w: number; h: number };
  targets?: { expr: string; datasource: { uid: string } }[];
};
type Dashboard = {
  templating: { list: { name: string; definition?: string }[] };
  panels: Panel[];
};
const dashboard = JSON.parse(readFileSync("docs/grafana-dashboard.json", "utf8")) as Dashboard;
const alerts = readFileSync("docs/prometheus-alerts.yml", "utf8");

const dashboardExpressions: Expression[] = [
  ...dashboard.panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ expr }) => ({ where: title, expression: expr })),
  ),
  ...dashboard.templating.list.flatMap(({ name, definition }) =>
    definition ? [{ where: name, expression: definition }] : [],
  ),
];
const rules = alerts
  .split(/^ {6}- alert: /m)
  .slice(1)
  .map((text) => ({
    name: text.split("\n")[0]!,
    text,
    expression: /^ {8}expr: (.+)$/m.exec(text)?.[1] ?? "",
  }));
const alertExpressions: Expression[] = rules.map(({ name, expression }) => ({ where: name, expression }));

test("the documented metrics are exactly the existing ones, with types and labels", async () => {
  const listed = new Map(
    [
      ...readFileSync("docs/observability.md", "utf8").matchAll(
        /^\| `(latchkey_\w+)` \| (\w+) \|([^|]*)\| \S/gm,
      ),
    ].map(
      ([, name, type, labels]) =>
        [
          name!,
          { type: type!, labels: [...labels!.matchAll(/`(\w+)`/g)].map(([, label]) => label!).sort() },
        ] as const,
    ),
  );
  expect(listed.size).toBeGreaterThan(20);
  expect(Object.fromEntries(listed)).toEqual(Object.fromEntries([...(await listMetrics())].filter(isOurs)));
});

test("metrics are named in base units, and what counts up ends in _total", async () => {
  for (const [name, { type }] of [...(await listMetrics())].filter(isOurs)) {
    expect(name.endsWith("_total"), name).toBe(type === "counter");
    if (type === "histogram") expect(name).toMatch(/_seconds$/);
    expect(name).not.toMatch(/_(?:ms|millis|minutes|kb|mb)(?:_|$)/);
  }
});

test.each([
  { file: "the dashboard", expressions: dashboardExpressions, least: 25 },
  { file: "the alerts", expressions: alertExpressions, least: 10 },
])("$file uses existing metrics, labels and values only", async ({ expressions, least }) => {
  const known = await listMetrics();
  expect(expressions.length).toBeGreaterThanOrEqual(least);
  for (const { where, expression } of expressions) {
    const names = findNames(expression, known);
    expect(names.length, where).toBeGreaterThan(0);
    expect(
      names.filter((name) => name !== "up" && !known.has(name)),
      where,
    ).toEqual([]);
    const labels = new Set([...names.flatMap((name) => known.get(name)?.labels ?? []), ...addedLabels]);
    const grouped = [...expression.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, list]) => list!.split(/,\s*/));
    const matched = [...expression.matchAll(/(\w+)(?:=~|!=|!~|=)"/g)].map(([, label]) => label!);
    expect(
      [...grouped, ...matched].filter((label) => !labels.has(label)),
      where,
    ).toEqual([]);
    const slugs = /slug=~"([^"]*)"/.exec(expression)?.[1]?.split("|") ?? [];
    const allSlugs = Object.values(refusalTable).map(({ slug }) => slug as string);
    expect(
      slugs.filter((slug) => !allSlugs.includes(slug)),
      where,
    ).toEqual([]);
  }
});

test("every metric of ours is on the dashboard", async () => {
  const known = await listMetrics();
  const shown = new Set(dashboardExpressions.flatMap(({ expression }) => findNames(expression, known)));
  expect([...known].filter(isOurs).filter(([name]) => !shown.has(name))).toEqual([]);
});

test("the dashboard's panels use the selected data source, and do not overlap", () => {
  const taken = new Set<string>();
  expect(new Set(dashboard.panels.map(({ id }) => id)).size).toBe(dashboard.panels.length);
  for (const { title, type, gridPos, targets } of dashboard.panels) {
    expect(type === "row" || (targets?.length ?? 0) > 0, title).toBe(true);
    for (const { datasource } of targets ?? []) expect(datasource.uid).toBe("${datasource}");
    for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++) {
      for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
        expect(taken.has(`${x},${y}`), title).toBe(false);
        taken.add(`${x},${y}`);
      }
    }
  }
});

test("every alert has a duration, a severity and a text", () => {
  expect(new Set(rules.map(({ name }) => name)).size).toBe(rules.length);
  for (const { name, text } of rules) {
    expect(name).toMatch(/^Latchkey[A-Z]\w+$/);
    expect(text).toMatch(/^ {8}for: \d+m$/m);
    expect(text).toMatch(/^ {8}labels: \{ severity: (?:critical|warning|info) \}$/m);
    expect(text).toMatch(/^ {10}summary: ".+\."$/m);
  }
});

test("the alert judges the watcher's age as readiness does, in each deployment and for each chain by itself", () => {
  expect(rules.find(({ name }) => name === "LatchkeyWatcherOld")?.expression).toBe(
    "min by (job, chain) (latchkey_watcher_age_seconds) > on (job) group_left max by (job) (latchkey_watcher_allowed_age_seconds)",
  );
});

test("a metric that does not exist is noticed", async () => {
  const known = await listMetrics();
  const expression = "rate(latchkey_http_request_duration_seconds_bucket[5m]) / latchkey_grants_count";
  const [first, second] = findNames(expression, known);
  expect(known.has(first!)).toBe(true);
  expect(known.has(second!)).toBe(false);
});

test("the nginx example replaces every header that counts from a trusted proxy", () => {
  const example = readFileSync("docs/nginx.conf", "utf8");
  for (const name of ["X-Forwarded-For", "X-Forwarded-Host", "X-Request-Id", "traceparent"]) {
    expect(example).toMatch(new RegExp(`^ +proxy_set_header ${name} `, "m"));
  }
});
