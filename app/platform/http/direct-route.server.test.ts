import type { ServerBuild } from "@remix-run/node";
import { expect, test } from "vitest";
import { createDirectRoutes } from "./direct-route.server";

/** Resource routes at these addresses, and what a search among them finds for an address. */
function openRoutes(...patterns: string[]) {
  const routes = Object.fromEntries(
    patterns.map((pattern) => [
      pattern,
      { id: pattern, path: pattern.slice(1), module: { loader: () => null } },
    ]),
  );
  const findRoute = createDirectRoutes(routes as unknown as ServerBuild["routes"], { moved: {}, hidden: [] });
  return (pathname: string) => {
    const found = findRoute(pathname);
    return found && { pattern: found.pattern, params: found.params };
  };
}

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
  const find = openRoutes("/healthz", "/api/answers/:id/stop", "/media/:id/*", "/media/*");
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
  expect(openRoutes("/healthz", "/api/answers/:id/stop")(pathname)).toBeNull();
});

test("a route that every address would be compared with is refused", () => {
  expect(() => openRoutes("/:anything/stop")).toThrow("/:anything/stop");
});
