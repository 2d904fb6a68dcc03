import type { IncomingMessage, ServerResponse } from "node:http";
import { createRequestHandler } from "@remix-run/node";
import type { ServerBuild } from "@remix-run/node";
import { createRemixHeaders } from "@remix-run/express/dist/server.js";
import { answerProblem } from "./answer.server";
import { Refusal } from "./refusal";
import type { RequestContext } from "./request-context.server";
import { writeAnswer } from "./write-answer.server";

const maxPageBodyBytes = 64 * 1024;

/**
 * Pages, through the framework. Built on the stock adapter's headers, but with our own address (the stock one
 * takes the host from headers anybody may send), a byte limit on bodies, and our own writer.
 */
export function createPageHandler({ build, mode }: { build: ServerBuild; mode: string }) {
  const handle = createRequestHandler(onlyPages(build), mode);

  return async function answerPage({
    context,
    request,
    response,
  }: {
    context: RequestContext;
    request: IncomingMessage;
    response: ServerResponse;
  }): Promise<void> {
    const answer = await toWebRequest({ context, request }).then(
      (webRequest) => handle(webRequest, context),
      (error: unknown) => {
        if (!(error instanceof Refusal)) throw error;
        return answerProblem({
          refusal: error,
          origin: context.service.origin,
          requestId: context.requestId,
        });
      },
    );
    await writeAnswer({ answer, to: response, withBody: context.method !== "HEAD" });
  };
}

/**
 * Resource routes belong to the direct lane alone. The framework would find them under more spellings (`/API/…`,
 * `/health%7a`, `.data`), without their headers, with a body that was read already, and with every answer, streams
 * and whole files too, collected in memory first.
 */
function onlyPages(build: ServerBuild): ServerBuild {
  const { assets, routes } = build;
  const isPage = (id: string) => id === "root" || routes[id]?.module.default !== undefined;
  // Both lists: what the manifest names and the routes lack, no page can be drawn with.
  return {
    ...build,
    routes: pick(routes, isPage),
    assets: { ...assets, routes: pick(assets.routes, isPage) },
  };
}

function pick<Value>(from: Record<string, Value>, isWanted: (id: string) => boolean): Record<string, Value> {
  return Object.fromEntries(Object.entries(from).filter(([id]) => isWanted(id)));
}

/** The framework answers an address it cannot decode with a page that has no data, which no page expects. */
function isDecodable(pathname: string): boolean {
  try {
    decodeURIComponent(pathname);
    return true;
  } catch {
    return false;
  }
}

async function toWebRequest({
  context,
  request,
}: {
  context: RequestContext;
  request: IncomingMessage;
}): Promise<Request> {
  const hasBody = context.method !== "GET" && context.method !== "HEAD";
  if (!isDecodable(context.pathname)) throw new Refusal("not-found");
  // Only the path and the query of this address mean anything; who asked for which host stands in the context.
  // Put together as text: resolving it as an address would let "//elsewhere/path" choose another path.
  const target = request.url?.startsWith("/") ? request.url : "/";
  return new Request(`${context.service.origin}${target}`, {
    method: context.method,
    headers: createRemixHeaders(request.headers),
    signal: context.signal,
    ...(hasBody ? { body: new Uint8Array(await context.readBody(maxPageBodyBytes)) } : {}),
  });
}
