import { expect, test } from "vitest";
import { version } from "../../../package.json";
import { createMetrics } from "./metrics.server";
import type { Metrics } from "./metrics.server";

async function linesOf(metrics: Metrics): Promise<string[]> {
  return (await metrics.render()).body.split("\n");
}

test("a request is counted and timed by route, method and class of status", async () => {
  const metrics = createMetrics();
  const request = { route: "/api/nonce", method: "GET", durationSeconds: 0.002 };
  metrics.observeRequest({ ...request, status: 200 });
  metrics.observeRequest({ ...request, status: 204 });
  metrics.observeRequest({ ...request, status: 429 });
  const lines = await linesOf(metrics);
  const labels = 'route="/api/nonce",method="GET",status="2xx"';
  expect(lines).toContain(`latchkey_http_requests_total{${labels}} 2`);
  expect(lines).toContain('latchkey_http_requests_total{route="/api/nonce",method="GET",status="4xx"} 1');
  expect(lines).toContain(`latchkey_http_request_duration_seconds_count{${labels}} 2`);
  expect(lines).toContain(`latchkey_http_request_duration_seconds_bucket{le="0.0025",${labels}} 2`);
  expect(lines).toContain(`latchkey_http_request_duration_seconds_bucket{le="0.001",${labels}} 0`);
});

test("requests are counted once, however often and by how many at once the metrics are read", async () => {
  const metrics = createMetrics();
  const request = { route: "/api/nonce", method: "GET", status: 200, durationSeconds: 0.002 };
  metrics.observeRequest(request);
  metrics.observeRequest(request);
  const readings = [await linesOf(metrics), await linesOf(metrics)];
  readings.push(...(await Promise.all([linesOf(metrics), linesOf(metrics)])));
  const labels = '{route="/api/nonce",method="GET",status="2xx"}';
  for (const lines of readings) {
    expect(lines).toContain(`latchkey_http_requests_total${labels} 2`);
    expect(lines).toContain(`latchkey_http_request_duration_seconds_count${labels} 2`);
  }
});

test("labels stay bounded whatever a client sends", async () => {
  const metrics = createMetrics();
  for (let index = 0; index < 1_000; index++) {
    metrics.observeRequest({ route: "page", method: `M${index}`, status: index, durationSeconds: 1 });
    metrics.countRefusal(`slug-${index}`);
  }
  const { body } = await metrics.render();
  const distinct = (pattern: RegExp) => new Set(Array.from(body.matchAll(pattern), (match) => match[1])).size;
  expect(distinct(/http_requests_total\{.*method="([^"]*)"/g)).toBe(1);
  expect(distinct(/http_requests_total\{.*status="([^"]*)"/g)).toBe(6);
  expect(body).toContain('latchkey_refusals_total{slug="other"} 1000');
});

test("refusals, grants, chain calls and limiter failures are counted by their own labels", async () => {
  const metrics = createMetrics();
  metrics.countRefusal("you-do-not-own-this-token");
  metrics.countGrant("siwe");
  metrics.countGrant("bearer");
  metrics.countGrant("siwe");
  metrics.observeRpcCall({ method: "eth_call", outcome: "timeout", durationSeconds: 2.4 });
  metrics.countLimiterStoreFailure("/api/nonce");
  const lines = await linesOf(metrics);
  expect(lines).toContain('latchkey_refusals_total{slug="you-do-not-own-this-token"} 1');
  expect(lines).toContain('latchkey_grants_total{proof="siwe"} 2');
  expect(lines).toContain('latchkey_grants_total{proof="bearer"} 1');
  expect(lines).toContain('latchkey_rpc_requests_total{method="eth_call",outcome="timeout"} 1');
  expect(lines).toContain('latchkey_rpc_request_duration_seconds_bucket{le="2.5",method="eth_call"} 1');
  expect(lines).toContain('latchkey_limiter_store_failures_total{route="/api/nonce"} 1');
});

test("Node's own metrics have the names that dashboards know, the build tells its version, all in the text format", async () => {
  const { contentType, body } = await createMetrics().render();
  expect(contentType).toContain("text/plain");
  expect(body).toMatch(/^process_cpu_seconds_total /m);
  expect(body).toMatch(/^nodejs_heap_size_used_bytes /m);
  expect(body).toContain(`\nlatchkey_build_info{version="${version}"} 1\n`);
  const sample =
    /^[a-z_:][\w:]*(\{[a-zA-Z_]\w*="[^"]*"(,[a-zA-Z_]\w*="[^"]*")*\})? (-?[\d.]+(e[+-]?\d+)?|[+-]Inf|Nan)$/;
  const odd = body.split("\n").filter((line) => line !== "" && !line.startsWith("#") && !sample.test(line));
  expect(odd).toEqual([]);
});

test("the outbox is counted at each scrape", async () => {
  const metrics = createMetrics();
  let pending = 3;
  metrics.observeOutboxPending(async () => pending);
  expect(await linesOf(metrics)).toContain("latchkey_outbox_pending 3");
  pending = 0;
  expect(await linesOf(metrics)).toContain("latchkey_outbox_pending 0");
});

test.each([
  { why: "rejects", countPending: () => Promise.reject(new Error("away")) },
  { why: "hangs", countPending: () => new Promise<number>(() => undefined) },
])("an outbox count that $why leaves the other metrics readable", async ({ countPending }) => {
  const metrics = createMetrics();
  metrics.countGrant("legacy");
  metrics.observeOutboxPending(countPending);
  const lines = await linesOf(metrics);
  expect(lines).toContain("latchkey_outbox_pending Nan");
  expect(lines).toContain('latchkey_grants_total{proof="legacy"} 1');
});

test("open payments are counted at each scrape, and unknown where they cannot be", async () => {
  const metrics = createMetrics();
  let reading = { open: 2, oldestOpenMs: 1_500 as number | null };
  let isAway = false;
  metrics.observePayments(async () => (isAway ? Promise.reject(new Error("away")) : reading));
  const figures = async () => (await linesOf(metrics)).filter((line) => line.startsWith("latchkey_payment"));
  expect(await figures()).toEqual(["latchkey_payments_open 2", "latchkey_payment_oldest_open_seconds 1.5"]);
  reading = { open: 0, oldestOpenMs: null };
  expect(await figures()).toEqual(["latchkey_payments_open 0", "latchkey_payment_oldest_open_seconds 0"]);
  isAway = true;
  expect(await figures()).toEqual(["latchkey_payments_open Nan", "latchkey_payment_oldest_open_seconds Nan"]);
});

test("two sets of metrics do not share counts", async () => {
  const [first, second] = [createMetrics(), createMetrics()];
  first.countGrant("siwe");
  expect((await second.render()).body).not.toContain('proof="siwe"');
});
