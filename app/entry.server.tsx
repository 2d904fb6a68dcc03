import { Writable } from "node:stream";
import type { ReactElement } from "react";
import type { AppLoadContext, EntryContext, LoaderFunctionArgs } from "@remix-run/node";
import { RemixServer, isRouteErrorResponse } from "@remix-run/react";
import { renderToPipeableStream, renderToString } from "react-dom/server";
import { renderWelcomeHtml } from "~/content/welcome-html.server";
import { WelcomeRenderer } from "~/gate/page/room/served-room";
import { WholePage } from "~/platform/http/pages/whole-page.server";
import { NonceContext } from "~/ui/nonce";

/** Milliseconds a page's slow data may take before the page ends with what is there. */
export const streamTimeout = 5_000;

/**
 * Every document in one piece: no page waits for anything once its data is there, and passing it on piece by piece
 * through four kinds of streams takes as long as drawing it.
 */
export default async function handleRequest(
  request: Request,
  responseStatusCode: number,
  responseHeaders: Headers,
  remixContext: EntryContext,
  loadContext: AppLoadContext,
): Promise<Response> {
  await takeData(remixContext);
  // Nothing is drawn for a visitor who has left while the data was read.
  if (loadContext.isGone) return new WholePage("", { status: responseStatusCode });
  const nonce = loadContext.cspNonce;
  const page = (
    <NonceContext.Provider value={nonce}>
      <WelcomeRenderer.Provider value={renderWelcomeHtml}>
        <RemixServer context={remixContext} url={request.url} abortDelay={streamTimeout} nonce={nonce} />
      </WelcomeRenderer.Provider>
    </NonceContext.Provider>
  );
  const { html, failures } = drawAtOnce(page) ?? (await drawAndWait(page, nonce));
  // Parts that left a gap each; a failure of the page as a whole has reached handleError by itself.
  for (const failure of failures) logError(loadContext, request, failure);
  responseHeaders.set("Content-Type", "text/html; charset=utf-8");
  return new WholePage(html, {
    headers: responseHeaders,
    status: failures.length > 0 ? 500 : responseStatusCode,
  });
}

/** What React writes in place of a part that is not there. */
const gapMark = "<!--$!-->";

type Drawn = { html: string; failures: readonly unknown[] };

/**
 * `renderToString` makes text, where `renderToPipeableStream` makes bytes of every piece, which are made text again. It
 * waits for nothing and does not report what fails behind a boundary: where a part waits or fails, the answer here is null.
 */
function drawAtOnce(page: ReactElement): Drawn | null {
  try {
    const html = `<!DOCTYPE html>${renderToString(page)}`;
    return html.includes(gapMark) ? null : { html, failures: [] };
  } catch {
    return null;
  }
}

function drawAndWait(page: ReactElement, nonce: string): Promise<Drawn> {
  const failures: unknown[] = [];
  return new Promise((resolve, reject) => {
    const { pipe, abort } = renderToPipeableStream(page, {
      nonce,
      onAllReady() {
        clearTimeout(timer);
        pipe(collectText((html) => resolve({ html, failures })).on("error", reject));
      },
      onShellError: reject,
      onError: (error) => void failures.push(error),
    });
    // One second more than the data may take, so that its own timeout reaches the page first.
    const timer = setTimeout(abort, streamTimeout + 1_000).unref();
  });
}

function collectText(onText: (text: string) => void): Writable {
  const pieces: Uint8Array[] = [];
  return new Writable({
    write(piece: Uint8Array, _encoding, done) {
      pieces.push(piece);
      done();
    },
    final(done) {
      onText(Buffer.concat(pieces).toString());
      done();
    },
  });
}

/** Before the page is drawn: where drawing meets a piece that is still to come, it begins again there. */
async function takeData({ renderMeta, serverHandoffStream }: EntryContext): Promise<void> {
  if (!renderMeta || !serverHandoffStream) return;
  const reader = serverHandoffStream.getReader();
  const pieces: Uint8Array[] = [];
  for (let read = await reader.read(); !read.done; read = await reader.read()) pieces.push(read.value);
  const result = { done: true, value: Buffer.concat(pieces).toString() };
  renderMeta.streamCache = { 0: Object.assign(Promise.resolve(), { result }) };
  // The framework asks for a reader whenever it draws, which a stream with a reader refuses. It reads nothing more from it.
  Object.assign(serverHandoffStream, { getReader: () => reader });
}

export function handleError(error: unknown, { request, context }: LoaderFunctionArgs): void {
  // A visitor who closed the tab is not an error, and neither is a request without a route.
  const isRefused = isRouteErrorResponse(error) && error.status < 500;
  if (!context.isGone && !isRefused) logError(context, request, error);
}

function logError(loadContext: AppLoadContext, request: Request, error: unknown): void {
  // The path only: a query may hold a token.
  loadContext.log.error(
    { err: error, method: request.method, path: new URL(request.url).pathname },
    "page rendering failed",
  );
}
