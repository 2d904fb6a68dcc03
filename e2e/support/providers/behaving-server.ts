import { once } from "node:events";
import { createServer } from "node:http";
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A request as the server got it, with functions to respond well or badly. */
export type ReceivedCall<Body> = {
  /** Counts from 1. */
  number: number;
  path: string;
  headers: IncomingHttpHeaders;
  body: Body;
  response: ServerResponse;
  /** Sends the headers of a successful response. */
  start: () => void;
  /**
   * Resolves once the bytes are accepted: at once, or after `drain`. Starts the response if needed. Throws if the other
   * side is gone.
   */
  send: (chunk: string | Uint8Array) => Promise<void>;
  bytesSent: () => number;
  /** Resolves when either side has closed the connection. */
  closed: Promise<void>;
  isClosed: () => boolean;
};

/**
 * A provider on the loopback address that treats each request as the test says, faults included. Behaviours apply in
 * order, and the last one stays. Readiness checks (GET) get a response but don't count as calls.
 */
export async function startBehavingServer<Body, Call extends ReceivedCall<Body>>({
  behaviours,
  contentType,
  addTo,
}: {
  behaviours: readonly ((call: Call) => void | Promise<void>)[];
  /** The content type of a successful response. */
  contentType: string;
  /** Adds the protocol's own functions to a call. */
  addTo: (call: ReceivedCall<Body>) => Call;
}) {
  const calls: Call[] = [];
  const server = createServer((request, response) => void answer(request, response));

  async function answer(request: IncomingMessage, response: ServerResponse) {
    if (request.method === "GET") {
      response.writeHead(200, { "Content-Type": "application/json" }).end('{"object":"list","data":[]}');
      return;
    }
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = JSON.parse(Buffer.concat(chunks).toString("utf8")) as Body;
    const call = addTo(createCall({ number: calls.length + 1, request, response, body, contentType }));
    calls.push(call);
    const behave = behaviours[Math.min(calls.length, behaviours.length) - 1]!;
    try {
      await behave(call);
    } catch (error) {
      if (!call.isClosed()) throw error;
    }
  }

  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    calls,
    close: async () => {
      server.closeAllConnections();
      if (!server.listening) return;
      server.close();
      await once(server, "close");
    },
  };
}

type CallOptions<Body> = {
  number: number;
  request: IncomingMessage;
  response: ServerResponse;
  body: Body;
  contentType: string;
};

function createCall<Body>(options: CallOptions<Body>): ReceivedCall<Body> {
  const { number, request, response, body, contentType } = options;
  let isClosed = false;
  let bytesSent = 0;
  const closed = once(response, "close").then(() => {
    isClosed = true;
  });
  function start(): void {
    response.writeHead(200, { "Content-Type": contentType });
    response.flushHeaders();
  }
  return {
    number,
    path: request.url ?? "",
    headers: request.headers,
    body,
    response,
    start,
    send: async (chunk) => {
      if (isClosed) throw new Error("The other side is gone");
      if (!response.headersSent) start();
      bytesSent += Buffer.byteLength(chunk);
      if (response.write(chunk)) return;
      await Promise.race([once(response, "drain"), closed]);
    },
    bytesSent: () => bytesSent,
    closed,
    isClosed: () => isClosed,
  };
}

/** Accepts the request and never responds. */
export async function staysSilent({ closed }: Pick<ReceivedCall<unknown>, "closed">): Promise<void> {
  await closed;
}
