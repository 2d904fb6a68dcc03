import { once } from "node:events";
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { startCollector } from "~e2e/support/providers/otlp-collector";
import type { ReceivedSpan } from "~e2e/support/providers/otlp-collector";
import { openOtlpSpans } from "./otlp-spans.gateway.server";
import { createTracing } from "./tracing.server";
import type { Tracing } from "./tracing.server";

type Work = (exchange: {
  tracing: Tracing;
  request: IncomingMessage;
  response: ServerResponse;
}) => void | Promise<void>;

/** A real server whose every request is followed, and the collector its spans go to. */
async function serve({
  work,
  hasServerTiming = false,
  route = "/x",
}: {
  work: Work;
  hasServerTiming?: boolean;
  route?: string;
}) {
  const collector = await startCollector();
  onTestFinished(collector.close);
  const spans = await openOtlpSpans({
    settings: {
      url: `${collector.endpoint}/v1/traces`,
      headers: {},
      serviceName: "gate",
      sampler: { base: "always_on", isParentBased: true, ratio: 1 },
    },
    serviceVersion: "1",
    instance: "this process",
    onFault: () => {},
  });
  const tracing = createTracing({ spans, hasServerTiming });
  const server = createServer((request, response) => {
    const requestId = String(request.headers["x-request-id"]);
    const traced = { requestId, method: request.method ?? "", route, traceParent: undefined, response };
    tracing.runRequest(traced, () => void work({ tracing, request, response }));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    tracing,
    ask: (id: string, init?: RequestInit) => fetch(origin, { ...init, headers: { "x-request-id": id } }),
    /** Everything that was sent, by name. */
    collect: async () => {
      await spans.stop();
      return collector.spans;
    },
  };
}

const requestOf = ({ spans, span }: { spans: ReceivedSpan[]; span: ReceivedSpan }) =>
  spans.find(({ spanId }) => spanId === span.parentSpanId)?.attributes["latchkey.request_id"];

test("each of several concurrent requests has its own spans, however they interleave", async () => {
  const { ask, collect } = await serve({
    work: async ({ tracing, request, response }) => {
      const id = String(request.headers["x-request-id"]);
      for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
      tracing.begin({ kind: "chain", name: `part of ${id}` }).end();
      response.end();
    },
  });
  await Promise.all(Array.from({ length: 20 }, (_, index) => ask(`request-${index}`)));
  const spans = await collect();
  const parts = spans.filter(({ name }) => name.startsWith("part of "));
  expect(parts).toHaveLength(20);
  for (const span of parts) expect(`part of ${requestOf({ spans, span })}`).toBe(span.name);
});

test("spans of a streamed iterator stay with its request, and it is closed properly", async () => {
  const closed: string[] = [];
  let kept: AsyncIterable<number> | undefined;
  const { tracing, ask, collect } = await serve({
    work: ({ tracing: its, response }) => {
      async function* count(): AsyncGenerator<number> {
        try {
          for (let at = 1; ; at++) {
            its.begin({ kind: "provider", name: `pull ${at}` }).end();
            yield at;
          }
        } finally {
          closed.push("closed");
        }
      }
      kept = its.keep(count());
      response.write("begun");
      finish = () => void response.end();
    },
  });
  let finish = () => {};
  const answer = await ask("the-one");
  for await (const event of kept!) if (event === 3) break;
  tracing.begin({ kind: "provider", name: "outside" }).end();
  finish();
  await answer.text();
  const spans = await collect();
  const pulls = spans.filter(({ name }) => name.startsWith("pull "));
  expect(pulls.map((span) => requestOf({ spans, span }))).toEqual(["the-one", "the-one", "the-one"]);
  expect(spans.map(({ name }) => name)).not.toContain("outside");
  expect(closed).toEqual(["closed"]);
});

test("no span is attached to a request after its answer is over", async () => {
  let isLate: (() => void) | undefined;
  const late = new Promise<void>((resolve) => (isLate = resolve));
  const { ask, collect } = await serve({
    work: ({ tracing, response }) => {
      response.end();
      response.once("close", () => {
        tracing.begin({ kind: "database", name: "late" }).end();
        isLate!();
      });
    },
  });
  await (await ask("the-one")).text();
  await late;
  expect((await collect()).map(({ name }) => name)).toEqual(["GET /x"]);
});

test("nested spans are children, failures are named and rethrown, and a cut-off answer is marked", async () => {
  const failure = new TypeError("with words that are nobody's business");
  const { ask, collect } = await serve({
    work: async ({ tracing, response }) => {
      const whole = tracing.around({ kind: "tool", name: "tool" }, async () => {
        tracing.begin({ kind: "chain", name: "inside" }).end({ error: "timeout" });
        throw failure;
      });
      await expect(whole).rejects.toBe(failure);
      tracing.noteRefusal("not-found");
      response.writeHead(404, { "Content-Length": 10 });
      response.write("12345");
      response.destroy();
    },
  });
  await ask("the-one")
    .then((answer) => answer.text())
    .catch(() => undefined);
  const spans = await collect();
  const [root, tool, inside] = ["GET /x", "tool", "inside"].map((name) =>
    spans.find((span) => span.name === name)!,
  );
  expect(tool!.parentSpanId).toBe(root!.spanId);
  expect(inside!.parentSpanId).toBe(tool!.spanId);
  expect(tool!.attributes["error.type"]).toBe("TypeError");
  expect(root!.attributes).toMatchObject({
    "http.response.status_code": 404,
    "latchkey.cut_off": true,
    "latchkey.refusal": "not-found",
  });
  expect(JSON.stringify(spans.map(({ attributes }) => attributes))).not.toContain("business");
});

test.each(["/healthz", "/readyz", "/metrics"])("%s, which machines poll, is not traced", async (route) => {
  const { ask, collect } = await serve({
    route,
    work: ({ tracing, response }) => {
      tracing.begin({ kind: "chain", name: "inside" }).end();
      response.end();
    },
  });
  await (await ask("the-one")).text();
  expect(await collect()).toEqual([]);
});

test("an unknown method does not become a span's name", async () => {
  const { ask, collect } = await serve({ work: ({ response }) => void response.end() });
  await (await ask("the-one", { method: "PROPFIND" })).text();
  expect((await collect())[0]).toMatchObject({
    name: "HTTP /x",
    attributes: { "http.request.method": "_OTHER" },
  });
});

test.each<[string, (response: ServerResponse) => void]>([
  ["in one call", (response) => void response.writeHead(200, { "X-One": "1" }).end("text")],
  ["by its end", (response) => void response.end("text")],
  ["before its body", (response) => (response.flushHeaders(), void response.end("text"))],
])("developers get Server-Timing when the head is sent %s", async (_how, send) => {
  const { ask, collect } = await serve({
    hasServerTiming: true,
    work: ({ tracing, response }) => {
      const whole = tracing.begin({ kind: "database", name: "transaction" });
      tracing.begin({ kind: "database", name: "statement", within: whole }).end();
      whole.end();
      tracing.begin({ kind: "chain", name: "eth_call", beganMsAgo: 5 }).end();
      send(response);
    },
  });
  const answer = await ask("the-one");
  expect(await answer.text()).toBe("text");
  const shown = /^total;dur=\d+\.\d, database;dur=\d+\.\d;desc="1x", chain;dur=(\d+\.\d);desc="1x"$/;
  const [, chainMs] = shown.exec(answer.headers.get("server-timing") ?? "") ?? [];
  expect(Number(chainMs)).toBeGreaterThanOrEqual(5);
  await collect();
});
