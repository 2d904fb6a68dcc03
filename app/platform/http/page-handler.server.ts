import type { IncomingMessage, ServerResponse } from "node:http";
import { createRequestHandler } from "@remix-run/node";
import type { ServerBuild } from "@remix-run/node";
import { createRemixHeaders } from "@remix-run/express/dist/server.js";
import { matchPath } from "@remix-run/react";
import { answerProblem, answerText } from "./answer.server";
import type { Answer } from "./answer.server";
import { patternOf } from "./direct-route.server";
import { Refusal } from "./refusal";
import type { RequestContext } from "./request-context.server";
import { writeAnswer } from "./write-answer.server";

const pageMethods = ["GET", "HEAD"];
const allow = "GET, HEAD, OPTIONS";

/**
 * Pages, through the framework. Built on the stock adapter's headers, but with our own address (the stock one
 * takes the host from headers anybody may send) and our own writer. Pages are read and never written to, so nothing
 * but GET and HEAD gets to the framework, which would take another method for a fault of ours.
 */
export function createPageHandler(build: ServerBuild, mode: string) {
  const handle = createRequestHandler(onlyPages(build), mode);
  const isPage = createPageFinder(build);

  async function answer(context: RequestContext, request: IncomingMessage): Promise<Answer> {
    try {
      // `_data` is how pages of an older framework asked for their data; this one answers it with an error of its own.
      if (!isDecodable(context.pathname) || context.searchParams.has("_data")) throw new Refusal("not-found");
      if (pageMethods.includes(context.method)) {
        return await handle(toWebRequest(context, request), context);
      }
      if (!isPage(context.pathname)) throw new Refusal("not-found");
      if (context.method === "OPTIONS") return new Response(null, { status: 204, headers: { Allow: allow } });
      throw new Refusal("method-not-allowed", {
        detail: `${context.method} is not possible here. Use ${allow}.`,
        headers: { Allow: allow },
      });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      context.service.countRefusal(error.slug);
      const { service, headers, requestId } = context;
      return answerPageRefusal({
        refusal: error,
        accept: headers.accept,
        origin: service.origin,
        requestId,
      });
    }
  }

  return async function answerPage({
    context,
    request,
    response,
  }: {
    context: RequestContext;
    request: IncomingMessage;
    response: ServerResponse;
  }): Promise<void> {
    const withBody = context.method !== "HEAD";
    await writeAnswer({ answer: await answer(context, request), to: response, withBody });
  };
}

type AnswerPageRefusalOptions = {
  refusal: Refusal;
  accept: string | undefined;
  origin: string;
  requestId: string;
};

/** In words for somebody who sits before a browser, as Problem Details for a program. */
export function answerPageRefusal({
  refusal,
  accept = "",
  origin,
  requestId,
}: AnswerPageRefusalOptions): Answer {
  const { status, title, detail, headers } = refusal;
  if (!/\btext\/html\b/i.test(accept)) return answerProblem({ refusal, origin, requestId });
  return answerText({
    status,
    text: `${title}. ${detail}\n`,
    contentType: "text/plain; charset=utf-8",
    headers: { "Cache-Control": "no-store", ...headers },
  });
}

/** Whether a page lives at an address, in any of the spellings the framework finds it under. */
function createPageFinder({ routes }: ServerBuild): (pathname: string) => boolean {
  const patterns = Object.values(routes).flatMap((route) => {
    if (!route || route.id === "root" || route.module.default === undefined) return [];
    const pattern = patternOf(routes, route.id);
    // What takes every address that nothing else takes is no page of its own.
    return pattern.endsWith("*") ? [] : [pattern];
  });
  return (pathname) => {
    const address = pathname.replace(/\.data$/, "").replace(/^\/_root$/, "/");
    return patterns.some((pattern) => matchPath(pattern, address) !== null);
  };
}

/**
 * Resource routes belong to the direct routes alone. The framework would find them under more spellings (`/API/…`,
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

function toWebRequest(context: RequestContext, request: IncomingMessage): Request {
  // Only the path and the query of this address mean anything; who asked for which host stands in the context.
  // Put together as text: resolving it as an address would let "//elsewhere/path" choose another path.
  const target = request.url?.startsWith("/") ? request.url : "/";
  return new Request(`${context.service.origin}${target}`, {
    method: context.method,
    headers: createRemixHeaders(request.headers),
    signal: context.signal,
  });
}
