import { once } from "node:events";
import { createServer } from "node:http";
import type { IncomingHttpHeaders, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import * as z from "zod";
import type { openTracing } from "~/platform/tracing/tracing.gateway.server";

const valueSchema = z.union([
  z.strictObject({ stringValue: z.string() }).transform(({ stringValue }) => stringValue),
  z
    .strictObject({ intValue: z.union([z.int(), z.string().regex(/^-?\d+$/)]) })
    .transform(({ intValue }) => Number(intValue)),
  z.strictObject({ doubleValue: z.number() }).transform(({ doubleValue }) => doubleValue),
  z.strictObject({ boolValue: z.boolean() }).transform(({ boolValue }) => boolValue),
]);
const attributesSchema = z
  .array(z.object({ key: z.string(), value: valueSchema }))
  .default([])
  .transform((list) => Object.fromEntries(list.map(({ key, value }) => [key, value])));
const spanSchema = z.object({
  traceId: z.string().regex(/^[0-9a-f]{32}$/),
  spanId: z.string().regex(/^[0-9a-f]{16}$/),
  parentSpanId: z
    .string()
    .regex(/^[0-9a-f]{16}$/)
    .optional(),
  name: z.string().min(1),
  kind: z.int().min(1).max(5),
  startTimeUnixNano: z.string().regex(/^\d+$/).transform(BigInt),
  endTimeUnixNano: z.string().regex(/^\d+$/).transform(BigInt),
  attributes: attributesSchema,
  status: z.object({ code: z.int().default(0) }),
});
/** The part of OTLP/HTTP in JSON that describes spans. */
const exportSchema = z.object({
  resourceSpans: z.array(
    z.object({
      resource: z.object({ attributes: attributesSchema }),
      scopeSpans: z.array(z.object({ scope: z.object({ name: z.string() }), spans: z.array(spanSchema) })),
    }),
  ),
});

export type ReceivedSpan = z.infer<typeof spanSchema> & { resource: Record<string, unknown> };
/** `hang` accepts the connection and never responds. */
export type CollectorBehaviour = "take" | "refuse" | "hang";

/** A collector on the loopback address that accepts spans as OTLP over HTTP in JSON. */
export async function startCollector({ behaviour = "take" }: { behaviour?: CollectorBehaviour } = {}) {
  let now: CollectorBehaviour = behaviour;
  const spans: ReceivedSpan[] = [];
  const requests: { path: string; headers: IncomingHttpHeaders; text: string }[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const text = Buffer.concat(chunks).toString("utf8");
      requests.push({ path: request.url ?? "", headers: request.headers, text });
      answer(text, response);
    });
  });

  function answer(text: string, response: ServerResponse): void {
    if (now === "hang") return;
    if (now === "refuse") return void response.writeHead(400).end("{}");
    for (const { resource, scopeSpans } of exportSchema.parse(JSON.parse(text)).resourceSpans) {
      for (const scope of scopeSpans)
        spans.push(...scope.spans.map((span) => ({ ...span, resource: resource.attributes })));
    }
    response.writeHead(200, { "Content-Type": "application/json" }).end("{}");
  }

  // Its requests are not the process's own: an instrumentation would replace `emit`.
  server.emit = server.emit.bind(server);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");

  /** Resolves with the first matching trace, once it has all the named spans. */
  async function waitForTrace({
    has,
    names = [],
  }: {
    has: (span: ReceivedSpan) => boolean;
    names?: readonly string[];
  }): Promise<ReceivedSpan[]> {
    for (const endsAt = performance.now() + 20_000; ; await delay(20)) {
      const found = spans.find(has);
      const trace = found ? spans.filter(({ traceId }) => traceId === found.traceId) : [];
      if (found && names.every((name) => trace.some((span) => span.name === name))) return trace;
      if (performance.now() > endsAt) {
        throw new Error(
          `No such trace came. Names: ${[...new Set(spans.map(({ name }) => name))].join("; ")}`,
        );
      }
    }
  }

  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    requests,
    waitForTrace,
    behave: (next: CollectorBehaviour) => void (now = next),
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** Settings that trace everything to this collector. */
export function tracesTo({ endpoint }: { endpoint: string }): Parameters<typeof openTracing>[0] {
  return {
    settings: {
      url: `${endpoint}/v1/traces`,
      headers: {},
    },
    serviceVersion: "1",
    instance: "this process",
    isTrustedPeer: () => true,
    onFault: () => {},
  };
}
