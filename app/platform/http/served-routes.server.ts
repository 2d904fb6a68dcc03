import type { ServerBuild } from "@remix-run/node";
import { movePath } from "~/platform/config/moved-path";
import type { MovedPaths } from "~/platform/config/moved-path";

type Routes = ServerBuild["routes"];

/**
 * The build as it is served: routes at the paths that the operator chose, without those that are switched off. `hidden`
 * holds patterns.
 */
export function serveRoutes(
  build: ServerBuild,
  { moved, hidden }: { moved: MovedPaths; hidden: readonly string[] },
): ServerBuild {
  const routes: Routes = {};
  for (const [id, route] of Object.entries(build.routes)) {
    const pattern = patternOf(build.routes, id);
    if (!route || (id !== "root" && hidden.includes(pattern))) continue;
    const target = id === "root" ? pattern : movePath(pattern, moved);
    // A moved route hangs on the root, so that no parent's path comes before its own.
    const place = target === pattern ? {} : { parentId: "root", path: target.slice(1) };
    routes[id] = { ...route, ...place };
  }
  const served = Object.keys(routes).map((id) => patternOf(routes, id));
  for (const path of Object.values(moved)) {
    if (!served.includes(path)) throw new TypeError(`There is no route to move to ${path}.`);
  }
  // Both lists: no page can be rendered with what the manifest names and the routes lack.
  const shown = Object.entries(build.assets.routes).filter(([id]) => id in routes);
  return { ...build, routes, assets: { ...build.assets, routes: Object.fromEntries(shown) } };
}

/** A route's address, with the framework's marks for what may differ in it. */
export function patternOf(routes: Routes, id: string): string {
  const parts: string[] = [];
  for (let route = routes[id]; route; route = routes[route.parentId ?? ""]) parts.unshift(route.path ?? "");
  return `/${parts.filter(Boolean).join("/")}`;
}
