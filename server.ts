import path from "node:path";
import type { IncomingMessage, ServerResponse } from "node:http";
import * as build from "@remix-run/dev/server-build";
import { broadcastDevReady } from "@remix-run/node";
import type { ServerBuild } from "@remix-run/node";
import compression from "compression";
import express from "express";
import { readEnvironment } from "~/platform/config/environment.server";
import { createRequestContext } from "~/platform/http/create-context.server";
import { compileTrust } from "~/platform/http/client-id.server";
import { createDirectLane } from "~/platform/http/direct-lane.server";
import type { LaneMatch } from "~/platform/http/direct-lane.server";
import { createHttpServer, listen, stopOnSignals } from "~/platform/http/http-server.server";
import { createPageHandler } from "~/platform/http/page-handler.server";
import type { RequestContext } from "~/platform/http/request-context.server";
import { createPageHeaders, setApiHeaders } from "~/platform/http/security-headers.server";
import { writeResponse } from "~/platform/http/write-response.server";
import { createLog } from "~/platform/log.server";
import { startServices } from "~/services.server";
import type { Services } from "~/services.server";

const config = readEnvironment();
const log = createLog({ level: config.serving.logLevel });
for (const warning of config.warnings) log.warn(warning);

let openDoors: (app: express.Express) => void;
const appReady = new Promise<express.Express>((resolve) => (openDoors = resolve));
const server = createHttpServer({
  listener: (request, response) => void appReady.then((app) => app(request, response)),
});
try {
  const port = await listen({ server, host: config.serving.host, port: config.serving.port });
  const services = await startServices({ config, port, log });
  openDoors!(createApp(services));
  stopOnSignals({ server, beginStop: services.beginStop, stopServices: services.stop, log });
  log.info({ port, origin: services.origin, mode: config.mode }, "Latchkey is open");
  if (config.mode === "development") await broadcastDevReady(build as unknown as ServerBuild);
} catch (error) {
  // What start-up throws is written for the operator; the stack is for whoever works on the program.
  process.stderr.write(`Latchkey cannot start. ${(error as Error).message}\n`);
  log.debug({ err: error }, "start-up failed");
  process.exit(1);
}

/** The order of things before a route: context, log line, headers, direct lane, static files, pages. */
function createApp(services: Services): express.Express {
  const app = express();
  app.disable("x-powered-by");
  app.set("etag", false);
  const isTrustedPeer = compileTrust(config.serving.trustProxy);
  const isDevelopment = config.mode === "development";
  const isHttps = services.origin.startsWith("https:");
  const findLane = createDirectLane({
    routes: (build as unknown as ServerBuild).routes,
    aliases: { [config.conversation.apiPath]: "/api/chat" },
  });
  const answerPage = createPageHandler({
    build: build as unknown as ServerBuild,
    mode: isDevelopment ? "development" : "production",
  });
  const contexts = new WeakMap<IncomingMessage, RequestContext>();

  app.use((request, response, next) => {
    const context = createRequestContext({
      request,
      response,
      service: services.context,
      isTrustedPeer,
      log,
    });
    contexts.set(request, context);
    const lane = findLane({ pathname: context.pathname, method: context.method });
    observe({ services, context, response, route: lane?.pattern ?? null });
    response.setHeader("X-Request-Id", context.requestId);
    response.setHeader("X-Content-Type-Options", "nosniff");
    if (!lane) return next();
    setApiHeaders({ response, isHttps });
    answerLane({ lane, context, response }).catch(next);
  });
  app.use(compression({ filter: isCompressible }));
  app.use(
    "/build",
    express.static(path.resolve("public/build"), { immutable: true, maxAge: "1y", index: false }),
  );
  app.use((request, response, next) => {
    (response as ServerResponse & { cspNonce?: string }).cspNonce = contexts.get(request)!.cspNonce;
    next();
  });
  app.use(createPageHeaders({ isHttps, isDevelopment }));
  app.use(express.static(path.resolve("public"), { maxAge: "1h", index: false }));
  app.use((request, response, next) => {
    answerPage({ context: contexts.get(request)!, request, response }).catch(next);
  });
  app.use(answerDefect);
  return app;
}

async function answerLane({
  lane,
  context,
  response,
}: {
  lane: LaneMatch;
  context: RequestContext;
  response: ServerResponse;
}): Promise<void> {
  const answer = await lane.answer(context);
  await writeResponse({ response: answer, to: response, withBody: context.method !== "HEAD" });
}

function isCompressible(request: express.Request, response: express.Response): boolean {
  const type = String(response.getHeader("Content-Type") ?? "");
  return !type.startsWith("text/event-stream") && compression.filter(request, response);
}

/** One line and one measurement a request, when it is over. */
function observe({
  services,
  context,
  response,
  route,
}: {
  services: Services;
  context: RequestContext;
  response: ServerResponse;
  route: string | null;
}): void {
  const startedAt = performance.now();
  response.once("close", () => {
    const durationMs = Math.round((performance.now() - startedAt) * 10) / 10;
    const { requestId, clientId, method } = context;
    // The path is written only as the route's pattern: addresses may carry tokens.
    const fields = {
      requestId,
      clientId,
      method,
      route: route ?? "page",
      status: response.statusCode,
      durationMs,
    };
    log.info(response.writableFinished ? fields : { ...fields, cutOff: true }, "request");
    services.metrics.observeRequest({
      route: route ?? "page",
      method,
      status: response.statusCode,
      durationSeconds: durationMs / 1000,
    });
  });
}

/** Express knows an error handler by its four parameters. */
function answerDefect(
  error: unknown,
  _request: express.Request,
  response: express.Response,
  _next: express.NextFunction,
): void {
  if (response.headersSent) {
    log.error({ err: error }, "request failed after its answer had begun");
    response.destroy();
    return;
  }
  const status = (error as { status?: unknown } | null)?.status;
  if (typeof status === "number" && status >= 400 && status < 500) {
    response
      .status(status)
      .type("text/plain")
      .send("This address could not be understood. Check it for typing mistakes.\n");
    return;
  }
  log.error({ err: error }, "request failed outside the routes");
  response.status(500).type("text/plain").send("Something went wrong on our side. Please try again.\n");
}
