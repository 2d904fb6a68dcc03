import { once } from "node:events";
import { createServer, request as openRequest } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { trace } from "@opentelemetry/api";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startCollector, tracesTo } from "~e2e/support/providers/otlp-collector";
import type { ReceivedSpan } from "~e2e/support/providers/otlp-collector";
import { beginSpan, keepSpan } from "./spans";
import { openTracing } from "./tracing.gateway.server";

// One for all tests: the instrumentation patches `http` once for a process.
const collector = await startCollector();
let isTrusted = true;
let work: (request: IncomingMessage, response: ServerResponse) => unknown = () => {};
const server = createServer((request, response) => {
  const id = request.headers["x-request-id"]?.toString() ?? "";
  trace.getActiveSpan()?.updateName("GET /x").setAttribute("latchkey.request_id", id);
  void work(request, response);
});
let origin = "";
let tracing: Awaited<ReturnType<typeof openTracing>>;
beforeAll(async () => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  // After the server is open, as at the start of the service.
  tracing = await openTracing({ ...tracesTo(collector), isTrustedPeer: () => isTrusted });
});
afterAll(async () => {
  await tracing.stop();
  server.close();
  await collector.close();
});

async function ask(id: string, { path = "/x", ...headers }: Record<string, string> = {}): Promise<void> {
  const request = openRequest(`${origin}${path}`, { headers: { "x-request-id": id, ...headers } }).end();
  const [response] = (await once(request, "response")) as [IncomingMessage];
  response.resume();
  await once(response, "close");
}

async function collect(id: string): Promise<ReceivedSpan[]> {
  const has = ({ attributes }: ReceivedSpan) => attributes["latchkey.request_id"] === id;
  return await collector.waitForTrace({ has });
}

test("each of several concurrent requests has its own spans, however they interleave", async () => {
  work = async ({ headers }, response) => {
    for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
    beginSpan({ name: `part of ${headers["x-request-id"]!.toString()}`, attributes: {} }).end();
    response.end();
  };
  const ids = Array.from({ length: 20 }, (_, index) => `request-${index}`);
  await Promise.all(ids.map((id) => ask(id)));
  for (const id of ids) {
    const names = (await collect(id)).map(({ name }) => name);
    expect(names.sort()).toEqual(["GET /x", `part of ${id}`]);
  }
});

test("spans of a streamed iterator stay with its request, and it is closed properly", async () => {
  const closed: string[] = [];
  type Begun = { kept: AsyncIterable<number>; response: ServerResponse };
  let begin: (begun: Begun) => void;
  const begun = new Promise<Begun>((resolve) => (begin = resolve));
  work = (_request, response) => {
    async function* count(): AsyncGenerator<number> {
      try {
        for (let at = 1; ; at++) {
          beginSpan({ name: `pull ${at}`, attributes: {} }).end();
          yield at;
        }
      } finally {
        closed.push("closed");
      }
    }
    response.write("begun");
    begin({ kept: keepSpan(count()), response });
  };
  const asked = ask("streamed");
  const { kept, response } = await begun;
  for await (const event of kept) if (event === 3) break;
  beginSpan({ name: "outside", attributes: {} }).end();
  response.end();
  await asked;
  const spans = await collect("streamed");
  expect(spans.map(({ name }) => name).sort()).toEqual(["GET /x", "pull 1", "pull 2", "pull 3"]);
  expect(closed).toEqual(["closed"]);
});

test("a cut-off or failed response is marked, and nothing of the request is sent but what is allowed", async () => {
  work = (_request, response) => {
    response.writeHead(503, { "Content-Length": 10 });
    response.write("12345");
    response.destroy();
  };
  await ask("cut-off", { path: "/x?jwt=planted", "user-agent": "planted", host: "planted" }).catch(() => {});
  const [root] = await collect("cut-off");
  expect(root).toMatchObject({ name: "GET /x", kind: 2, status: { code: 2 } });
  expect(root!.attributes).toEqual({
    "http.request.method": "GET",
    "http.response.status_code": 503,
    "latchkey.request_id": "cut-off",
    "latchkey.cut_off": true,
    "error.type": "503",
  });
});

test("the trace of a caller is continued only if it is trusted", async () => {
  work = (_request, response) => response.end();
  const traceId = "0af7651916cd43dd8448eb211c80319c";
  for (isTrusted of [false, true]) {
    const id = `trusted-${isTrusted}`;
    await ask(id, { traceparent: `00-${traceId}-b7ad6b7169203331-01` });
    expect((await collect(id))[0]!.traceId === traceId).toBe(isTrusted);
  }
});

test("what machines poll is not traced", async () => {
  work = (_request, response) => response.end();
  for (const path of ["/healthz", "/readyz?x", "/metrics"]) await ask(path, { path });
  await ask("last");
  await collect("last");
  const ids = collector.spans.map(({ attributes }) => attributes["latchkey.request_id"]);
  for (const path of ["/healthz", "/readyz?x", "/metrics"]) expect(ids).not.toContain(path);
});
