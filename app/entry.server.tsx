import { PassThrough } from "node:stream";
import { createReadableStreamFromReadable } from "@remix-run/node";
import type { AppLoadContext, EntryContext, LoaderFunctionArgs } from "@remix-run/node";
import { RemixServer, isRouteErrorResponse } from "@remix-run/react";
import { renderToPipeableStream } from "react-dom/server";
import { renderWelcomeHtml } from "~/content/welcome-html.server";
import { WelcomeRenderer } from "~/gate/page/room/served-room";
import { pageRefusalResponse } from "~/platform/http/plain-page.server";
import { Refusal, problemHeader } from "./platform/refusals/refusal";
import { noteRefusal } from "~/platform/http/to-refusal.server";
import { takeTurn } from "~/platform/http/turn.server";
import { NonceContext } from "~/ui/nonce";

/** Maximum wait for a page's slow data, in milliseconds. */
export const streamTimeout = 5_000;

/** Sends a page once it is whole, because a failing part decides the status. */
export default async function handleRequest(
  request: Request,
  responseStatusCode: number,
  responseHeaders: Headers,
  remixContext: EntryContext,
  loadContext: AppLoadContext,
): Promise<Response> {
  await takeTurn(loadContext.clientId);
  // The visitor left while the data was read.
  if (loadContext.signal.aborted) return new Response(null, { status: responseStatusCode });
  const { cspNonce: nonce, headers, refusal, requestId, service } = loadContext;
  if (refusal && !/\btext\/html\b/i.test(headers.accept ?? ""))
    return pageRefusalResponse(headers.accept, { refusal, origin: service.origin, requestId });
  let status = responseStatusCode;
  return await new Promise((resolve, reject) => {
    const { pipe, abort } = renderToPipeableStream(
      <NonceContext.Provider value={nonce}>
        <WelcomeRenderer.Provider value={renderWelcomeHtml}>
          <RemixServer context={remixContext} url={request.url} abortDelay={streamTimeout} nonce={nonce} />
        </WelcomeRenderer.Provider>
      </NonceContext.Provider>,
      {
        nonce,
        onAllReady() {
          clearTimeout(timer);
          const body = new PassThrough();
          responseHeaders.set("Content-Type", "text/html; charset=utf-8");
          if (!responseHeaders.has("Cache-Control")) responseHeaders.set("Cache-Control", "no-cache");
          nameProblem(responseHeaders, status);
          resolve(new Response(createReadableStreamFromReadable(body), { headers: responseHeaders, status }));
          pipe(body);
        },
        onShellError: reject,
        // For a part of the page. A failure of the whole page reaches handleError.
        onError(error) {
          status = 500;
          logError(loadContext, request, error);
        },
      },
    );
    // After the data's own timeout.
    const timer = setTimeout(abort, streamTimeout + 1_000).unref();
  });
}

export function handleDataRequest(response: Response): Response {
  nameProblem(response.headers, response.status);
  return response;
}

function nameProblem(headers: Headers, status: number): void {
  for (const [name, value] of Object.entries(problemHeader(status)))
    if (!headers.has(name)) headers.set(name, value);
}

export function handleError(error: unknown, { request, context }: LoaderFunctionArgs): void {
  if (error instanceof Refusal) {
    context.refusal = error;
    return noteRefusal(error, context);
  }
  // A closed tab and an unknown path are no errors.
  const isRefused = isRouteErrorResponse(error) && error.status < 500;
  if (!context.signal.aborted && !isRefused) logError(context, request, error);
}

function logError(loadContext: AppLoadContext, request: Request, error: unknown): void {
  // Without the query, which may have a token.
  loadContext.log.error(
    { err: error, method: request.method, path: new URL(request.url).pathname },
    "page rendering failed",
  );
}
