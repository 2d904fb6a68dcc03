import { PassThrough } from "node:stream";
import { createReadableStreamFromReadable } from "@remix-run/node";
import type { AppLoadContext, EntryContext, LoaderFunctionArgs } from "@remix-run/node";
import { RemixServer, isRouteErrorResponse } from "@remix-run/react";
import { isbot } from "isbot";
import { renderToPipeableStream } from "react-dom/server";
import { NonceContext } from "~/ui/nonce";

/** Milliseconds a page's slow data may take before the stream ends with what is there. */
export const streamTimeout = 5_000;

export default function handleRequest(
  request: Request,
  responseStatusCode: number,
  responseHeaders: Headers,
  remixContext: EntryContext,
  loadContext: AppLoadContext,
): Promise<Response> {
  const nonce = loadContext.cspNonce;
  const agent = request.headers.get("user-agent");
  // A crawler, a page without scripts or one that is kept gets the finished document; a browser gets its head at once.
  const waitsForAll = agent === null || isbot(agent) || remixContext.isSpaMode;

  return new Promise((resolve, reject) => {
    let status = responseStatusCode;
    let shellSent = false;

    const { pipe, abort } = renderToPipeableStream(
      <NonceContext.Provider value={nonce}>
        <RemixServer context={remixContext} url={request.url} abortDelay={streamTimeout} nonce={nonce} />
      </NonceContext.Provider>,
      {
        nonce,
        [waitsForAll ? "onAllReady" : "onShellReady"]: sendDocument,
        onShellError: reject,
        onError(error: unknown) {
          status = 500;
          // Before the shell is out the failure reaches handleError by itself.
          if (shellSent) logError(loadContext, request, error);
        },
      },
    );

    function sendDocument() {
      shellSent = true;
      const body = new PassThrough();
      responseHeaders.set("Content-Type", "text/html; charset=utf-8");
      resolve(new Response(createReadableStreamFromReadable(body), { headers: responseHeaders, status }));
      pipe(body);
    }

    // One second more than the data may take, so that its own timeout reaches the page first.
    setTimeout(abort, streamTimeout + 1_000).unref();
  });
}

export function handleError(error: unknown, { request, context }: LoaderFunctionArgs): void {
  // A visitor who closed the tab is not an error, and neither is a request without a route.
  const isRefused = isRouteErrorResponse(error) && error.status < 500;
  if (!request.signal.aborted && !isRefused) logError(context, request, error);
}

function logError(loadContext: AppLoadContext, request: Request, error: unknown): void {
  // The path only: a query may hold a token.
  loadContext.log.error(
    { err: error, method: request.method, path: new URL(request.url).pathname },
    "page rendering failed",
  );
}
