import { setTimeout as delay } from "node:timers/promises";
import { context, propagation, ROOT_CONTEXT, SpanKind, trace } from "@opentelemetry/api";
import { expect, onTestFinished, test } from "vitest";
import { startCollector } from "~e2e/support/providers/otlp-collector";
import type { CollectorBehaviour } from "~e2e/support/providers/otlp-collector";
import { beginSpan, inSpan } from "./spans";
import { openTracing } from "./tracing.gateway.server";

type OpenTracingOptions = Parameters<typeof openTracing>[0];

async function open({
  behaviour,
  ...options
}: { behaviour?: CollectorBehaviour } & Pick<OpenTracingOptions, "maxWaitingSpans"> = {}) {
  const collector = await startCollector({ behaviour });
  onTestFinished(collector.close);
  const faults: boolean[] = [];
  const tracing = await openTracing({
    settings: {
      url: `${collector.endpoint}/v1/traces`,
      headers: { "x-key": "the key" },
    },
    serviceVersion: "1.2.3",
    instance: "this process",
    isTrustedPeer: () => true,
    onFault: ({ isAway }) => void faults.push(isAway),
    ...options,
  });
  onTestFinished(tracing.stop);
  return { collector, tracing, faults };
}

/** A request with one part, as the instrumentation of `http` would begin it. */
function traceRequest(traceparent?: string): void {
  const caller = traceparent === undefined ? {} : { traceparent };
  const parent = propagation.extract(ROOT_CONTEXT, caller);
  const attributes = { "http.route": "/x", "url.query": "?jwt=planted", "server.address": "planted.example" };
  const options = { kind: SpanKind.SERVER, attributes };
  trace.getTracer("test").startActiveSpan("GET /x", options, parent, (root) => {
    const part = beginSpan({ name: "inside", attributes: { "server.address": "rpc.example" } });
    part.span.recordException(new Error("planted"));
    part.end({ error: "timeout" });
    root.setStatus({ code: 2, message: "planted" });
    root.end();
  });
}

async function until(isSo: () => boolean): Promise<void> {
  for (let turns = 0; !isSo(); turns++) {
    if (turns > 2_000) throw new Error("It did not come to that.");
    await delay(10);
  }
}

test("a request and its parts arrive with names, allowed attributes and statuses, and nothing else", async () => {
  const { collector, tracing } = await open();
  traceRequest();
  await tracing.stop();
  expect(tracing.readCounts()).toEqual({ sent: 2, dropped: 0, failed: 0 });
  expect(collector.requests[0]).toMatchObject({
    path: "/v1/traces",
    headers: { "x-key": "the key", "content-type": "application/json" },
  });
  const root = collector.spans.find(({ name }) => name === "GET /x")!;
  const part = collector.spans.find(({ name }) => name === "inside")!;
  expect(root.parentSpanId).toBeUndefined();
  expect(root).toMatchObject({ kind: 2, status: { code: 2 } });
  expect(root.attributes).toEqual({ "http.route": "/x" });
  expect(root.resource).toEqual({
    "service.name": "latchkey",
    "service.version": "1.2.3",
    "service.instance.id": "this process",
  });
  expect(part).toMatchObject({
    kind: 3,
    traceId: root.traceId,
    parentSpanId: root.spanId,
    attributes: { "error.type": "timeout", "server.address": "rpc.example" },
    status: { code: 2 },
  });
  expect(collector.requests.map(({ text }) => text).join()).not.toContain("planted");
});

const traceId = "0af7651916cd43dd8448eb211c80319c";
test.each([
  { given: `00-${traceId}-b7ad6b7169203331-01`, isSent: true, isTaken: true },
  { given: `00-${traceId}-b7ad6b7169203331-00`, isSent: false, isTaken: true },
  { given: `00-${traceId}-0000000000000000-01`, isSent: true, isTaken: false },
  { given: "nonsense", isSent: true, isTaken: false },
  { given: undefined, isSent: true, isTaken: false },
])("a caller's $given: sent $isSent, continued $isTaken", async ({ given, ...expected }) => {
  const { collector, tracing } = await open();
  traceRequest(given);
  await tracing.stop();
  expect(collector.spans).toHaveLength(expected.isSent ? 2 : 0);
  const root = collector.spans.find(({ name }) => name === "GET /x");
  if (!root) return;
  expect(root.traceId === traceId).toBe(expected.isTaken);
  expect(root.parentSpanId).toBe(expected.isTaken ? "b7ad6b7169203331" : undefined);
});

test("work outside a request, and after its end, is not traced", async () => {
  const { collector, tracing } = await open();
  beginSpan({ name: "outside", attributes: {} }).end();
  let late = () => {};
  trace.getTracer("test").startActiveSpan("GET /x", { kind: SpanKind.SERVER }, (root) => {
    late = context.bind(context.active(), () => beginSpan({ name: "late", attributes: {} }).end());
    root.end();
  });
  late();
  await tracing.stop();
  expect(collector.spans.map(({ name }) => name)).toEqual(["GET /x"]);
});

test("a failure is named by its class and rethrown", async () => {
  const { collector, tracing } = await open();
  const failure = new TypeError("planted words");
  await trace.getTracer("test").startActiveSpan("GET /x", { kind: SpanKind.SERVER }, async (root) => {
    const work = inSpan({ name: "tool", attributes: {} }, async () => {
      beginSpan({ name: "inside", attributes: {} }).end();
      throw failure;
    });
    await expect(work).rejects.toBe(failure);
    root.end();
  });
  await tracing.stop();
  const tool = collector.spans.find(({ name }) => name === "tool")!;
  expect(tool).toMatchObject({ attributes: { "error.type": "TypeError" }, status: { code: 2 } });
  expect(collector.spans.find(({ name }) => name === "inside")!.parentSpanId).toBe(tool.spanId);
});

test("spans beyond the buffer are dropped and counted while a collector hangs, and memory stays bounded", async () => {
  const { tracing } = await open({ behaviour: "hang", maxWaitingSpans: 10 });
  for (let requests = 0; requests < 500; requests++) traceRequest();
  expect(tracing.readCounts()).toEqual({ sent: 0, dropped: 990, failed: 0 });
  await delay(1_500);
  // Spans on their way take room as well.
  traceRequest();
  expect(tracing.readCounts().dropped).toBe(992);
});

test("a collector that hangs delays a stop by about a second", async () => {
  const { tracing } = await open({ behaviour: "hang" });
  traceRequest();
  const stopped = await Promise.race([
    tracing.stop().then(() => "stopped"),
    delay(8_000, "hangs", { ref: false }),
  ]);
  expect(stopped).toBe("stopped");
});

test("refused spans are counted as failed, and the fault is logged once, as is its end", async () => {
  const { collector, tracing, faults } = await open({ behaviour: "refuse" });
  traceRequest();
  await until(() => tracing.readCounts().failed === 2);
  traceRequest();
  await until(() => tracing.readCounts().failed === 4);
  expect(faults).toEqual([true]);
  collector.behave("take");
  traceRequest();
  await until(() => tracing.readCounts().sent === 2);
  expect(faults).toEqual([true, false]);
});

test("long attribute values are cut", async () => {
  const { collector, tracing } = await open();
  const attributes = { "latchkey.long": "x".repeat(5_000) };
  trace.getTracer("test").startSpan("GET /x", { kind: SpanKind.SERVER, attributes }).end();
  await tracing.stop();
  expect(collector.spans[0]!.attributes["latchkey.long"]).toBe("x".repeat(2_000));
});
