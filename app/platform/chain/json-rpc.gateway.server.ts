import { Agent as HttpAgent, request as requestHttp } from "node:http";
import type { ClientRequest, IncomingMessage } from "node:http";
import { Agent as HttpsAgent, request as requestHttps } from "node:https";

/** Far above any answer the service asks for; logs of a wide range are the largest. */
const maxAnswerBytes = 16 * 1024 * 1024;
/** Connections to one endpoint; requests beyond them wait for one, within their timeout. */
const maxConnections = 128;

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
 * Sends JSON to one URL over connections that are kept open. Node's own client, because it takes a third of
 * the CPU time of `fetch`, and this is the greater part of what a sign-in costs.
 */
export function createJsonPoster(url: string, timeoutMs: number) {
  const { protocol, hostname, port, pathname, search, username, password } = new URL(url);
  const isSecure = protocol === "https:";
  const agentOptions = { keepAlive: true, maxSockets: maxConnections };
  const agent = isSecure ? new HttpsAgent(agentOptions) : new HttpAgent(agentOptions);
  const auth = username && `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  const options = {
    agent,
    method: "POST",
    hostname: hostname.replace(/^\[|\]$/g, ""),
    port,
    path: `${pathname}${search}`,
    ...(auth && { auth }),
  };

  function begin(body: Buffer): ClientRequest {
    const headers = {
      "Content-Type": "application/json",
      Accept: "application/json",
      "Content-Length": body.length,
    };
    const request = isSecure ? requestHttps({ ...options, headers }) : requestHttp({ ...options, headers });
    request.end(body);
    return request;
  }

  /** Rejects with a PostFailure. */
  return function post(json: string): Promise<HttpAnswer> {
    const body = Buffer.from(json, "utf8");
    return new Promise((resolve, reject) => {
      let request: ClientRequest;
      let isOver = false;
      const tooLate = () => fail(new PostFailure("It did not answer in time.", true));
      const timer = setTimeout(tooLate, timeoutMs);
      function fail(failure: PostFailure): void {
        isOver = true;
        clearTimeout(timer);
        reject(failure);
        request.destroy();
      }
      function send(isSecondTry: boolean): void {
        request = begin(body);
        request.once("response", (response) => {
          readText(response).then(
            (text) => {
              isOver = true;
              clearTimeout(timer);
              resolve({ status: response.statusCode ?? 0, text });
            },
            (error: unknown) => fail(error instanceof PostFailure ? error : brokenConnection(error)),
          );
        });
        request.on("error", (error) => {
          // A kept connection may be closed by the server at the very moment it is used again. All that is
          // asked here reads, or hands in a signed transaction, which the chain takes once: so once more.
          if (request.reusedSocket && !isSecondTry && !isOver) return send(true);
          fail(brokenConnection(error));
        });
      }
      send(false);
    });
  };
}

function brokenConnection(error: unknown): PostFailure {
  const { code } = error as { code?: unknown };
  return new PostFailure(`The connection failed: ${typeof code === "string" ? code : "no reason given"}.`);
}

/** By events: an asynchronous iterator over a few small chunks costs as much as the rest of the request. */
function readText(response: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    response.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > maxAnswerBytes) {
        reject(new PostFailure(`The answer is larger than ${maxAnswerBytes} bytes.`));
        response.destroy();
      } else chunks.push(chunk);
    });
    response.once("end", () => resolve(Buffer.concat(chunks).toString("utf8")));
    response.once("error", reject);
    response.once("close", () => {
      // After every answer: an error that nobody is told of is not made.
      if (!response.complete) reject(new PostFailure("The connection failed: it ended in mid-answer."));
    });
  });
}
