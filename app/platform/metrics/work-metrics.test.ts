import { expect, test } from "vitest";
import { createMetrics } from "./metrics.server";

async function render(metrics: ReturnType<typeof createMetrics>): Promise<string> {
  return (await metrics.render()).body;
}

test("provider calls are counted by outcome and timed to the first and the last answer", async () => {
  const metrics = createMetrics();
  const call = { kind: "chat", provider: "local" };
  metrics.observeProviderCall({ ...call, outcome: "ok", durationSeconds: 3, firstSeconds: 0.2 });
  metrics.observeProviderCall({ ...call, outcome: "error", durationSeconds: 1, firstSeconds: null });
  const body = await render(metrics);
  const labels = 'kind="chat",provider="local"';
  expect(body).toContain(`latchkey_provider_requests_total{${labels},outcome="ok"} 1`);
  expect(body).toContain(`latchkey_provider_requests_total{${labels},outcome="error"} 1`);
  expect(body).toContain(`latchkey_provider_request_duration_seconds_sum{${labels}} 4`);
  expect(body).toContain(`latchkey_provider_first_answer_seconds_count{${labels}} 1`);
});

test("open streams are counted up and down by route", async () => {
  const metrics = createMetrics();
  const close = metrics.trackStream("/api/chat");
  metrics.trackStream("/api/chat")();
  expect(await render(metrics)).toContain('latchkey_open_streams{route="/api/chat"} 1');
  close();
  expect(await render(metrics)).toContain('latchkey_open_streams{route="/api/chat"} 0');
});

test("pool and spans are read at each scrape, and a database without a pool has no pool metrics", async () => {
  const metrics = createMetrics();
  let pool: { open: number; idle: number; waiting: number } | null = null;
  let sent = 1;
  metrics.observeDatabasePool(() => pool);
  metrics.observeTraceSpans(() => ({ sent, dropped: 2, failed: 0 }));
  expect(await render(metrics)).not.toMatch(/^latchkey_database_pool_connections\{/m);
  pool = { open: 3, idle: 1, waiting: 7 };
  sent = 5;
  const body = await render(metrics);
  expect(body).toContain('latchkey_database_pool_connections{state="waiting"} 7');
  expect(body).toContain('latchkey_trace_spans_total{outcome="sent"} 5');
  expect(body).toContain('latchkey_trace_spans_total{outcome="dropped"} 2');
});
