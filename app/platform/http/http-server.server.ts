import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import type { IncomingMessage, RequestListener, Server, ServerResponse } from "node:http";
import type { Log } from "~/platform/log.server";
import { countHeader } from "./raw-headers";
import { readTarget } from "./request-target";

export type ServerTimeouts = { headersMs: number; requestMs: number; idleMs: number; keepAliveMs: number };

/** Slow clients are cut off: the request must arrive in time, and a socket that moves nothing is closed. */
export const defaultTimeouts: ServerTimeouts = {
  headersMs: 10_000,
  requestMs: 30_000,
  idleMs: 120_000,
  keepAliveMs: 10_000,
};

export function createHttpServer(
  listener: RequestListener,
  timeouts: ServerTimeouts = defaultTimeouts,
): Server {
  const server = createServer(
    {
      headersTimeout: timeouts.headersMs,
      requestTimeout: timeouts.requestMs,
      keepAliveTimeout: timeouts.keepAliveMs,
      connectionsCheckingInterval: Math.min(2000, timeouts.headersMs),
      insecureHTTPParser: false,
    },
    (request, response) => {
      response.once("prefinish", () => {
        if (!request.complete) endInHalves(request);
      });
      response.once("finish", () => {
        if (!request.complete) endUnreadRequest(request);
      });
      if (isForRoutes(request, response)) listener(request, response);
    },
  );
  server.setTimeout(timeouts.idleMs);
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    if (socket.writable && error.code !== "ECONNRESET") {
      socket.end(toBareAnswer(error));
    } else socket.destroy();
  });
  return server;
}

const serverMethods = "GET, HEAD, POST, OPTIONS";

/**
 * What is wrong with the request line and the host is answered here, where no route has been looked for; a whole
 * address in the request line becomes the path that everything behind this goes by.
 */
function isForRoutes(request: IncomingMessage, response: ServerResponse): boolean {
  function answer(status: number, headers: Record<string, string>, text?: string) {
    response.writeHead(status, {
      "X-Request-Id": randomUUID(),
      "X-Content-Type-Options": "nosniff",
      ...headers,
    });
    response.end(text);
    return false;
  }
  function refuse(detail: string) {
    const headers = {
      "Content-Type": "text/plain; charset=utf-8",
      "Cache-Control": "no-store",
      Connection: "close",
    };
    return answer(400, headers, `${detail}\n`);
  }
  if (countHeader(request.rawHeaders, "host") > 1) {
    return refuse("The request has more than one Host header. Send one.");
  }
  const { method, url = "/", headers } = request;
  const target = readTarget(method, url, headers.host);
  if (target.kind === "fault") return refuse(target.detail);
  if (target.kind === "server") return answer(204, { Allow: serverMethods });
  request.url = target.path;
  return true;
}

/** How much of an unwanted body is still taken in, so that a client that is busy sending gets to read the answer. */
const lingerMs = 1000;
const lingerBytes = 1024 * 1024;

/**
 * After an answer that says `Connection: close` Node would close both ways at once, and with bytes of the request on
 * their way that is a reset, which takes the answer with it. Ours closes its own way only; `endUnreadRequest` the rest.
 */
function endInHalves({ socket }: IncomingMessage): void {
  socket.destroySoon = () => void socket.end();
}

/**
 * A request whose body was not wanted does not go on being received: closed soon, but not before the answer has had
 * time to arrive. Closing while bytes are on their way resets the connection, and a reset discards what the client
 * has not read yet; so beyond `lingerBytes` nothing more is read, and the client's own buffer fills up.
 */
function endUnreadRequest(request: IncomingMessage): void {
  let discardedBytes = 0;
  const timer = setTimeout(() => request.socket.destroy(), lingerMs);
  request.once("close", () => clearTimeout(timer));
  request.on("data", (chunk: Buffer) => {
    discardedBytes += chunk.length;
    if (discardedBytes > lingerBytes) request.pause();
  });
  request.on("error", () => request.socket.destroy());
  request.resume();
}

/** For what never became a request, so that nothing but the socket is there to answer with. */
function toBareAnswer(error: NodeJS.ErrnoException): string {
  const { status, text } = describeParseError(error);
  return [
    `HTTP/1.1 ${status}`,
    "Connection: close",
    `X-Request-Id: ${randomUUID()}`,
    "X-Content-Type-Options: nosniff",
    "Cache-Control: no-store",
    "Content-Type: text/plain; charset=utf-8",
    `Content-Length: ${Buffer.byteLength(text)}`,
    "",
    text,
  ].join("\r\n");
}

function describeParseError({ code }: NodeJS.ErrnoException): { status: string; text: string } {
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") {
    return {
      status: "408 Request Timeout",
      text: "The request was not received whole in time. Send it again.\n",
    };
  }
  if (code === "HPE_HEADER_OVERFLOW") {
    const text = "The headers of the request are larger than 16 KiB together. Send fewer or shorter ones.\n";
    return { status: "431 Request Header Fields Too Large", text };
  }
  return {
    status: "400 Bad Request",
    text: "This is not a request that HTTP/1.1 allows. Check its headers.\n",
  };
}

export function listen(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => reject(describeListenError(error, host, port)));
    server.listen({ host, port }, () => {
      server.removeAllListeners("error");
      const address = server.address();
      resolve(typeof address === "object" && address ? address.port : port);
    });
  });
}

function describeListenError(error: NodeJS.ErrnoException, host: string, port: number): Error {
  if (error.code === "EADDRINUSE") {
    return new Error(
      `Port ${port} on ${host} is taken by another program. Stop it, or set PORT to another one.`,
    );
  }
  if (error.code === "EACCES")
    return new Error(`This user may not listen on port ${port}. Set PORT to 1024 or higher.`);
  return new Error(`The server cannot listen on ${host}:${port} (${error.code}). Check HOST and PORT.`);
}

/** Longest a stop may take; answers still open after the grace are cut off. */
const stopGraceMs = 5_000;
const idleSweepMs = 50;
const stopLimitMs = 9_500;

type StopOnSignalsOptions = {
  server: Server;
  beginStop: () => void;
  stopServices: () => Promise<void>;
  log: Log;
  closeLog: () => Promise<void>;
};

/**
 * Ends the process in order: no new connections, open answers get a grace, then everything the service runs is
 * stopped. Leaves within `stopLimitMs` whatever happens.
 */
export function stopOnSignals({ server, beginStop, stopServices, log, closeLog }: StopOnSignalsOptions): {
  isStopping: () => boolean;
} {
  let isStopping = false;
  async function stop(signal: string): Promise<void> {
    if (isStopping) return;
    isStopping = true;
    log.info({ signal }, "stopping");
    beginStop();
    setTimeout(() => {
      log.error("stopping took too long");
      process.exit(1);
    }, stopLimitMs).unref();
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    // Again and again: a connection that was busy becomes idle when its answer is out, and would be kept alive.
    const sweepIdle = setInterval(() => server.closeIdleConnections(), idleSweepMs);
    const cutOff = setTimeout(() => server.closeAllConnections(), stopGraceMs);
    await closed;
    clearInterval(sweepIdle);
    clearTimeout(cutOff);
    await stopServices();
    // Requests that were cut off write their lines in the turn after their connections have closed.
    await new Promise((resolve) => setImmediate(resolve));
    log.info("stopped");
    await closeLog();
    process.exit(0);
  }
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    process.on(signal, () => void stop(signal));
  }
  return { isStopping: () => isStopping };
}
