import type { ServerBuild } from "@remix-run/node";
import type { RequestContext } from "./request-context.server";
import type { Answer } from "./answer.server";
import { getRefusalAnswer, getRouteAnswer } from "./route.server";
import type { RouteAnswer, RouteFunction } from "./route.server";

export type LaneMatch = {
  pattern: string;
  params: Record<string, string>;
  answer: (context: RequestContext) => Promise<Answer>;
  answerRefusal: ReturnType<typeof getRefusalAnswer>;
};
type LaneRoute = {
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
export function createDirectLane({
  routes,
  aliases = {},
}: {
  routes: ServerBuild["routes"];
  /** Further paths of a route: the address an operator has chosen, and the route's own pattern. */
  aliases?: Readonly<Record<string, string>>;
}) {
  const lane: LaneRoute[] = Object.values(routes).flatMap((route) => {
    if (!route || route.module.default || !(route.module.loader || route.module.action)) return [];
    const pattern = patternOf({ routes, id: route.id });
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
    lane.filter(({ pattern }) => !/[:*]/.test(pattern)).map((route) => [route.pattern, route]),
  );
  for (const [alias, pattern] of Object.entries(aliases)) {
    const route = exact.get(pattern);
    if (route) exact.set(alias, route);
  }
  const patterns = lane.filter(({ pattern }) => /[:*]/.test(pattern));

  return function findLane({ pathname, method }: { pathname: string; method: string }): LaneMatch | null {
    const found = exact.get(pathname);
    if (found) return toMatch({ route: found, params: {}, method });
    for (const route of patterns) {
      const params = matchSegments({ segments: route.segments, pathname });
      if (params) return toMatch({ route, params, method });
    }
    return null;
  };
}

/** A route's address, with the framework's marks for what may differ in it. */
export function patternOf({ routes, id }: { routes: ServerBuild["routes"]; id: string }): string {
  return `/${pathOf({ routes, id })}`;
}

function pathOf({ routes, id }: { routes: ServerBuild["routes"]; id: string }): string {
  const route = routes[id];
  if (!route) return "";
  const parent = route.parentId ? pathOf({ routes, id: route.parentId }) : "";
  return [parent, route.path ?? ""].filter(Boolean).join("/");
}

function toMatch({
  route,
  params,
  method,
}: {
  route: LaneRoute;
  params: Record<string, string>;
  method: string;
}): LaneMatch | null {
  const answerWith =
    method === "GET" || method === "HEAD" ? (route.loader ?? route.action) : (route.action ?? route.loader);
  if (!answerWith) return null;
  const { pattern, answerRefusal } = route;
  return { pattern, params, answer: (context) => answerWith({ context, params }), answerRefusal };
}

function matchSegments({
  segments,
  pathname,
}: {
  segments: string[];
  pathname: string;
}): Record<string, string> | null {
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
