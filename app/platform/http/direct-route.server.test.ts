import type { ServerBuild } from "@remix-run/node";
import { expect, test } from "vitest";
import { createDirectRoutes, omitRoutes } from "./direct-route.server";

/** Resource routes at these addresses, and what a search among them finds for an address. */
function openRoutes(patterns: readonly string[], { moved = {}, hidden = [] }: Options = {}) {
  const routes = Object.fromEntries(
    patterns.map((pattern) => [
      pattern,
      { id: pattern, path: pattern.slice(1), module: { loader: () => null } },
    ]),
  );
  const build = { routes, assets: { routes: {} } } as unknown as ServerBuild;
  const findRoute = createDirectRoutes(omitRoutes(build, hidden).routes, moved);
  return (pathname: string) => {
    const found = findRoute(pathname);
    return found && { pattern: found.pattern, params: found.params };
  };
}
type Options = { moved?: Record<string, string>; hidden?: readonly string[] };

test.each([
  { pathname: "/healthz", pattern: "/healthz", params: {} },
  { pathname: "/api/answers/7/stop", pattern: "/api/answers/:id/stop", params: { id: "7" } },
  { pathname: "/%61pi/answers/%37/stop", pattern: "/api/answers/:id/stop", params: { id: "7" } },
  {
    pathname: "/media/4/songs/one%20two.mp3",
    pattern: "/media/:id/*",
    params: { id: "4", "*": "songs/one two.mp3" },
  },
  { pathname: "/media", pattern: "/media/*", params: { "*": "" } },
])("$pathname is answered by the route $pattern", ({ pathname, ...expected }) => {
  const find = openRoutes(["/healthz", "/api/answers/:id/stop", "/media/:id/*", "/media/*"]);
  expect(find(pathname)).toEqual(expected);
});

test.each([
  "/",
  "/health",
  "/healthz/more",
  "/api",
  "/api/answers//stop",
  "/api/answers/7",
  "/%zz/7",
  "/apiary/answers/7/stop",
])("%s is left to the pages", (pathname) => {
  expect(openRoutes(["/healthz", "/api/answers/:id/stop"])(pathname)).toBeNull();
});

test("a route that every address would be compared with is refused", () => {
  expect(() => openRoutes(["/:anything/stop"])).toThrow("/:anything/stop");
});

test("of several routes that fit an address, the first one answers", () => {
  const [stop, rest] = ["/api/answers/:id/stop", "/api/*"];
  expect(openRoutes([stop, rest])("/api/answers/7/stop")?.pattern).toBe(stop);
  expect(openRoutes([stop, rest])("/api/answers/7")?.pattern).toBe(rest);
  expect(openRoutes([rest, stop])("/api/answers/7/stop")?.pattern).toBe(rest);
});

test("what is below a moved path moves with it", () => {
  const patterns = ["/api/answers", "/api/answers/:id/stop"];
  const find = openRoutes(patterns, { moved: { "/api/answers": "/replies" } });
  expect(find("/replies/7/stop")).toEqual({ pattern: "/api/answers/:id/stop", params: { id: "7" } });
  expect(find("/api/answers/7/stop")).toBeNull();
});

test.each([
  { hidden: "/healthz", pathname: "/healthz" },
  { hidden: "/api/answers/:id/stop", pathname: "/api/answers/7/stop" },
])("the hidden route $hidden answers nothing", ({ hidden, pathname }) => {
  const patterns = ["/healthz", "/api/answers/:id/stop"];
  expect(openRoutes(patterns)(pathname)).not.toBeNull();
  expect(openRoutes(patterns, { hidden: [hidden] })(pathname)).toBeNull();
});
