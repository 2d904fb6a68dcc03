import { Pool } from "undici";

/** Far above any response we need; logs of a wide range are the largest. */
const maxReplyBytes = 16 * 1024 * 1024;
/** For one endpoint. More requests wait for a connection, within their timeout. */
const maxConnections = 128;
/** Unless the endpoint says less. */
const keepConnectionMs = 60_000;
/** The other side closed the connection. */
const closedCodes = new Set<unknown>(["UND_ERR_SOCKET", "ECONNRESET", "EPIPE"]);

export type HttpReply = { status: number; text: string };
/** The message never names the URL, which may contain a key. */
export class PostFailure extends Error {
  override readonly name = "PostFailure";

  constructor(
    message: string,
    readonly isTimeout = false,
  ) {
    super(message);
  }
}

/** Sends JSON to one URL over kept-alive connections. */
export function createJsonPoster(url: string, timeoutMs: number) {
  const { origin, pathname, search, username, password } = new URL(url);
  const pool = new Pool(origin, {
    connections: maxConnections,
    keepAliveTimeout: keepConnectionMs,
    connect: { timeout: timeoutMs },
    // The request has one timeout, below.
    headersTimeout: 0,
    bodyTimeout: 0,
    maxResponseSize: maxReplyBytes,
  });
  const headers: Record<string, string> = { "Content-Type": "application/json", Accept: "application/json" };
  if (username) headers.Authorization = basicAuthorization(username, password);
  const options = { method: "POST", path: `${pathname}${search}`, headers } as const;

  /** Rejects with a PostFailure. */
  return async function post(body: string): Promise<HttpReply> {
    const request = { ...options, body, signal: AbortSignal.timeout(timeoutMs) };
    // The server may close a kept connection just as we use it. Every call reads, or sends a signed transaction, which
    // the chain takes once. So one retry is safe.
    const reply = await pool.request(request).catch(async (error: unknown) => {
      if (!isClosedConnection(error)) throw toFailure(error);
      return await pool.request(request).catch((again: unknown) => Promise.reject(toFailure(again)));
    });
    try {
      return { status: reply.statusCode, text: await reply.body.text() };
    } catch (error) {
      throw isClosedConnection(error)
        ? new PostFailure("The connection failed: it ended in mid-response.")
        : toFailure(error);
    }
  };
}

function basicAuthorization(username: string, password: string): string {
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return `Basic ${Buffer.from(pair, "utf8").toString("base64")}`;
}

function isClosedConnection(error: unknown): boolean {
  return closedCodes.has((error as { code?: unknown }).code);
}

function toFailure(error: unknown): PostFailure {
  const { name, code } = error as { name?: unknown; code?: unknown };
  if (name === "TimeoutError") return new PostFailure("It did not respond in time.", true);
  if (code === "UND_ERR_RES_EXCEEDED_MAX_SIZE")
    return new PostFailure(`The response is larger than ${maxReplyBytes} bytes.`);
  const known = typeof code === "string" ? code : "no reason given";
  return new PostFailure(
    `The connection failed: ${isClosedConnection(error) ? "the other side closed it" : known}.`,
  );
}
