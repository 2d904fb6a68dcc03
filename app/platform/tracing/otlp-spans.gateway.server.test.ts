import { setTimeout as delay } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { startCollector } from "~e2e/support/providers/otlp-collector";
import type { CollectorBehaviour } from "~e2e/support/providers/otlp-collector";
import { openOtlpSpans } from "./otlp-spans.gateway.server";
import type { OpenSpansOptions } from "./otlp-spans.gateway.server";
import type { SpanExport } from "./operation";

const always = { base: "always_on", isParentBased: true, ratio: 1 } as const;
type Sampler = OpenSpansOptions["settings"]["sampler"];

async function open({
  behaviour,
  sampler = always,
  ...options
}: { behaviour?: CollectorBehaviour; sampler?: Sampler } & Pick<OpenSpansOptions, "maxWaitingSpans"> = {}) {
  const collector = await startCollector({ behaviour });
  onTestFinished(collector.close);
  const faults: boolean[] = [];
  const spans = await openOtlpSpans({
    settings: {
      url: `${collector.endpoint}/v1/traces`,
      headers: { "x-key": "the key" },
      serviceName: "gate",
      sampler,
    },
    serviceVersion: "1.2.3",
    instance: "this process",
    onFault: ({ isAway }) => void faults.push(isAway),
    ...options,
  });
  return { collector, spans, faults };
}

const start = { name: "GET /x", attributes: { "http.route": "/x" }, startedAtMs: 1_700_000_000_000.25 };
const end = { endedAtMs: 1_700_000_000_002.5 };

function trace(spans: SpanExport, traceParent?: string): void {
  const root = spans.beginRequest({ ...start, traceParent });
  if (!root) return;
  root.begin({ ...start, name: "inside" })!.end({ ...end, error: "timeout" });
  root.set({ "latchkey.refusal": "not-found" });
  root.end({ ...end, attributes: { "http.response.status_code": 404 } });
}

async function until(isSo: () => boolean): Promise<void> {
  for (let turns = 0; !isSo(); turns++) {
    if (turns > 2_000) throw new Error("It did not come to that.");
    await delay(10);
  }
}

test("a request and its spans arrive with headers, names, times and statuses in their fields", async () => {
  const { collector, spans } = await open();
  trace(spans);
  await spans.stop();
  expect(spans.readCounts()).toEqual({ sent: 2, dropped: 0, failed: 0 });
  expect(collector.requests[0]).toMatchObject({
    path: "/v1/traces",
    headers: { "x-key": "the key", "content-type": "application/json" },
  });
  const root = collector.spans.find(({ name }) => name === "GET /x")!;
  const part = collector.spans.find(({ name }) => name === "inside")!;
  expect(root.parentSpanId).toBeUndefined();
  expect(root).toMatchObject({
    kind: 2,
    attributes: { "http.route": "/x", "http.response.status_code": 404, "latchkey.refusal": "not-found" },
    status: { code: 0 },
    resource: { "service.name": "gate", "service.version": "1.2.3" },
    startTimeUnixNano: 1_700_000_000_000_250_000n,
    endTimeUnixNano: 1_700_000_000_002_500_000n,
  });
  expect(part).toMatchObject({
    kind: 3,
    traceId: root.traceId,
    parentSpanId: root.spanId,
    attributes: { "error.type": "timeout" },
    status: { code: 2 },
  });
});

const traceId = "0af7651916cd43dd8448eb211c80319c";
test.each([
  { given: `00-${traceId}-b7ad6b7169203331-01`, sampler: always, isSent: true, isTaken: true },
  { given: `00-${traceId}-b7ad6b7169203331-00`, sampler: always, isSent: false, isTaken: true },
  {
    given: `00-${traceId}-b7ad6b7169203331-00`,
    sampler: { ...always, isParentBased: false },
    isSent: true,
    isTaken: true,
  },
  { given: `00-${traceId}-0000000000000000-01`, sampler: always, isSent: true, isTaken: false },
  { given: "nonsense", sampler: always, isSent: true, isTaken: false },
  { given: undefined, sampler: { ...always, base: "always_off" } as const, isSent: false, isTaken: false },
  {
    given: undefined,
    sampler: { ...always, base: "traceidratio", ratio: 0 } as const,
    isSent: false,
    isTaken: false,
  },
  {
    given: undefined,
    sampler: { ...always, base: "traceidratio", ratio: 1 } as const,
    isSent: true,
    isTaken: false,
  },
])(
  "a caller's $given under $sampler: sent $isSent, continued $isTaken",
  async ({ given, sampler, ...expected }) => {
    const { collector, spans } = await open({ sampler });
    trace(spans, given);
    await spans.stop();
    expect(collector.spans).toHaveLength(expected.isSent ? 2 : 0);
    const root = collector.spans.find(({ name }) => name === "GET /x");
    if (!root) return;
    expect(root.traceId === traceId).toBe(expected.isTaken);
    expect(root.parentSpanId).toBe(expected.isTaken ? "b7ad6b7169203331" : undefined);
  },
);

test("spans beyond the buffer are dropped and counted while a collector hangs, and memory stays bounded", async () => {
  const { spans } = await open({ behaviour: "hang", maxWaitingSpans: 10 });
  for (let requests = 0; requests < 500; requests++) trace(spans);
  expect(spans.readCounts()).toEqual({ sent: 0, dropped: 990, failed: 0 });
  await delay(1_500);
  // Those that are on their way take room as well.
  trace(spans);
  expect(spans.readCounts().dropped).toBe(992);
});

test("a collector that hangs delays a stop by about a second", async () => {
  const { spans } = await open({ behaviour: "hang" });
  trace(spans);
  const stopped = await Promise.race([
    spans.stop().then(() => "stopped"),
    delay(8_000, "hangs", { ref: false }),
  ]);
  expect(stopped).toBe("stopped");
});

test("refused spans are counted as failed, and the fault is logged once, as is its end", async () => {
  const { collector, spans, faults } = await open({ behaviour: "refuse" });
  trace(spans);
  await until(() => spans.readCounts().failed === 2);
  trace(spans);
  await until(() => spans.readCounts().failed === 4);
  expect(faults).toEqual([true]);
  collector.behave("take");
  trace(spans);
  await until(() => spans.readCounts().sent === 2);
  expect(faults).toEqual([true, false]);
  await spans.stop();
});

test("long attribute values are cut", async () => {
  const { collector, spans } = await open();
  spans.beginRequest({ ...start, attributes: { long: "x".repeat(5_000) }, traceParent: undefined })!.end(end);
  await spans.stop();
  expect(collector.spans[0]!.attributes.long).toBe("x".repeat(2_000));
});
