import path from "node:path";
import * as builtModules from "@remix-run/dev/server-build";
import { broadcastDevReady } from "@remix-run/node";
import { createRequestHandler } from "@remix-run/express";
import compression from "compression";
import express from "express";
import { installationDir } from "~/platform/config/installation.server";
import { serveBuiltFiles } from "~/platform/http/built-files.server";
import { compileTrust } from "~/platform/http/client-id.server";
import { contextOf, createRequestContexts } from "~/platform/http/create-context.server";
import { createErrorHandler, guardPages } from "~/platform/http/pages.server";
import { createResourceRoutes, configureRoutes } from "~/platform/http/resource-routes.server";
import { createPageHeaders } from "~/platform/http/security-headers.server";
import { openLog } from "~/platform/log/log.server";
import type { Services } from "~/services.server";
import { observeRequests } from "~/services/instrument.server";
import { serve } from "~/services/serve.server";
import { findWalletReach } from "~/gate/wallets.settings";
import { findHiddenPaths, findMovedPaths, loadConfig } from "~/settings.server";

const config = loadConfig();
const { log, close: closeLog } = openLog(config.serving.logLevel, { format: config.serving.logFormat });
const isDevelopment = config.mode === "development";
const build = configureRoutes(builtModules, {
  moved: findMovedPaths(config),
  hidden: findHiddenPaths(config),
});

await serve({ config, build, log, closeLog, createApp });
if (isDevelopment) await broadcastDevReady(build);

/** Every request: the context, then a resource route, a file, or a page. */
function createApp(services: Services): express.Application {
  const { trustProxy } = config.serving;
  const observe = observeRequests(services, log);
  const app = express();
  app.disable("x-powered-by");
  app.disable("etag");
  app.disable("query parser");
  app.use(
    createRequestContexts({
      service: services.context,
      isTrustedPeer: compileTrust(trustProxy ?? undefined),
      warnsOfProxy: trustProxy === null,
      log,
    }),
  );
  // Before the files, so that no API call looks for one on disk.
  app.use(
    createResourceRoutes(build.routes, {
      observe,
      trackStream: services.metrics.trackStream,
    }),
  );
  app.use(observe);
  app.use(
    createPageHeaders({
      isHttps: services.origin.startsWith("https:"),
      isDevelopment,
      reach: findWalletReach(config.wallets),
    }),
  );
  app.use("/build", serveBuiltFiles(path.join(installationDir, "public/build")));
  app.use(express.static(path.join(installationDir, "public"), { maxAge: "1h", index: false }));
  app.use(compression());
  app.use(guardPages(build));
  app.all(
    "*",
    createRequestHandler({
      build,
      mode: isDevelopment ? "development" : "production",
      getLoadContext: (_request, response) => contextOf(response),
    }),
  );
  app.use(createErrorHandler(log));
  return app;
}
