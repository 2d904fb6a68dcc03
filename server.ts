import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import * as builtModules from "@remix-run/dev/server-build";
import { broadcastDevReady } from "@remix-run/node";
import type { ServerBuild } from "@remix-run/node";
import compression from "compression";
import express from "express";
import type { Answer, HeaderTable } from "~/platform/http/answer.server";
import { systemClock } from "~/platform/clock";
import { createRequestContexts } from "~/platform/http/create-context.server";
import { compileTrust, isPeerTrusted } from "~/platform/http/client-id.server";
import type { TrustCheck } from "~/platform/http/client-id.server";
import { createDirectRoutes } from "~/platform/http/direct-route.server";
import type { RouteMatch } from "~/platform/http/direct-route.server";
import { createSharedPages } from "~/platform/http/pages/shared-pages.server";
import { createStartupBuffer } from "~/platform/http/startup-buffer.server";
import { createHttpServer, listen, stopOnSignals } from "~/platform/http/http-server.server";
import { joinPrototypes } from "~/platform/http/pages/express-prototypes.server";
import { answerPageRefusal, createPageHandler } from "~/platform/http/pages/page-handler.server";
import { problemHeader } from "~/platform/http/refusal";
import type { Refusal } from "~/platform/http/refusal";
import type { RequestContext } from "~/platform/http/request-context.server";
import { createApiHeaders, createPageHeaders } from "~/platform/http/security-headers.server";
import { writeAnswer } from "~/platform/http/write-answer.server";
import { openLog } from "~/platform/log.server";
import { joinSupervisor } from "~/platform/worker.server";
import { startServices } from "~/services.server";
import { findWalletReach } from "~/services/wallets.server";
import type { Services } from "~/services.server";
import { resolveSite } from "~/services/foundation.server";
import { findHiddenPaths, findMovedPaths, loadConfig } from "~/settings.server";

/** How long a start may still go on once a stop has begun. */
const startGraceMs = 2_000;

// V8 learns where objects live long, and then makes them old from the start. Of what a request makes it learns this wrongly, and only a
// full garbage collection frees old objects: docs/decisions/025-sign-in-cost.md.
setFlagsFromString("--no-allocation-site-pretenuring");

const build = builtModules as unknown as ServerBuild;
const config = loadConfig();
const { log, close: closeLog } = openLog(config.serving.logLevel);
const worker = joinSupervisor();
const openPort = worker?.openPort ?? null;
// Those who serve already have told.
if (openPort === null)
  for (const problem of config.warnings) log.warn({ problem }, "setting is questionable");

const findRoute = createDirectRoutes(build.routes, {
  moved: findMovedPaths(config),
  hidden: findHiddenPaths(config),
});
let port = config.serving.port;
const startupBuffer = createStartupBuffer({ answerRefusal: answerDuringStart });
const server = createHttpServer(startupBuffer.listener);
let starting: Promise<Services> | undefined;
let services: Services | undefined;
// From the first moment on: a start may take long, and has to be stopped in order too.
const isStopping = stopOnSignals({
  server,
  beginStop: () => startupBuffer.close(),
  endStreams: () => services?.chat.endStreams(),
  stopServices,
  log,
  closeLog,
});
try {
  port = openPort ?? (await listen(server, config.serving.host, port));
  starting = startServices({ config, port, log, buildVersion: build.assets.version });
  services = await starting;
  if (!isStopping()) {
    startupBuffer.open(createListener(services));
    if (openPort !== null) await listen(server, config.serving.host, config.serving.port);
    const opened = { port, origin: services.origin, mode: config.mode };
    if (worker) worker.tellReady({ ...opened, logLevel: config.serving.logLevel });
    else log.info(opened, "server ready");
    if (config.mode === "development") await broadcastDevReady(build);
  }
} catch (error) {
  // A start that was abandoned may fail in any way; the stop ends the process.
  if (!isStopping()) endFailedStart(error);
}

function endFailedStart(error: unknown): void {
  startupBuffer.close();
  // The message is written for the operator; the stack is for developers.
  process.stderr.write(`Latchkey cannot start. ${(error as Error).message}\n`);
  log.debug({ err: error }, "start-up failed");
  process.exit(1);
}

/** Gives a start that is under way a moment to end; what it holds after that is released with the process. */
async function stopServices(): Promise<void> {
  const giveUp = delay(startGraceMs, undefined, { ref: false });
  const started = await Promise.race([starting, giveUp]).catch(() => undefined);
  await started?.stop();
}

/** In the shape of the requested route or page. */
function answerDuringStart(refusal: Refusal, request: IncomingMessage, requestId: string): Answer {
  const { origin } = resolveSite(config, port);
  const { method = "GET", url = "/", headers } = request;
  const matched = findRoute(url.replace(/\?.*/s, ""));
  const route = matched?.pattern ?? "page";
  log.info({ requestId, method, route, status: refusal.status }, "request refused during start-up");
  if (matched) return matched.route.answerRefusal({ refusal, origin, requestId, headers, pathname: url });
  return answerPageRefusal(headers.accept, { refusal, origin, requestId });
}

/** Context, log line, then the direct route or, for everything else, the pages. */
function createListener(services: Services): RequestListener {
  const isHttps = services.origin.startsWith("https:");
  const apiHeaders = createApiHeaders({ isHttps });
  // On another site's host, how it is to be reached is not ours to say.
  const siteHeaders = createApiHeaders({ isHttps: false });
  const isTrustedPeer = compileTrust(config.serving.trustProxy ?? undefined);
  const createContext = createRequestContexts({
    service: services.context,
    isTrustedPeer,
    warnsOfProxy: config.serving.trustProxy === null,
    log,
  });
  const pages = createPages(services, isHttps);

  return function answerRequest(request, response) {
    try {
      const context = createContext({ request, response });
      const matched = findRoute(context.pathname);
      const route = matched?.pattern ?? null;
      observe(services, { context, response, route: route ?? "page" });
      if (!services.tracing) return answer();
      const { requestId, method } = context;
      const traceParent = believedTraceParent(request, isTrustedPeer);
      services.tracing.runRequest({ requestId, method, route, traceParent, response }, answer);

      function answer(): void {
        const headers = matched?.route.spec.isForSites ? siteHeaders : apiHeaders;
        if (matched) void answerRoute(services, matched, { context, response, apiHeaders: headers });
        else void pages(context, request, response);
      }
    } catch (error) {
      answerDefect(error, response);
    }
  };
}

/** Only from a trusted proxy: strangers would choose what is traced, and under which id. */
function believedTraceParent(
  { socket, headers }: IncomingMessage,
  isTrusted: TrustCheck,
): string | undefined {
  const given = headers.traceparent;
  return typeof given === "string" && isPeerTrusted(socket.remoteAddress, isTrusted) ? given : undefined;
}

type AnswerPage = (
  context: RequestContext,
  request: IncomingMessage,
  response: ServerResponse,
) => Promise<void>;

/** What is the same for everybody as it is kept; static files and other pages through Express. */
function createPages(services: Services, isHttps: boolean): AnswerPage {
  const isDevelopment = config.mode === "development";
  const { answerPage, renderPage } = createPageHandler(build, isDevelopment ? "development" : "production");
  const pageHeaders = createPageHeaders({ isHttps, isDevelopment, reach: findWalletReach(config) });
  const answerShared = createSharedPages({
    routes: build.routes,
    service: { service: services.context, log },
    renderPage,
    pageHeaders,
    clock: systemClock,
  });
  const app = express();
  joinPrototypes(app);
  app.disable("x-powered-by");
  app.set("etag", false);
  app.set("query parser", false);
  const headersOf = ({ cspNonce, requestId }: RequestContext): HeaderTable => {
    const nonce = `'nonce-${cspNonce}'`;
    return { "x-request-id": requestId, ...pageHeaders({ scripts: nonce, styles: nonce }) };
  };
  const files = createFiles(headersOf);
  // The disk is not asked for what cannot be a file.
  app.use((request, response, next) => (mayBeFile(request) ? files(request, response, next) : next()));
  app.use((request, response, next) => {
    const context = contextOf(response);
    answerPage({ context, request, response, headers: headersOf(context) }).catch(next);
  });

  return async function answer(context, request, response) {
    // Express calls it without an error where it cannot read the address.
    function fail(error: unknown): void {
      if (!response.headersSent) setHeaders(response, headersOf(context));
      answerDefect(error ?? { status: 404 }, response);
    }
    try {
      const isShared = answerShared({ context, request, response });
      // Nearly always known already, and awaiting that costs too.
      if (isShared === true || (await isShared)) return;
      // Express's own, by `joinPrototypes`.
      const [asked, answered] = [request, response] as unknown as [express.Request, express.Response];
      app(asked, Object.assign(answered, { locals: { context } }), fail);
    } catch (error) {
      fail(error);
    }
  };
}

/** Sends static files, compressed. What is none, such as the data of a page, goes on with a page's headers, and is compressed too. */
function createFiles(headersOf: (context: RequestContext) => HeaderTable): express.Router {
  const files = express.Router();
  files.use((_request, response, next) => {
    setHeaders(response, {
      "X-Request-Id": contextOf(response).requestId,
      "X-Content-Type-Options": "nosniff",
    });
    next();
  });
  files.use(compression());
  files.use(
    "/build",
    express.static(path.resolve("public/build"), { immutable: true, maxAge: "1y", index: false }),
  );
  files.use((_request, response, next) => {
    setHeaders(response, headersOf(contextOf(response)));
    next();
  });
  files.use(express.static(path.resolve("public"), { maxAge: "1h", index: false }));
  return files;
}

function setHeaders(response: ServerResponse, headers: HeaderTable): void {
  response.setHeaders(new Map(Object.entries(headers)));
}

/** A file has a dot in its name, and so has the data of a page. */
function mayBeFile({ path: asked }: express.Request): boolean {
  return asked.lastIndexOf(".") > asked.lastIndexOf("/");
}

/** Express keeps what belongs to one answer in `locals`. */
function contextOf({ locals }: express.Response): RequestContext {
  return (locals as { context: RequestContext }).context;
}

type Exchange = { context: RequestContext; response: ServerResponse };

async function answerRoute(
  services: Services,
  matched: RouteMatch,
  { context, response, apiHeaders }: Exchange & { apiHeaders: HeaderTable },
): Promise<void> {
  const headers = { "x-request-id": context.requestId, ...apiHeaders };
  let closeStream: (() => void) | undefined;
  try {
    const answer = await matched.route({ context, params: matched.params });
    if (answer instanceof Response && answer.body) closeStream = services.metrics.openStream(matched.pattern);
    await writeAnswer(answer, response, headers);
  } catch (error) {
    if (!response.headersSent) setHeaders(response, headers);
    answerDefect(error, response);
  } finally {
    closeStream?.();
  }
}

/** One log line and one measurement for each request. `route`: its pattern, since addresses may carry tokens. */
function observe(services: Services, { context, response, route }: Exchange & { route: string }): void {
  const startedAt = performance.now();
  response.on("close", () => {
    const durationMs = Math.round((performance.now() - startedAt) * 10) / 10;
    const { requestId, clientId, method } = context;
    const status = response.statusCode;
    const fields = { requestId, clientId, method, route, status, durationMs };
    log.info(response.writableFinished ? fields : { ...fields, cutOff: true }, "request");
    services.metrics.observeRequest({ route, method, status, durationSeconds: durationMs / 1000 });
  });
}

/** What no route and no page has caught. */
function answerDefect(error: unknown, response: ServerResponse): void {
  if (response.headersSent) {
    log.error({ err: error }, "request failed after the response had started");
    response.destroy();
    return;
  }
  const given = (error as { status?: unknown } | null)?.status;
  const status = typeof given === "number" && given >= 400 && given < 500 ? given : 500;
  if (status === 500) log.error({ err: error }, "request failed outside all routes");
  response.statusCode = status;
  setHeaders(response, { "Content-Type": "text/plain; charset=utf-8", ...problemHeader(status) });
  response.end(
    status === 500
      ? "The server failed. Try again in a moment.\n"
      : "This address could not be understood. Check it for typing mistakes.\n",
  );
}
