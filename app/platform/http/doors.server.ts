import { randomUUID } from "node:crypto";
import type { RequestListener, ServerResponse } from "node:http";

export type Doors = {
  /** What the HTTP server calls, from the first moment on. */
  listener: RequestListener;
  open: (listener: RequestListener) => void;
};

const readinessPath = /^\/readyz(?:\?|$)/;

/**
 * What comes while the server is still starting waits until it has started, but for the question whether it is ready:
 * a start may wait for long for a database that hangs or is being migrated, and whoever asks is to know that at once.
 */
export function createDoors(): Doors {
  let opened: RequestListener | undefined;
  let open: (listener: RequestListener) => void = () => {};
  const untilOpen = new Promise<RequestListener>((resolve) => (open = resolve));
  return {
    listener(request, response) {
      if (opened) return opened(request, response);
      if (readinessPath.test(request.url ?? "")) return answerUnready(response);
      void untilOpen.then((listener) => listener(request, response));
    },
    open(listener) {
      opened = listener;
      open(listener);
    },
  };
}

/** In the shape that `/readyz` always has. */
function answerUnready(response: ServerResponse): void {
  const detail = "Nothing is known yet: the server is still starting.";
  const unknown = { state: "down", latencyMs: 0, detail };
  const body = {
    status: "unready",
    dependencies: { database: unknown, chain: unknown, provider: unknown },
    quota: { active: false, missing: ["The server is still starting."] },
  };
  response.writeHead(503, {
    "Content-Type": "application/json; charset=utf-8",
    "Cache-Control": "no-store",
    "Retry-After": "1",
    "X-Content-Type-Options": "nosniff",
    "X-Request-Id": randomUUID(),
  });
  response.end(JSON.stringify(body));
}
