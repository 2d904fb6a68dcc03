import { once } from "node:events";
import { createServer } from "node:http";
import type { IncomingHttpHeaders, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

export type JsonCall = {
  /** Counts from 1. */
  number: number;
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: unknown;
  response: ServerResponse;
  answer: (value: unknown, status?: number) => void;
};

/** A JSON server on the loopback address that treats each request as the test says. Ends with the test. */
export async function startJsonServer(behave: (call: JsonCall) => void) {
  const calls: JsonCall[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const text = Buffer.concat(chunks).toString("utf8");
      const call: JsonCall = {
        number: calls.length + 1,
        method: request.method ?? "",
        path: request.url ?? "",
        headers: request.headers,
        body: text === "" ? null : (JSON.parse(text) as unknown),
        response,
        answer: (value, status = 200) =>
          response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(value)),
      };
      calls.push(call);
      behave(call);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  });
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, calls };
}
