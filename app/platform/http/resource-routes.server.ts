import { ReadableStream } from "node:stream/web";
import type { ServerBuild } from "@remix-run/node";
import { matchPath } from "@remix-run/react";
import express from "express";
import { hasBody } from "./body/body.server";
import { contextOf } from "./create-context.server";
import type { RouteFunction } from "./route.server";
import { sendResponse } from "./send-response.server";
import { movePath } from "~/platform/config/api-path";
import type { MovedPaths } from "~/platform/config/api-path";

type ResourceRoute = { pattern: string; handle: RouteFunction };
type Options = {
  /** Logs, measures and traces a request once its route is known. */
  observe: express.RequestHandler;
  trackStream: (pattern: string) => () => void;
};

/**
 * Mounts the routes of `defineRoute` on Express (decision 002). The framework's sender has neither back-pressure nor
 * cancellation.
 */
export function createResourceRoutes(
  routes: ServerBuild["routes"],
  { observe, trackStream }: Options,
): express.Router {
  const router = express.Router({ caseSensitive: true });
  for (const { pattern, handle } of listResourceRoutes(routes)) {
    // The framework's `/a/*` also matches `/a`.
    router.all([pattern, pattern.replace(/\/\*$/, "")], nameRoute, observe, (request, response, next) => {
      const context = contextOf(response);
      const { 0: rest = "", ...named } = request.params;
      const params = pattern.endsWith("*") ? { ...named, "*": rest } : named;
      handle({ request: toWebRequest(request, context.service.origin), context, params })
        .then(async (made) => {
          const isStream = made.body !== null && !made.headers.has("content-length");
          const closeStream = isStream ? trackStream(pattern) : undefined;
          await sendResponse(made, response).finally(closeStream);
        })
        .catch(next);
    });

    function nameRoute(_request: unknown, response: express.Response, next: express.NextFunction): void {
      const context = contextOf(response);
      // The framework's address for a page's data. A resource has none.
      if (context.pathname.endsWith(".data")) return next("router");
      context.route = pattern;
      next();
    }
  }
  return router;
}

/** `spec` marks a route of `defineRoute`. Express takes the first that matches, so the most specific come first. */
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

/** For refusals during start-up, and for the pages' guard. */
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
  // Each piece is all that has arrived, so a body sent byte by byte costs no more.
  const body =
    isReading || !hasBody(request.headers) ? {} : { body: ReadableStream.from(request), duplex: "half" };
  // Fetch has no TRACE. The route refuses it by the method in its context.
  const known = fetchMethods.has(method) ? method : "POST";
  return new Request(`${origin}${originalUrl}`, { method: known, headers, ...body } as RequestInit);
}

type Routes = ServerBuild["routes"];

/** Moves routes to the operator's paths, and drops those that are switched off. `hidden` contains patterns. */
export function configureRoutes(
  build: ServerBuild,
  { moved, hidden }: { moved: MovedPaths; hidden: readonly string[] },
): ServerBuild {
  const routes: Routes = {};
  for (const [id, route] of Object.entries(build.routes)) {
    const pattern = patternOf(build.routes, id);
    if (!route || (id !== "root" && hidden.includes(pattern))) continue;
    const target = id === "root" ? pattern : movePath(pattern, moved);
    // A moved route hangs on the root, so that no parent's path precedes its own.
    const place = target === pattern ? {} : { parentId: "root", path: target.slice(1) };
    routes[id] = { ...route, ...place };
  }
  const served = Object.keys(routes).map((id) => patternOf(routes, id));
  for (const path of Object.values(moved)) {
    if (!served.includes(path)) throw new TypeError(`There is no route to move to ${path}.`);
  }
  // Both lists, so that the manifest names no missing route.
  const shown = Object.entries(build.assets.routes).filter(([id]) => id in routes);
  return { ...build, routes, assets: { ...build.assets, routes: Object.fromEntries(shown) } };
}

export function patternOf(routes: Routes, id: string): string {
  const parts: string[] = [];
  for (let route = routes[id]; route; route = routes[route.parentId ?? ""]) parts.unshift(route.path ?? "");
  return `/${parts.filter(Boolean).join("/")}`;
}
