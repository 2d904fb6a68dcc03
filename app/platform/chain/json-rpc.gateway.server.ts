import { Pool } from "undici";

/** Far above any answer the service asks for; logs of a wide range are the largest. */
const maxAnswerBytes = 16 * 1024 * 1024;
/** Connections to one endpoint; requests beyond them wait for one, within their timeout. */
const maxConnections = 128;
/** How long a connection is kept that nothing is asked over, unless the endpoint says less. */
const keepConnectionMs = 60_000;
/** How it shows that the other side closed a connection. */
const closedCodes = new Set<unknown>(["UND_ERR_SOCKET", "ECONNRESET", "EPIPE"]);

export type HttpAnswer = { status: number; text: string };
/** Nothing usable came back. The message never names the URL, which may hold a key. */
export class PostFailure extends Error {
  override readonly name = "PostFailure";

  constructor(
    message: string,
    readonly isTimeout = false,
  ) {
    super(message);
  }
}

/** Sends JSON to one URL over connections that are kept open. */
export function createJsonPoster(url: string, timeoutMs: number) {
  const { origin, pathname, search, username, password } = new URL(url);
  const pool = new Pool(origin, {
    connections: maxConnections,
    keepAliveTimeout: keepConnectionMs,
    connect: { timeout: timeoutMs },
    // One limit for the whole request is set below.
    headersTimeout: 0,
    bodyTimeout: 0,
    maxResponseSize: maxAnswerBytes,
  });
  const headers: Record<string, string> = { "Content-Type": "application/json", Accept: "application/json" };
  if (username) headers.Authorization = basicAuthorization(username, password);
  const options = { method: "POST", path: `${pathname}${search}`, headers } as const;

  /** Rejects with a PostFailure. */
  return async function post(body: string): Promise<HttpAnswer> {
    const request = { ...options, body, signal: AbortSignal.timeout(timeoutMs) };
    // A kept connection may be closed by the server at the very moment it is used again. All that is
    // asked here reads, or hands in a signed transaction, which the chain takes once: so once more.
    const answer = await pool.request(request).catch(async (error: unknown) => {
      if (!isClosedConnection(error)) throw toFailure(error);
      return await pool.request(request).catch((again: unknown) => Promise.reject(toFailure(again)));
    });
    try {
      return { status: answer.statusCode, text: await answer.body.text() };
    } catch (error) {
      throw isClosedConnection(error)
        ? new PostFailure("The connection failed: it ended in mid-answer.")
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
  if (name === "TimeoutError") return new PostFailure("It did not answer in time.", true);
  if (code === "UND_ERR_RES_EXCEEDED_MAX_SIZE")
    return new PostFailure(`The answer is larger than ${maxAnswerBytes} bytes.`);
  const known = typeof code === "string" ? code : "no reason given";
  return new PostFailure(
    `The connection failed: ${isClosedConnection(error) ? "the other side closed it" : known}.`,
  );
}
