import type { ServerBuild } from "@remix-run/node";
import type { RequestContext } from "./request-context.server";
import type { Answer } from "./answer.server";
import { getRefusalAnswer, getRouteAnswer } from "./route.server";
import type { RouteAnswer, RouteFunction } from "./route.server";

export type RouteMatch = {
  pattern: string;
  params: Record<string, string>;
  answer: (context: RequestContext) => Promise<Answer>;
  answerRefusal: ReturnType<typeof getRefusalAnswer>;
};
type DirectRoute = {
  pattern: string;
  segments: string[];
  loader?: RouteAnswer;
  action?: RouteAnswer;
  answerRefusal: ReturnType<typeof getRefusalAnswer>;
};

/**
 * Resource routes (an action or a loader and no page) answered by the very functions their modules export,
 * without passing through the framework's request handler, which costs more than most of them do.
 */
export function createDirectRoutes({
  routes,
  moved = {},
}: {
  routes: ServerBuild["routes"];
  /** Routes by their own path, and the path at which the operator wants them instead. */
  moved?: Readonly<Record<string, string>>;
}) {
  const direct: DirectRoute[] = Object.values(routes).flatMap((route) => {
    if (!route || route.module.default || !(route.module.loader || route.module.action)) return [];
    const pattern = patternOf(routes, route.id);
    const { loader, action } = route.module as { loader?: RouteFunction; action?: RouteFunction };
    return [
      {
        pattern,
        segments: pattern.slice(1).split("/"),
        loader: loader && getRouteAnswer(loader),
        action: action && getRouteAnswer(action),
        answerRefusal: getRefusalAnswer((loader ?? action)!),
      },
    ];
  });
  const exact = new Map(
    direct.filter(({ pattern }) => !/[:*]/.test(pattern)).map((route) => [route.pattern, route]),
  );
  for (const [pattern, path] of Object.entries(moved)) {
    const route = exact.get(pattern);
    if (!route) throw new TypeError(`There is no route ${pattern} to move.`);
    exact.delete(pattern);
    exact.set(path, route);
  }
  const patterns = direct.filter(({ pattern }) => /[:*]/.test(pattern));

  return function findRoute({ pathname, method }: { pathname: string; method: string }): RouteMatch | null {
    const found = exact.get(pathname);
    if (found) return toMatch(found, {}, method);
    for (const route of patterns) {
      const params = matchSegments(route.segments, pathname);
      if (params) return toMatch(route, params, method);
    }
    return null;
  };
}

/** A route's address, with the framework's marks for what may differ in it. */
export function patternOf(routes: ServerBuild["routes"], id: string): string {
  return `/${pathOf(routes, id)}`;
}

function pathOf(routes: ServerBuild["routes"], id: string): string {
  const route = routes[id];
  if (!route) return "";
  const parent = route.parentId ? pathOf(routes, route.parentId) : "";
  return [parent, route.path ?? ""].filter(Boolean).join("/");
}

function toMatch(route: DirectRoute, params: Record<string, string>, method: string): RouteMatch | null {
  const answerWith =
    method === "GET" || method === "HEAD" ? (route.loader ?? route.action) : (route.action ?? route.loader);
  if (!answerWith) return null;
  const { pattern, answerRefusal } = route;
  return { pattern, params, answer: (context) => answerWith({ context, params }), answerRefusal };
}

function matchSegments(segments: string[], pathname: string): Record<string, string> | null {
  const parts = pathname.slice(1).split("/");
  const params: Record<string, string> = {};
  for (const [index, segment] of segments.entries()) {
    if (segment === "*") {
      const rest = decodePart(parts.slice(index).join("/"));
      return rest === null ? null : { ...params, "*": rest };
    }
    const part = decodePart(parts[index] ?? "");
    if (part === null || part === "") return null;
    if (segment.startsWith(":")) params[segment.slice(1)] = part;
    else if (segment !== part) return null;
  }
  return parts.length === segments.length ? params : null;
}

function decodePart(part: string): string | null {
  try {
    return decodeURIComponent(part);
  } catch {
    return null;
  }
}
