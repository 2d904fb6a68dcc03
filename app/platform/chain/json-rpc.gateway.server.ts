import Pool from "undici/lib/dispatcher/pool.js";
import type { Dispatcher } from "undici";

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

/**
 * Sends JSON to one URL over connections that are kept open. By undici's `dispatch`: docs/decisions/066-fixed-cost.md
 * compares it with Node's own client and with `fetch`.
 */
export function createJsonPoster(url: string, timeoutMs: number) {
  const { origin, pathname, search, username, password } = new URL(url);
  const pool = new Pool(origin, {
    connections: maxConnections,
    keepAliveTimeout: keepConnectionMs,
    connect: { timeout: timeoutMs },
    // One limit for the whole request is set below.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  const headers: Record<string, string> = { "Content-Type": "application/json", Accept: "application/json" };
  if (username) headers.Authorization = basicAuthorization(username, password);
  const options = { method: "POST", path: `${pathname}${search}`, headers } as const;

  /** Rejects with a PostFailure. */
  return function post(body: string): Promise<HttpAnswer> {
    const request = { ...options, body };
    return new Promise((resolve, reject) => {
      const exchange = createExchange({ timeoutMs, resolve, reject, sendAgain: send });
      function send(): void {
        pool.dispatch(request, exchange);
      }
      send();
    });
  };
}

function basicAuthorization(username: string, password: string): string {
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return `Basic ${Buffer.from(pair, "utf8").toString("base64")}`;
}

type ExchangeOptions = {
  timeoutMs: number;
  resolve: (answer: HttpAnswer) => void;
  reject: (failure: PostFailure) => void;
  sendAgain: () => void;
};

/** One request and its answer, as undici tells of them. */
function createExchange({
  timeoutMs,
  resolve,
  reject,
  sendAgain,
}: ExchangeOptions): Dispatcher.DispatchHandlers {
  const timer = setTimeout(fail, timeoutMs, "It did not answer in time.", true);
  let abort: ((error?: Error) => void) | undefined;
  let failure: PostFailure | undefined;
  let isSecondTry = false;
  let status = 0;
  let bytes = 0;
  const chunks: Buffer[] = [];

  function fail(message: string, isTimeout = false): void {
    clearTimeout(timer);
    failure = new PostFailure(message, isTimeout);
    reject(failure);
    abort?.(failure);
  }

  return {
    onConnect(given) {
      abort = given;
      // It waited for a connection until it was too late.
      if (failure) abort(failure);
    },
    onHeaders(statusCode) {
      status = statusCode;
      return true;
    },
    onData(chunk) {
      bytes += chunk.length;
      if (bytes <= maxAnswerBytes) chunks.push(chunk);
      else fail(`The answer is larger than ${maxAnswerBytes} bytes.`);
      return true;
    },
    onComplete() {
      clearTimeout(timer);
      resolve({ status, text: Buffer.concat(chunks).toString("utf8") });
    },
    onError(error) {
      if (failure) return;
      const { code } = error as { code?: unknown };
      const isClosed = closedCodes.has(code);
      if (status > 0 && isClosed) return fail("The connection failed: it ended in mid-answer.");
      // A kept connection may be closed by the server at the very moment it is used again. All that is
      // asked here reads, or hands in a signed transaction, which the chain takes once: so once more.
      if (isClosed && !isSecondTry) {
        isSecondTry = true;
        return sendAgain();
      }
      const reason = isClosed
        ? "the other side closed it"
        : typeof code === "string"
          ? code
          : "no reason given";
      fail(`The connection failed: ${reason}.`);
    },
  };
}
