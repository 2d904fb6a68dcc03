import type { IncomingMessage, RequestListener } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import type { ServerBuild } from "@remix-run/node";
import { createHttpServer, listen, stopOnSignals } from "~/platform/http/connection/http-server.server";
import { pageRefusalResponse } from "~/platform/http/plain-page.server";
import type { Refusal } from "~/platform/refusals/refusal";
import { findResourceRoute } from "~/platform/http/resource-routes.server";
import { createStartupBuffer } from "~/platform/http/connection/startup-buffer.server";
import type { Log } from "~/platform/log/log.server";
import { joinSupervisor } from "~/platform/instance/worker.server";
import { startServices } from "~/services.server";
import type { Services } from "~/services.server";
import type { Config } from "~/settings.server";
import { resolveSite } from "./foundation.server";

/** How long a start may still go on after a stop has begun. */
const startGraceMs = 2_000;

type ServeOptions = {
  config: Config;
  build: ServerBuild;
  log: Log;
  closeLog: () => Promise<void>;
  createApp: (services: Services) => RequestListener;
};

/** Opens the port, starts the services, then hands every request to the app; drains and stops on a signal. */
export async function serve({ config, build, log, closeLog, createApp }: ServeOptions): Promise<void> {
  const worker = joinSupervisor();
  const openPort = worker?.openPort ?? null;
  // Other workers have logged them.
  if (openPort === null)
    for (const problem of config.warnings) log.warn({ problem }, "setting is questionable");
  let port = config.serving.port;
  const startupBuffer = createStartupBuffer({ toRefusalResponse: refuseDuringStart });
  const server = createHttpServer(startupBuffer.listener);
  let starting: Promise<Services> | undefined;
  let services: Services | undefined;
  // From the first moment on, because a start may take long.
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
    if (isStopping()) return;
    startupBuffer.open(createApp(services));
    if (openPort !== null) await listen(server, config.serving.host, config.serving.port);
    const opened = { port, origin: services.origin, mode: config.mode };
    if (worker) worker.tellReady({ ...opened, logLevel: config.serving.logLevel });
    else log.info(opened, "server ready");
  } catch (error) {
    // An abandoned start may fail in any way; the stop ends the process.
    if (!isStopping()) endFailedStart(error);
  }

  function endFailedStart(error: unknown): void {
    startupBuffer.close();
    // The message is for the operator, the stack for developers.
    process.stderr.write(`Latchkey cannot start. ${(error as Error).message}\n`);
    log.debug({ err: error }, "start-up failed");
    process.exit(1);
  }

  /** Gives a running start a moment to end. The process releases the rest. */
  async function stopServices(): Promise<void> {
    const giveUp = delay(startGraceMs, undefined, { ref: false });
    const started = await Promise.race([starting, giveUp]).catch(() => undefined);
    await started?.stop();
  }

  /** In the shape of the requested route or page. */
  function refuseDuringStart(refusal: Refusal, request: IncomingMessage, requestId: string): Response {
    const { origin } = resolveSite(config, port);
    const { method = "GET", url = "/", headers } = request;
    const found = findResourceRoute(build.routes, url.replace(/\?.*/s, ""));
    const { status } = refusal;
    log.info(
      { requestId, method, route: found?.pattern ?? "page", status },
      "request refused during start-up",
    );
    const refused = { refusal, origin, requestId, headers, pathname: url };
    return found ? found.handle.toRefusalResponse(refused) : pageRefusalResponse(headers.accept, refused);
  }
}
