import { randomUUID } from "node:crypto";
import { createServer, STATUS_CODES } from "node:http";
import type { IncomingMessage, RequestListener, Server, ServerResponse } from "node:http";
import type { Log } from "~/platform/log/log.server";
import { takeOverPort } from "~/platform/instance/worker.server";
import { hasBody, measureGrain } from "../body/body.server";
import { problemHeader, refusalTable } from "~/platform/refusals/refusal";
import { normalizeHost } from "~/platform/config/domains";
import type { Socket } from "node:net";

/** Cuts off slow clients and idle sockets. */
const defaultTimeouts = { headersMs: 10_000, requestMs: 30_000, idleMs: 120_000, keepAliveMs: 10_000 };
export type ServerTimeouts = typeof defaultTimeouts;

/**
 * Node's default is 16. A request of the door contains the visitor's address and cookies, each up to 8 KiB with nginx.
 */
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
    if (socket.writable && error.code !== "ECONNRESET") socket.end(toBareResponse(error));
    else socket.destroy();
  });
  return server;
}

const serverMethods = "GET, HEAD, POST, OPTIONS";

/** Refuses a wrong request line or host. A whole address in the request line becomes its path. */
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

/** Bytes of an unwanted body that are still received, so that a busy client reads the response. */
const lingerMs = 1000;
const lingerBytes = 1024 * 1024;

/**
 * Closes the connection of an incomplete request after a moment. Closing it while bytes are on their way resets it, and
 * a reset discards the response that the client has not read yet. Beyond `lingerBytes`, or of tiny pieces, nothing is
 * read, so that the client's own buffer fills.
 */
function endWithoutReset(request: IncomingMessage, response: ServerResponse): void {
  const { socket } = request;
  const isTooFine = measureGrain(socket);
  // Otherwise Node would drop an unread body of any size, past all listeners.
  request.read(0);
  response.once("prefinish", () => {
    // After `Connection: close` Node would close both ways at once.
    if (!request.complete) socket.destroySoon = () => void socket.end();
  });
  response.once("finish", () => {
    let discardedBytes = 0;
    // A route that reads the body would pause it.
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

/** For a connection without a valid request: writes to the socket. */
function toBareResponse({ code }: NodeJS.ErrnoException): string {
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

const stopGraceMs = 5_000;
/** Open responses are cut off after it. */
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
 * Drains and ends the process: no new connections, a grace for open responses, then all services stop, within
 * `stopLimitMs`. Returns whether it has begun.
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
    // A busy connection becomes idle after its response, and would stay open.
    const sweepIdle = setInterval(() => server.closeIdleConnections(), idleSweepMs);
    // Also without connections: replies may go on without a reader.
    setTimeout(endStreams, stopGraceMs);
    const cutOff = setTimeout(() => server.closeAllConnections(), stopGraceMs + lastWordsMs);
    await closed;
    clearInterval(sweepIdle);
    clearTimeout(cutOff);
    await stopServices();
    // Requests that were cut off log in the turn after their connections have closed.
    await new Promise((resolve) => setImmediate(resolve));
    log.info("shutdown complete");
    await closeLog();
    process.exit(0);
  }
  for (const signal of ["SIGTERM", "SIGINT"]) process.on(signal, () => void stop(signal));
  return () => isStopping;
}

/** `server`: the request concerns the server as a whole. */
type RequestTarget = { kind: "path"; path: string } | { kind: "server" } | { kind: "fault"; detail: string };

const differingHosts =
  "The address in the request line and the Host header name different hosts. Send the same in both.";

/**
 * Reads the request target (RFC 9112, 3.2). A whole address must name the same host as the Host header; otherwise a
 * proxy and the server behind it may disagree.
 */
export function readTarget(
  method: string | undefined,
  target: string,
  hostHeader: string | undefined,
): RequestTarget {
  if (target.startsWith("/")) {
    const isReadable = !/[#\u00a0]/.test(target);
    if (!isReadable) return { kind: "fault", detail: "The address has a character that is not allowed." };
    return { kind: "path", path: target };
  }
  if (target === "*") {
    if (method === "OPTIONS") return { kind: "server" };
    return { kind: "fault", detail: "Only OPTIONS is possible for *. Name a path, such as /." };
  }
  const match = /^https?:\/\/([^/?#]*)([^#]*)/i.exec(target);
  if (!match) return { kind: "fault", detail: "The request names no path. Name one, such as /." };
  const [, authority = "", rest = ""] = match;
  const host = normalizeHost(authority);
  if (host === null || hostHeader === undefined || normalizeHost(hostHeader) !== host) {
    return { kind: "fault", detail: differingHosts };
  }
  return { kind: "path", path: rest.startsWith("/") ? rest : `/${rest}` };
}

/** How many requests a client may pipeline on one connection. */
const maxSentAhead = 4;

type Sent = { request: IncomingMessage; response: ServerResponse };

/**
 * Handles the requests of one connection one after the other. Node hands over all of them at once, and a response that
 * waits for its turn never learns that the client has left.
 */
export function oneAtATime(listener: RequestListener): RequestListener {
  const sentAhead = new WeakMap<Socket, Sent[]>();

  function serve({ request, response }: Sent, waiting: Sent[]): void {
    const { socket } = request;
    if (socket.isPaused()) socket.resume();
    response.once("close", () => {
      const next = socket.destroyed ? undefined : waiting.shift();
      if (next) serve(next, waiting);
      else sentAhead.delete(socket);
    });
    listener(request, response);
  }

  return (request, response) => {
    const { socket } = request;
    const waiting = sentAhead.get(socket);
    if (waiting === undefined) {
      const own: Sent[] = [];
      sentAhead.set(socket, own);
      serve({ request, response }, own);
    } else if (waiting.length < maxSentAhead) {
      waiting.push({ request, response });
      // A body waits unread for its turn. Without one the socket goes on, because it reveals when the client leaves.
      if (hasBody(request.headers)) socket.pause();
    } else socket.destroy();
  };
}
