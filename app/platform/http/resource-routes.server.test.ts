import { once } from "node:events";
import type { AddressInfo } from "node:net";
import type { ServerBuild } from "@remix-run/node";
import express from "express";
import { expect, onTestFinished, test } from "vitest";
import { createRequestContexts } from "./create-context.server";
import type { RequestContext, ServiceContext } from "./request-context.server";
import { createResourceRoutes, findResourceRoute, configureRoutes } from "./resource-routes.server";
import { defineRoute } from "./route.server";

type Options = Partial<Parameters<typeof configureRoutes>[1]>;

/** Resource routes that record their arguments. */
function makeRoutes(patterns: readonly string[], { moved = {}, hidden = [] }: Options = {}) {
  const made = patterns.map((pattern) => {
    const handle = ({ params, context }: { params: object; context: RequestContext }) => ({
      pattern,
      params: { ...params },
      route: context.route,
    });
    const module = defineRoute({ GET: { handle }, POST: { handle } });
    return [pattern, { id: pattern, path: pattern.slice(1), module }] as const;
  });
  const build = { routes: Object.fromEntries(made), assets: { routes: {} } } as unknown as ServerBuild;
  return configureRoutes(build, { moved, hidden }).routes;
}

async function open(patterns: readonly string[], options: Options = {}) {
  const service = { origin: "http://localhost", isAllowedOrigin: () => false, countRefusal: () => undefined };
  const app = express();
  app.use(
    createRequestContexts({
      service: service as unknown as ServiceContext,
      isTrustedPeer: () => false,
      warnsOfProxy: false,
      log: {} as RequestContext["log"],
    }),
    createResourceRoutes(makeRoutes(patterns, options), {
      observe: (_request, _response, next) => next(),
      trackStream: () => () => undefined,
    }),
    (_request: express.Request, response: express.Response) => response.status(404).send("null"),
  );
  const server = app.listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return async (pathname: string) =>
    (await (await fetch(`http://127.0.0.1:${port}${pathname}`)).json()) as Record<string, unknown> | null;
}

test.each([
  { pathname: "/healthz", pattern: "/healthz", params: {} },
  { pathname: "/healthz/", pattern: "/healthz", params: {} },
  { pathname: "/api/answers/7/stop", pattern: "/api/answers/:id/stop", params: { id: "7" } },
  { pathname: "/api/answers/%37/stop", pattern: "/api/answers/:id/stop", params: { id: "7" } },
  {
    pathname: "/media/4/songs/one%20two.mp3",
    pattern: "/media/:id/*",
    params: { id: "4", "*": "songs/one two.mp3" },
  },
])("$pathname is handled by the route $pattern", async ({ pathname, ...expected }) => {
  const ask = await open(["/media/:id/*", "/healthz", "/api/answers/:id/stop"]);
  expect(await ask(pathname)).toEqual({ ...expected, route: expected.pattern });
});

test.each(["/", "/health", "/HEALTHZ", "/healthz/more", "/api/answers//stop", "/%61pi/answers/7/stop"])(
  "%s is left to the pages",
  async (pathname) => {
    expect(await (await open(["/healthz", "/api/answers/:id/stop"]))(pathname)).toBeNull();
  },
);

test("of several routes that fit an address, the most specific one handles it", async () => {
  const ask = await open(["/api/*", "/api/answers/:id", "/api/answers/new"]);
  expect((await ask("/api/answers/new"))?.pattern).toBe("/api/answers/new");
  expect((await ask("/api/answers/7"))?.pattern).toBe("/api/answers/:id");
  expect((await ask("/api/other"))?.pattern).toBe("/api/*");
});

test("what is below a moved path moves with it", async () => {
  const patterns = ["/api/answers", "/api/answers/:id/stop"];
  const ask = await open(patterns, { moved: { "/api/answers": "/replies" } });
  expect(await ask("/replies/7/stop")).toMatchObject({
    pattern: "/api/answers/:id/stop",
    params: { id: "7" },
  });
  expect(await ask("/api/answers/7/stop")).toBeNull();
});

test("a path can't be moved to where no route is", () => {
  expect(() => makeRoutes(["/healthz"], { moved: { "/api/chat": "/talk" } })).toThrow("/talk");
});

test("a hidden route is not there, and one that is there is found under any spelling", async () => {
  const patterns = ["/healthz", "/api/answers/:id/stop"];
  expect(await (await open(patterns, { hidden: ["/healthz"] }))("/healthz")).toBeNull();
  expect(findResourceRoute(makeRoutes(patterns), "/HEALTHZ/")?.pattern).toBe("/healthz");
  expect(findResourceRoute(makeRoutes(patterns, { hidden: ["/healthz"] }), "/healthz")).toBeUndefined();
});
