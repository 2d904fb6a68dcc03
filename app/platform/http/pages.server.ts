import type { ServerBuild } from "@remix-run/node";
import { matchPath } from "@remix-run/react";
import type { ErrorRequestHandler, NextFunction, Request, RequestHandler, Response } from "express";
import type { Log } from "~/platform/log/log.server";
import { takeBodyPlace, tooFine, tooLarge } from "./body/body.server";
import { contextOf } from "./create-context.server";
import { originHost } from "~/platform/config/domains";
import { Refusal, problemHeader } from "~/platform/refusals/refusal";
import type { RequestContext } from "./request-context.server";
import { pageRefusalResponse } from "./plain-page.server";
import { requireWithinLimit } from "./require-within-limit.server";
import { findResourceRoute, patternOf } from "./resource-routes.server";
import { sendResponse } from "./send-response.server";
import { toRefusal } from "./to-refusal.server";

/** The framework itself has no limit. */
const maxFormBytes = 64 * 1024;

/**
 * Counts every rendered page. Refuses requests that the framework would answer with its own error: methods a page
 * doesn't have, unreadable addresses, and forms of another site.
 */
export function guardPages({ routes }: ServerBuild): RequestHandler {
  const pages = Object.values(routes).flatMap((route) =>
    route && route.id !== "root"
      ? [{ pattern: patternOf(routes, route.id), hasAction: route.module.action !== undefined }]
      : [],
  );

  return function guard(request, response, next) {
    const context = contextOf(response);
    // A resource route has its own checks. It comes here only in tests, through the stock handler.
    if (context.route !== "page") return next();
    requireWithinLimit(context, "pages")
      .then(() => normalizeHostHeader(request, context))
      .then(() => requirePage(request, response, next))
      .catch(next);
  };

  function requirePage(request: Request, response: Response, next: NextFunction): void {
    const context = contextOf(response);
    const { method, pathname, searchParams } = context;
    // Another spelling of a resource route, which a proxy's rules may miss.
    if (findResourceRoute(routes, decode(pathname)?.replace(/\.data$/, "") ?? ""))
      throw new Refusal("not-found");
    // Older pages requested their data with `_data`. The framework refuses it with its own error.
    if (decode(pathname) === null || searchParams.has("_data")) throw new Refusal("not-found");
    if (method === "GET" || method === "HEAD") return next();
    const address = pathname.replace(/\.data$/, "").replace(/^\/_root$/, "/");
    // The catch-all route is not a page of its own.
    const found = pages.filter(({ pattern }) => !pattern.endsWith("*") && matchPath(pattern, address));
    if (found.length === 0) throw new Refusal("not-found");
    const hasAction = found.some((page) => page.hasAction);
    const allow = `GET, HEAD, ${hasAction ? "POST, " : ""}OPTIONS`;
    if (method === "OPTIONS") return void response.status(204).set("Allow", allow).end();
    if (method !== "POST" || !hasAction) {
      const detail = `${method} is not possible here. Use ${allow}.`;
      throw new Refusal("method-not-allowed", { detail, headers: { Allow: allow } });
    }
    requireOwnForm(context);
    // It has already closed, so its place would never be released.
    if (request.destroyed) return;
    request.once("close", takeBodyPlace(context.clientId));
    context.hasPlace = true;
    limitBody(request, context, next);
    next();
  }
}

/** Leaves the framework only the judged host: it builds its URL from these headers, and fails on an unreadable one. */
function normalizeHostHeader({ headers }: Request, { host, service }: RequestContext): void {
  if (host === null && headers.host !== undefined)
    throw new Refusal("invalid-request", { detail: "The Host header names no host. Correct it." });
  headers.host = host ?? new URL(service.origin).host;
  delete headers["x-forwarded-host"];
}

/** For an unreadable address the framework renders a page without its data. */
function decode(pathname: string): string | null {
  try {
    return decodeURIComponent(pathname);
  } catch {
    return null;
  }
}

/** Only this site's own pages send forms. A `SameSite=Strict` cookie ensures the same, if there is one. */
function requireOwnForm({ headers, host, service }: RequestContext): void {
  const { origin, "sec-fetch-site": site } = headers;
  const isOwn =
    origin !== undefined && (origin === service.origin || (host !== null && originHost(origin) === host));
  if (isOwn && (site === undefined || site === "same-origin")) return;
  throw new Refusal("cross-site-request", {
    detail: "This form has to be sent by a page of this very site. Programs name it in the Origin header.",
  });
}

/** Counts beside the framework, which reads the same stream. */
function limitBody(
  request: Request,
  { isTooFine }: RequestContext,
  refuse: (refusal: Refusal) => void,
): void {
  let receivedBytes = 0;
  request.on("data", function count(chunk: Buffer) {
    receivedBytes += chunk.length;
    const isLarge = receivedBytes > maxFormBytes;
    if (!isLarge && !isTooFine(receivedBytes)) return;
    // The framework's listener goes too, so it receives nothing more.
    request.removeAllListeners("data").pause();
    refuse(isLarge ? tooLarge(maxFormBytes) : tooFine());
  });
}

/** Express's last handler, for refusals of pages and uncaught errors. */
export function createErrorHandler(log: Log): ErrorRequestHandler {
  // eslint-disable-next-line max-params -- Express knows an error handler by its four parameters.
  return function handleError(error: unknown, _request, response, _next) {
    if (response.headersSent) {
      if (!response.writableEnded) log.error({ err: error }, "request failed after the response had started");
      return void response.destroy();
    }
    const status = faultStatus(error);
    if (status !== null) {
      response.status(status).set(problemHeader(status)).type("text/plain");
      return void response.send("This address could not be understood. Check it for typing mistakes.\n");
    }
    const refusal = toRefusal(error);
    if (refusal.refusalName === "internal-error")
      log.error({ err: error }, "request failed outside all routes");
    const { service, headers, requestId } = contextOf(response);
    service.countRefusal(refusal);
    const refused = { refusal, origin: service.origin, requestId };
    sendResponse(pageRefusalResponse(headers.accept, refused), response).catch(() => response.destroy());
  };
}

/** Express names a fault of the request, such as a missing range, in the error's status. */
function faultStatus(error: unknown): number | null {
  const { status } = error as { status?: unknown };
  const isFault = !(error instanceof Refusal) && typeof status === "number" && status >= 400 && status < 500;
  return isFault ? status : null;
}
