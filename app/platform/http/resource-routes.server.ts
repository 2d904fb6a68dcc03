import { ReadableStream } from "node:stream/web";
import type { ServerBuild } from "@remix-run/node";
import { matchPath } from "@remix-run/react";
import express from "express";
import { hasBody } from "./body/body.server";
import { contextOf } from "./create-context.server";
import type { RouteFunction } from "./route.server";
import { sendResponse } from "./send-response.server";
import { patternOf } from "./served-routes.server";

type ResourceRoute = { pattern: string; handle: RouteFunction };
type Options = {
  /** Logs, measures and traces a request once its route is known. */
  observe: express.RequestHandler;
  openStream: (pattern: string) => () => void;
};

/** What `defineRoute` built, mounted on Express. The framework's sender knows neither back-pressure nor cancellation. */
export function createResourceRoutes(
  routes: ServerBuild["routes"],
  { observe, openStream }: Options,
): express.Router {
  const router = express.Router({ caseSensitive: true });
  for (const { pattern, handle } of listResourceRoutes(routes)) {
    // The framework's splat also matches nothing.
    router.all([pattern, pattern.replace(/\/\*$/, "")], nameRoute, observe, (request, response, next) => {
      const context = contextOf(response);
      const { 0: rest = "", ...named } = request.params;
      const params = pattern.endsWith("*") ? { ...named, "*": rest } : named;
      handle({ request: toWebRequest(request, context.service.origin), context, params })
        .then(async (made) => {
          const isStream = made.body !== null && !made.headers.has("content-length");
          const closeStream = isStream ? openStream(pattern) : undefined;
          await sendResponse(made, response).finally(closeStream);
        })
        .catch(next);
    });

    function nameRoute(_request: unknown, response: express.Response, next: express.NextFunction): void {
      const context = contextOf(response);
      // The framework's own address for the data of a page; a resource has none.
      if (context.pathname.endsWith(".data")) return next("router");
      context.route = pattern;
      next();
    }
  }
  return router;
}

/** Express takes the first route that fits, so the most specific come first. */
function listResourceRoutes(routes: ServerBuild["routes"]): ResourceRoute[] {
  const found = Object.values(routes).flatMap((route) => {
    const handle = (route?.module.loader ?? route?.module.action) as Partial<RouteFunction> | undefined;
    return route && handle?.spec
      ? [{ pattern: patternOf(routes, route.id), handle: handle as RouteFunction }]
      : [];
  });
  const rank = (pattern: string) => pattern.split(":").length + (pattern.endsWith("*") ? 100 : 0);
  return found.sort(
    (one, other) => rank(one.pattern) - rank(other.pattern) || other.pattern.length - one.pattern.length,
  );
}

/** For what is refused before there is an app. */
export function findResourceRoute(
  routes: ServerBuild["routes"],
  pathname: string,
): ResourceRoute | undefined {
  return listResourceRoutes(routes).find(({ pattern }) => matchPath(pattern, pathname));
}

const fetchMethods = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]);

function toWebRequest(request: express.Request, origin: string): Request {
  const { method, originalUrl, headersDistinct } = request;
  const headers = Object.entries(headersDistinct).flatMap(([name, values = []]) =>
    values.map((value): [string, string] => [name, value]),
  );
  const isReading = method === "GET" || method === "HEAD";
  // Each piece is all that has arrived: a body that is sent byte by byte costs no more than another.
  const body =
    isReading || !hasBody(request.headers) ? {} : { body: ReadableStream.from(request), duplex: "half" };
  // Fetch has no TRACE. The route finds the true method in its context, and refuses it.
  const known = fetchMethods.has(method) ? method : "POST";
  return new Request(`${origin}${originalUrl}`, { method: known, headers, ...body } as RequestInit);
}
