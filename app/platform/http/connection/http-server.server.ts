import { randomUUID } from "node:crypto";
import { STATUS_CODES, createServer } from "node:http";
import type { IncomingMessage, RequestListener, Server, ServerResponse } from "node:http";
import type { Log } from "~/platform/log/log.server";
import { takeOverPort } from "~/platform/instance/worker.server";
import { measureGrain } from "../body/body-grain.server";
import { hasBody } from "../body/body.server";
import { oneAtATime } from "./one-at-a-time.server";
import { problemHeader, refusalTable } from "~/platform/refusals/refusal";
import { readTarget } from "../request-target";
import type { RequestTarget } from "../request-target";

/** Slow clients are cut off: the request must arrive in time, and a socket that moves nothing is closed. */
const defaultTimeouts = { headersMs: 10_000, requestMs: 30_000, idleMs: 120_000, keepAliveMs: 10_000 };
export type ServerTimeouts = typeof defaultTimeouts;

/** A question of the door has the visitor's address and cookies, and nginx lets each be 8 KiB; Node's own limit is 16. */
const maxHeaderBytes = 32 * 1024;

export function createHttpServer(listener: RequestListener, timeouts = defaultTimeouts): Server {
  const server = createServer(
    {
      headersTimeout: timeouts.headersMs,
      requestTimeout: timeouts.requestMs,
      keepAliveTimeout: timeouts.keepAliveMs,
      connectionsCheckingInterval: Math.min(2000, timeouts.headersMs),
      insecureHTTPParser: false,
      maxHeaderSize: maxHeaderBytes,
    },
    oneAtATime((request, response) => {
      if (hasBody(request.headers)) endWithoutReset(request, response);
      if (isForRoutes(request, response)) listener(request, response);
    }),
  );
  server.setTimeout(timeouts.idleMs);
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    if (socket.writable && error.code !== "ECONNRESET") socket.end(toBareAnswer(error));
    else socket.destroy();
  });
  return server;
}

const serverMethods = "GET, HEAD, POST, OPTIONS";

/** Answers what is wrong with the request line or the host; a whole address in the request line becomes its path. */
function isForRoutes(request: IncomingMessage, response: ServerResponse): boolean {
  const { method, url = "/", headers, headersDistinct } = request;
  const target: RequestTarget =
    (headersDistinct.host?.length ?? 0) > 1
      ? { kind: "fault", detail: "The request has more than one Host header. Send one." }
      : readTarget(method, url, headers.host);
  if (target.kind === "path") {
    request.url = target.path;
    return true;
  }
  const isFault = target.kind === "fault";
  response.writeHead(isFault ? 400 : 204, {
    "X-Request-Id": randomUUID(),
    "X-Content-Type-Options": "nosniff",
    ...(isFault
      ? {
          "Content-Type": "text/plain; charset=utf-8",
          "Cache-Control": "no-store",
          Connection: "close",
          ...problemHeader(400),
        }
      : { Allow: serverMethods }),
  });
  response.end(isFault ? `${target.detail}\n` : undefined);
  return false;
}

/** Bytes of an unwanted body that are still received, so that a client that is busy sending reads the response. */
const lingerMs = 1000;
const lingerBytes = 1024 * 1024;

/**
 * Closes a connection whose request has not arrived whole once the answer has had time to arrive: closing while bytes are
 * on their way resets it, and a reset discards what the client has not read yet. Beyond `lingerBytes`, and of what comes
 * in too small pieces, nothing is read: the client's own buffer fills.
 */
function endWithoutReset(request: IncomingMessage, response: ServerResponse): void {
  const { socket } = request;
  const isTooFine = measureGrain(socket);
  // Node would drop any amount of a body that nobody has begun to read, past all listeners.
  request.read(0);
  response.once("prefinish", () => {
    // After `Connection: close` Node would close both ways at once.
    if (!request.complete) socket.destroySoon = () => void socket.end();
  });
  response.once("finish", () => {
    let discardedBytes = 0;
    // A route that was to read the body would pause it.
    request.removeAllListeners("data").removeAllListeners("readable");
    if (!request.complete) {
      const timer = setTimeout(() => socket.destroy(), lingerMs);
      request.once("close", () => clearTimeout(timer));
      request.on("error", () => socket.destroy());
      request.on("data", (chunk: Buffer) => {
        discardedBytes += chunk.length;
        if (discardedBytes > lingerBytes || isTooFine(discardedBytes)) request.pause();
      });
    }
    request.resume();
  });
}

/** For what never became a request, so that there is only the socket to answer with. */
function toBareAnswer({ code }: NodeJS.ErrnoException): string {
  const name = parseErrors[code ?? ""];
  const { status, slug, meaning, remedy } = refusalTable[name ?? "invalid-request"];
  const text = `${name ? `${meaning} ${remedy}` : malformed}\n`;
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    "Connection: close",
    `X-Request-Id: ${randomUUID()}`,
    `X-Problem: ${slug}`,
    "X-Content-Type-Options: nosniff",
    "Cache-Control: no-store",
    "Content-Type: text/plain; charset=utf-8",
    `Content-Length: ${Buffer.byteLength(text)}`,
    "",
    text,
  ].join("\r\n");
}

const malformed = "This is not a request that HTTP/1.1 allows. Check its headers.";
const parseErrors: Readonly<Record<string, keyof typeof refusalTable>> = {
  ERR_HTTP_REQUEST_TIMEOUT: "request-timeout",
  HPE_HEADER_OVERFLOW: "headers-too-large",
};

export function listen(server: Server, host: string, port: number): Promise<number> {
  takeOverPort(server, port);
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
  if (error.code === "EACCES") {
    return new Error(`This user may not listen on port ${port}. Set PORT to 1024 or higher.`);
  }
  return new Error(`The server cannot listen on ${host}:${port} (${error.code}). Check HOST and PORT.`);
}

/** Responses still open after it are told to end. */
const stopGraceMs = 5_000;
/** After that they are cut off. */
const lastWordsMs = 500;
const idleSweepMs = 50;
const stopLimitMs = 9_500;

type StopOnSignalsOptions = {
  server: Server;
  beginStop: () => void;
  /** Streams end with a last event. */
  endStreams: () => void;
  stopServices: () => Promise<void>;
  log: Log;
  closeLog: () => Promise<void>;
};

/**
 * Drains and ends the process: no new connections, open responses get a grace, then everything the service runs is
 * stopped, within `stopLimitMs` whatever happens. Returns whether that has begun.
 */
export function stopOnSignals(options: StopOnSignalsOptions) {
  const { server, beginStop, endStreams, stopServices, log, closeLog } = options;
  let isStopping = false;
  async function stop(signal: string): Promise<void> {
    if (isStopping) return;
    isStopping = true;
    log.info({ signal }, "shutdown started");
    beginStop();
    setTimeout(() => {
      log.error("shutdown timed out");
      process.exit(1);
    }, stopLimitMs).unref();
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    // Again and again: a connection that was busy becomes idle when its answer is out, and would be kept alive.
    const sweepIdle = setInterval(() => server.closeIdleConnections(), idleSweepMs);
    // Also where no connection is left: answers may go on without a reader.
    setTimeout(endStreams, stopGraceMs);
    const cutOff = setTimeout(() => server.closeAllConnections(), stopGraceMs + lastWordsMs);
    await closed;
    clearInterval(sweepIdle);
    clearTimeout(cutOff);
    await stopServices();
    // Requests that were cut off write their lines in the turn after their connections have closed.
    await new Promise((resolve) => setImmediate(resolve));
    log.info("shutdown complete");
    await closeLog();
    process.exit(0);
  }
  for (const signal of ["SIGTERM", "SIGINT"]) process.on(signal, () => void stop(signal));
  return () => isStopping;
}
