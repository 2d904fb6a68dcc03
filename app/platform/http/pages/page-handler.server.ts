import type { IncomingMessage, ServerResponse } from "node:http";
import { createRequestHandler } from "@remix-run/node";
import type { ServerBuild } from "@remix-run/node";
import { createRemixHeaders } from "@remix-run/express/dist/server.js";
import { matchPath } from "@remix-run/react";
import { TextAnswer, addHeaders, answerProblem, answerText } from "../answer.server";
import type { Answer, HeaderTable } from "../answer.server";
import { patternOf, pickRoutes } from "../direct-route.server";
import { Refusal, problemHeader } from "../refusal";
import type { RequestContext } from "../request-context.server";
import { writeAnswer } from "../write-answer.server";
import { packAnswer } from "./pack-text.server";
import { WholePage } from "./whole-page.server";

const allow = "GET, HEAD, OPTIONS";

/** `headers`, in lower case, yield to the page's own. */
type PageExchange = {
  context: RequestContext;
  request: IncomingMessage;
  response: ServerResponse;
  headers: HeaderTable;
};

/**
 * Pages, through the framework, with our own address (the stock adapter takes the host from headers anybody may send)
 * and our own writer. Only GET and HEAD reach the framework, which would answer another method with a 500.
 */
export function createPageHandler(build: ServerBuild, mode: string) {
  const { handleAny, byPattern } = createHandlers(build, mode);
  const handle = (request: Request, context: RequestContext): Promise<Response> =>
    (byPattern.get(context.pathname) ?? handleAny)(request, context);

  async function answer(context: RequestContext, request: IncomingMessage): Promise<Answer> {
    try {
      // `_data` is how older pages asked for their data; the framework answers it with an error of its own.
      if (!isDecodable(context.pathname) || context.searchParams.has("_data")) throw new Refusal("not-found");
      if (["GET", "HEAD"].includes(context.method)) {
        const made = await handle(toWebRequest(context, request), context);
        return addHeaders(toAnswer(made), problemHeader(made.status));
      }
      if (!isPage(byPattern.keys(), context.pathname)) throw new Refusal("not-found");
      if (context.method === "OPTIONS") return new Response(null, { status: 204, headers: { Allow: allow } });
      throw new Refusal("method-not-allowed", {
        detail: `${context.method} is not possible here. Use ${allow}.`,
        headers: { Allow: allow },
      });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const { service, headers, requestId } = context;
      service.countRefusal(error);
      return answerPageRefusal(headers.accept, { refusal: error, origin: service.origin, requestId });
    }
  }

  async function answerPage({ context, request, response, headers }: PageExchange): Promise<void> {
    await writeAnswer(await packAnswer(await answer(context, request), context), response, headers);
  }
  /** A page for nobody in particular: nothing of any request reaches it. */
  const renderPage = (context: RequestContext): Promise<Response> =>
    handle(new Request(`${context.service.origin}${context.pathname}`), context);
  return { answerPage, renderPage };
}

function toAnswer(made: Response): Answer {
  // What the framework sends to its own scripts may still be under way.
  if (!(made instanceof WholePage)) return made;
  const headers = Object.fromEntries(made.headers);
  // Of several cookies a table holds one.
  if (headers["set-cookie"] !== undefined) return new Response(made.html, made);
  return new TextAnswer({ status: made.status, headers, text: made.html });
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

/**
 * Each page at a fixed address has a handler that knows no other: the framework compares an address with every route it
 * knows, several times for each page. Resource routes belong to the direct routes alone: the framework would find them
 * under more spellings (`/API/…`, `/health%7a`, `.data`), without their headers, and would collect streams and files in
 * memory first.
 */
function createHandlers(build: ServerBuild, mode: string) {
  const ids = Object.keys(build.routes).filter(
    (id) => id !== "root" && build.routes[id]?.module.default !== undefined,
  );
  const create = (picked: readonly string[]) =>
    createRequestHandler(pickRoutes(build, ["root", ...picked]), mode);
  return {
    handleAny: create(ids),
    byPattern: new Map(ids.map((id) => [patternOf(build.routes, id), create([id])])),
  };
}

/** Whether there is a page at an address, in any of the spellings the framework finds it under. */
function isPage(patterns: Iterable<string>, pathname: string): boolean {
  const address = pathname.replace(/\.data$/, "").replace(/^\/_root$/, "/");
  // The catch-all route is not a page of its own.
  return [...patterns].some((pattern) => !pattern.endsWith("*") && matchPath(pattern, address) !== null);
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
  // Without the context's signal, which the framework's three copies of the request would each listen to. A page looks for
  // itself whether its visitor is gone.
  return new Request(`${context.service.origin}${target}`, {
    method: context.method,
    headers: createRemixHeaders(request.headers),
  });
}
