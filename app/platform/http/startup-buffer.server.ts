import { randomUUID } from "node:crypto";
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { answerJson } from "./answer.server";
import type { Answer } from "./answer.server";
import { Refusal } from "./refusal";
import { writeAnswer } from "./write-answer.server";

export type StartupBuffer = {
  /** What the HTTP server calls, from the first moment on. */
  listener: RequestListener;
  open: (listener: RequestListener) => void;
  /** There will be no opening: whoever waits, and whoever still comes, is refused at once. */
  close: () => void;
};

/** In the shape of the address that was asked, as far as that is known while nothing runs yet. */
type AnswerRefusal = (refused: { refusal: Refusal; request: IncomingMessage; requestId: string }) => Answer;

/** Longer than a start with nothing in its way takes; shorter than anybody waits before asking again. */
const longestWaitMs = 2_000;
const mostWaiting = 200;
const retryAfterSeconds = 2;
const servicePath = /^\/(healthz|readyz)(?:\?|$)/;

/**
 * While the server is starting, it says that it lives and that it is not ready; everything else waits for a moment, and
 * is then told to come back. A start may take long, before a database that hangs or is being migrated. Who gave up
 * while waiting is forgotten: done late, and for nobody, that work would keep those waiting who are still there.
 */
export function createStartupBuffer({
  answerRefusal,
  waitMs = longestWaitMs,
  maxWaiting = mostWaiting,
}: {
  answerRefusal: AnswerRefusal;
  waitMs?: number;
  maxWaiting?: number;
}): StartupBuffer {
  let opened: RequestListener | undefined;
  let isClosed = false;
  const waiting = new Map<ServerResponse, { request: IncomingMessage; timer: NodeJS.Timeout }>();

  function takeOut(response: ServerResponse): IncomingMessage | null {
    const found = waiting.get(response);
    clearTimeout(found?.timer);
    waiting.delete(response);
    return found && !found.request.socket.destroyed ? found.request : null;
  }

  function refuse(request: IncomingMessage, response: ServerResponse): void {
    const refusal = new Refusal("state-unavailable", {
      detail: `The server is ${isClosed ? "stopping" : "still starting"}. Nothing was decided or changed.`,
      headers: { "Retry-After": String(retryAfterSeconds) },
    });
    const requestId = randomUUID();
    answerWith({ answer: answerRefusal({ refusal, request, requestId }), requestId, request, response });
  }

  function refuseWaiting(response: ServerResponse): void {
    const request = takeOut(response);
    if (request) refuse(request, response);
  }

  return {
    listener(request, response) {
      if (opened) return opened(request, response);
      const service = servicePath.exec(request.url ?? "")?.[1];
      if (service !== undefined && isRead(request)) {
        const answer = service === "healthz" ? answerJson({ body: { status: "alive" } }) : answerUnready();
        return answerWith({ answer, requestId: randomUUID(), request, response });
      }
      if (isClosed || waiting.size >= maxWaiting) return refuse(request, response);
      waiting.set(response, { request, timer: setTimeout(refuseWaiting, waitMs, response) });
      response.once("close", () => takeOut(response));
    },
    open(listener) {
      opened = listener;
      for (const response of [...waiting.keys()]) {
        const request = takeOut(response);
        if (request) listener(request, response);
      }
    },
    close() {
      isClosed = true;
      for (const response of [...waiting.keys()]) refuseWaiting(response);
    },
  };
}

function isRead({ method }: IncomingMessage): boolean {
  return method === "GET" || method === "HEAD";
}

/** In the shape that `/readyz` always has. */
function answerUnready(): Answer {
  const detail = "Nothing is known yet: the server is still starting.";
  const unknown = { state: "down", latencyMs: 0, detail };
  return answerJson({
    status: 503,
    headers: { "Retry-After": "1" },
    body: {
      status: "unready",
      dependencies: { database: unknown, chain: unknown, provider: unknown },
      quota: { active: false, missing: ["The server is still starting."] },
    },
  });
}

type AnswerWithOptions = {
  answer: Answer;
  requestId: string;
  request: IncomingMessage;
  response: ServerResponse;
};

function answerWith({ answer, requestId, request, response }: AnswerWithOptions): void {
  const headers = { "x-request-id": requestId, "x-content-type-options": "nosniff" };
  void writeAnswer({ answer, to: response, withBody: request.method !== "HEAD", headers });
}
