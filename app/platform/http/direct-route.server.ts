import type { ServerBuild } from "@remix-run/node";
import { movePath } from "~/platform/config/moved-path";
import type { MovedPaths } from "~/platform/config/moved-path";
import type { RouteFunction } from "./route.server";

type DirectRoute = { pattern: string; segments: string[]; route: RouteFunction };
export type RouteMatch = DirectRoute & { params: Readonly<Record<string, string>> };

/**
 * Resource routes (an action or a loader and no page) answered by the very functions their modules export,
 * without passing through the framework's request handler, which costs more than most of them do.
 */
export function createDirectRoutes(
  routes: ServerBuild["routes"],
  moved: MovedPaths,
): (pathname: string) => RouteMatch | null {
  const direct: DirectRoute[] = Object.values(routes).flatMap((route) => {
    if (!route || route.module.default || !route.module.loader) return [];
    const pattern = patternOf(routes, route.id);
    const segments = movePath(pattern, moved).slice(1).split("/");
    return [{ pattern, segments, route: route.module.loader as unknown as RouteFunction }];
  });
  const isVariable = ({ pattern }: DirectRoute) => /[:*]/.test(pattern);
  const variable = groupByFirst(direct.filter(isVariable));
  const fixed = direct.filter((route) => !isVariable(route)).map((route) => ({ ...route, params: {} }));
  const exact = new Map<string, RouteMatch>(fixed.map((route) => [`/${route.segments.join("/")}`, route]));
  for (const path of Object.values(moved)) {
    if (!exact.has(path)) throw new TypeError(`There is no route to move to ${path}.`);
  }

  return function findRoute(pathname) {
    const found = exact.get(pathname);
    if (found) return found;
    const firstEnd = pathname.indexOf("/", 1);
    const first = decodePart(firstEnd < 0 ? pathname.slice(1) : pathname.slice(1, firstEnd));
    const possible = variable.get(first ?? "");
    if (!possible) return null;
    const parts = pathname.slice(1).split("/");
    for (const route of possible) {
      const params = matchSegments(route.segments, parts);
      if (params) return { ...route, params };
    }
    return null;
  };
}

/** By their first segment, which is fixed in every one: most pages share it with none. */
function groupByFirst(routes: readonly DirectRoute[]): ReadonlyMap<string, readonly DirectRoute[]> {
  const groups = new Map<string, DirectRoute[]>();
  for (const route of routes) {
    const [first = ""] = route.segments;
    if (/^[:*]/.test(first)) {
      throw new TypeError(
        `${route.pattern} would be compared with every request: begin its address with a fixed segment.`,
      );
    }
    groups.set(first, [...(groups.get(first) ?? []), route]);
  }
  return groups;
}

/** The build without the routes at `hidden`, each a route's address as below. */
export function omitRoutes(build: ServerBuild, hidden: readonly string[]): ServerBuild {
  const { routes } = build;
  return pickRoutes(
    build,
    Object.keys(routes).filter((id) => !hidden.includes(patternOf(routes, id))),
  );
}

export function pickRoutes(build: ServerBuild, ids: readonly string[]): ServerBuild {
  const { assets, routes } = build;
  const pick = <Value>(from: Record<string, Value>): Record<string, Value> =>
    Object.fromEntries(Object.entries(from).filter(([id]) => ids.includes(id)));
  // Both lists: no page can be rendered with what the manifest names and the routes lack.
  return { ...build, routes: pick(routes), assets: { ...assets, routes: pick(assets.routes) } };
}

/** A route's address, with the framework's marks for what may differ in it. */
export function patternOf(routes: ServerBuild["routes"], id: string): string {
  const parts: string[] = [];
  for (let route = routes[id]; route; route = routes[route.parentId ?? ""]) parts.unshift(route.path ?? "");
  return `/${parts.filter(Boolean).join("/")}`;
}

function matchSegments(segments: string[], parts: string[]): Record<string, string> | null {
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
  if (!part.includes("%")) return part;
  try {
    return decodeURIComponent(part);
  } catch {
    return null;
  }
}
