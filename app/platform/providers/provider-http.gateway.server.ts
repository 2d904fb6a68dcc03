import { request as requestHttp } from "node:http";
import type { ClientRequest, IncomingMessage } from "node:http";
import { request as requestHttps } from "node:https";
import { findProviderMessage } from "./provider-message";

const maxErrorBodyBytes = 8 * 1024;

/** A failure of the connection, with a message that may be shown. */
export class ConnectionFault extends Error {
  override readonly name: string = "ConnectionFault";
}

/** The provider did not connect, begin or continue in time. */
export class TimeoutFault extends ConnectionFault {
  override readonly name = "TimeoutError";
}

export function codeOf(error: unknown): string | null {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === "string" && /^[A-Z][A-Z0-9_]{2,60}$/.test(code) ? code : null;
}

/** For the client: contains no address, and none of the bytes received. */
export function describeFault(error: unknown): string {
  if (error instanceof ConnectionFault) return error.message;
  const code = codeOf(error);
  if (code === "ECONNREFUSED") return "connection refused";
  if (code === "ECONNRESET" || code === "EPIPE") return "the connection broke off";
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") return "the name of the server could not be resolved";
  return code === null ? "unexpected failure" : `connection failed (${code})`;
}

type PostOptions = {
  url: string;
  headers: Record<string, string>;
  body: string;
  connectTimeoutMs: number;
  signal: AbortSignal;
};

/**
 * Sends one POST and resolves with the headers. Follows no redirects, and ignores the environment's proxies. When the
 * signal fires, now or while the body is read, the socket is destroyed at once.
 */
export function post(options: PostOptions): Promise<IncomingMessage> {
  const { url, body, signal } = options;
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const send = url.startsWith("https:") ? requestHttps : requestHttp;
    const own = { "Content-Length": Buffer.byteLength(body), "Accept-Encoding": "identity" };
    const headers = Object.assign({}, options.headers, own);
    const request = send(url, { method: "POST", headers });
    let response: IncomingMessage | null = null;
    const stop = () => (response ?? request).destroy(toError(signal.reason));
    signal.addEventListener("abort", stop, { once: true });
    request.once("close", () => signal.removeEventListener("abort", stop));
    limitConnecting(request, options.connectTimeoutMs);
    request.once("response", (received) => resolve((response = received)));
    // After the headers, failures are raised on the response's body instead.
    request.on("error", reject);
    request.end(body);
  });
}

function limitConnecting(request: ClientRequest, connectTimeoutMs: number): void {
  request.once("socket", (socket) => {
    if (!socket.connecting) return;
    const timer = setTimeout(() => {
      request.destroy(new TimeoutFault(`no connection within ${connectTimeoutMs / 1000} seconds`));
    }, connectTimeoutMs);
    const done = () => clearTimeout(timer);
    socket.once(request.protocol === "https:" ? "secureConnect" : "connect", done);
    request.once("close", done);
  });
}

/**
 * Pulls a body chunk by chunk; null at its proper end. Reads nothing between pulls, so that a slow consumer slows the
 * sender. `idleTimeoutMs` runs only during a pull.
 */
export function createBodyReader(body: IncomingMessage, idleTimeoutMs?: number) {
  let wake: (() => void) | null = null;
  let failure: Error | null = null;
  const rouse = () => wake?.();
  body.on("readable", rouse).on("end", rouse).once("close", rouse);
  body.on("error", (error) => {
    failure ??= error;
    rouse();
  });
  // One timer for the whole body: one for each wait costs more than the reading.
  let timer: NodeJS.Timeout | undefined;
  if (idleTimeoutMs !== undefined) {
    const fault = new TimeoutFault(`nothing was sent for ${idleTimeoutMs / 1000} seconds`);
    timer = setTimeout(() => wake && body.destroy(fault), idleTimeoutMs);
    body.once("close", () => clearTimeout(timer));
  }

  async function next(): Promise<Buffer | null> {
    for (;;) {
      const chunk = body.read() as Buffer | null;
      if (chunk !== null) return chunk;
      if (failure) throw failure;
      if (body.readableEnded) return null;
      if (body.destroyed) throw new ConnectionFault("the connection broke off");
      timer?.refresh();
      await new Promise<void>((resolve) => (wake = resolve));
      wake = null;
    }
  }

  return { next };
}

/** The start of an error's body, for its message. Gives up quietly, because the status says enough. */
async function readBodyStart(body: IncomingMessage, maxBytes: number): Promise<string> {
  const reader = createBodyReader(body, 1_000);
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for (let chunk = await reader.next(); chunk !== null; chunk = await reader.next()) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes >= maxBytes) break;
    }
  } catch {
    // Uses the data that has arrived.
  } finally {
    body.destroy();
  }
  return Buffer.concat(chunks).subarray(0, maxBytes).toString("utf8");
}

function toError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error("The request was cancelled", { cause: reason });
}

export function contentTypeOf({ headers }: IncomingMessage): string {
  return headers["content-type"]?.split(";")[0]?.trim().toLowerCase() ?? "";
}

/** Describes an unexpected response. Not cleaned yet: it may contain a key. */
export async function readUnwanted(response: IncomingMessage, wanted: string): Promise<string> {
  const status = response.statusCode ?? 0;
  if (status >= 300 && status < 400) {
    response.destroy();
    throw new ConnectionFault(`HTTP ${status}: redirects are not followed`);
  }
  const words = findProviderMessage(await readBodyStart(response, maxErrorBodyBytes));
  const unwanted =
    status === 200 ? `an answer of type ${contentTypeOf(response)} instead of ${wanted}` : null;
  return [`HTTP ${status}`, words ?? unwanted ?? []].flat().join(": ");
}
