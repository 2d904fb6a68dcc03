import type { IncomingMessage, ServerResponse } from "node:http";
import { createRequestHandler } from "@remix-run/node";
import type { ServerBuild } from "@remix-run/node";
import { createRemixHeaders } from "@remix-run/express/dist/server.js";
import { matchPath } from "@remix-run/react";
import { addHeaders, answerProblem, answerText } from "./answer.server";
import type { Answer } from "./answer.server";
import { patternOf } from "./direct-route.server";
import { Refusal } from "./refusal";
import type { RequestContext } from "./request-context.server";
import { writeAnswer } from "./write-answer.server";

const allow = "GET, HEAD, OPTIONS";

/**
 * Pages, through the framework, with our own address (the stock adapter takes the host from headers anybody may send)
 * and our own writer. Only GET and HEAD reach the framework, which would answer another method with a 500.
 */
export function createPageHandler(build: ServerBuild, mode: string) {
  const handle = createRequestHandler(onlyPages(build), mode);
  const isPage = createPageFinder(build);

  async function answer(context: RequestContext, request: IncomingMessage): Promise<Answer> {
    try {
      // `_data` is how older pages asked for their data; the framework answers it with an error of its own.
      if (!isDecodable(context.pathname) || context.searchParams.has("_data")) throw new Refusal("not-found");
      if (["GET", "HEAD"].includes(context.method))
        return await handle(toWebRequest(context, request), context);
      if (!isPage(context.pathname)) throw new Refusal("not-found");
      if (context.method === "OPTIONS") return new Response(null, { status: 204, headers: { Allow: allow } });
      throw new Refusal("method-not-allowed", {
        detail: `${context.method} is not possible here. Use ${allow}.`,
        headers: { Allow: allow },
      });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const { service, headers, requestId } = context;
      service.countRefusal(error.slug);
      return answerPageRefusal(headers.accept, { refusal: error, origin: service.origin, requestId });
    }
  }

  async function answerPage(
    context: RequestContext,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    await writeAnswer(await answer(context, request), response);
  }
  /** A page for nobody in particular: nothing of any request reaches it. */
  const renderPage = (context: RequestContext): Promise<Response> =>
    handle(new Request(`${context.service.origin}${context.pathname}`), context);
  return { answerPage, renderPage };
}

/** Plain text for a browser, Problem Details for a program. */
export function answerPageRefusal(accept = "", refused: Parameters<typeof answerProblem>[0]): Answer {
  const { status, title, detail, headers, slug } = refused.refusal;
  const answer = !/\btext\/html\b/i.test(accept)
    ? answerProblem(refused)
    : answerText({
        status,
        text: `${title}. ${detail}\n`,
        contentType: "text/plain; charset=utf-8",
        headers: { "Cache-Control": "no-store", ...headers },
      });
  return addHeaders(answer, { "X-Problem": slug });
}

/** Whether there is a page at an address, in any of the spellings the framework finds it under. */
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
 * Resource routes belong to the direct routes alone: the framework would find them under more spellings (`/API/…`,
 * `/health%7a`, `.data`), without their headers, and would collect streams and files in memory first.
 */
function onlyPages(build: ServerBuild): ServerBuild {
  const { assets, routes } = build;
  const pickPages = <Value>(from: Record<string, Value>): Record<string, Value> =>
    Object.fromEntries(
      Object.entries(from).filter(([id]) => id === "root" || routes[id]?.module.default !== undefined),
    );
  // Both lists: no page can be rendered with what the manifest names and the routes lack.
  return { ...build, routes: pickPages(routes), assets: { ...assets, routes: pickPages(assets.routes) } };
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
  // As text: resolving it as an address would let "//elsewhere/path" choose another path.
  const target = request.url?.startsWith("/") ? request.url : "/";
  return new Request(`${context.service.origin}${target}`, {
    method: context.method,
    headers: createRemixHeaders(request.headers),
    signal: context.signal,
  });
}
