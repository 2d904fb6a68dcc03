import { randomUUID } from "node:crypto";
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { jsonResponse } from "../responses.server";
import { Refusal } from "~/platform/refusals/refusal";
import { sendResponse } from "../send-response.server";

type StartupBufferOptions = {
  /** In the shape of the requested address. */
  toRefusalResponse: (refusal: Refusal, request: IncomingMessage, requestId: string) => Response;
  /** Longer than a usual start. */
  waitMs?: number;
  maxWaiting?: number;
};

const retryAfterSeconds = 2;
const servicePath = /^\/(healthz|readyz)(?:\?|$)/;

/**
 * During the start, the server reports that it is alive and not ready. Every other request waits for a moment, and is
 * then refused. Requests of clients that gave up are dropped.
 */
export function createStartupBuffer({
  toRefusalResponse,
  waitMs = 2_000,
  maxWaiting = 200,
}: StartupBufferOptions) {
  let opened: RequestListener | undefined;
  let isClosed = false;
  let waiting = 0;
  let settle = () => {};
  const settled = new Promise<void>((resolve) => (settle = resolve));

  function refuse(request: IncomingMessage, response: ServerResponse): void {
    const refusal = new Refusal("state-unavailable", {
      detail: `The server is ${isClosed ? "stopping" : "still starting"}. Nothing was decided or changed.`,
      headers: { "Retry-After": String(retryAfterSeconds) },
    });
    respondWith(response, (requestId) => toRefusalResponse(refusal, request, requestId));
  }

  async function hold(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const hasLeft = new Promise((resolve) => response.once("close", resolve));
    waiting += 1;
    await Promise.race([settled, hasLeft, delay(waitMs, undefined, { ref: false })]);
    waiting -= 1;
    if (response.destroyed) return;
    if (opened) opened(request, response);
    else refuse(request, response);
  }

  return {
    listener(request: IncomingMessage, response: ServerResponse): void {
      if (opened) return opened(request, response);
      const service = servicePath.exec(request.url ?? "")?.[1];
      if (service !== undefined && ["GET", "HEAD"].includes(request.method ?? "")) {
        const made = service === "healthz" ? jsonResponse({ body: { status: "alive" } }) : unreadyResponse();
        return respondWith(response, () => made);
      }
      if (isClosed || waiting >= maxWaiting) return refuse(request, response);
      void hold(request, response);
    },
    open(listener: RequestListener): void {
      opened = listener;
      settle();
    },
    /** Unless it is open, refuses waiting and coming requests at once. */
    close(): void {
      isClosed = true;
      settle();
    },
  };
}

/** The shape of `/readyz`. */
function unreadyResponse(): Response {
  const detail = "Nothing is known yet: the server is still starting.";
  const unknown = { state: "down", latencyMs: 0, detail };
  return jsonResponse({
    status: 503,
    headers: { "Retry-After": "1" },
    body: {
      status: "unready",
      dependencies: { database: unknown, chain: unknown, provider: unknown },
      quota: { active: false, missing: ["The server is still starting."] },
    },
  });
}

function respondWith(response: ServerResponse, toResponse: (requestId: string) => Response): void {
  const requestId = randomUUID();
  response.setHeader("X-Request-Id", requestId);
  response.setHeader("X-Content-Type-Options", "nosniff");
  const made = toResponse(requestId);
  void sendResponse(response.req.method === "HEAD" ? new Response(null, made) : made, response);
}
