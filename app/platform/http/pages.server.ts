import type { ServerBuild } from "@remix-run/node";
import { matchPath } from "@remix-run/react";
import type { ErrorRequestHandler, NextFunction, Request, RequestHandler, Response } from "express";
import type { Log } from "~/platform/log/log.server";
import { tooFine, tooLarge } from "./body/body.server";
import { takeBodyPlace } from "./body/body-places.server";
import { contextOf } from "./create-context.server";
import { originHost } from "~/platform/config/domains";
import { Refusal, problemHeader } from "~/platform/refusals/refusal";
import type { RequestContext } from "./request-context.server";
import { answerPageRefusal } from "./plain-page.server";
import { requireWithinLimit } from "./require-within-limit.server";
import { findResourceRoute } from "./resource-routes.server";
import { sendResponse } from "./send-response.server";
import { patternOf } from "./served-routes.server";
import { toRefusal } from "./to-refusal.server";

/** A page's form is smaller. The framework itself would receive any amount. */
const maxFormBytes = 64 * 1024;

/**
 * Counts whatever the framework renders. Refuses what it would answer with an error of its own: methods that a page doesn't
 * have, addresses it can't read, and forms that another site sends.
 */
export function guardPages({ routes }: ServerBuild): RequestHandler {
  const pages = Object.values(routes).flatMap((route) =>
    route && route.id !== "root"
      ? [{ pattern: patternOf(routes, route.id), hasAction: route.module.action !== undefined }]
      : [],
  );

  return function guard(request, response, next) {
    const context = contextOf(response);
    // A resource route checks for itself.
    if (context.route !== "page") return next();
    requireWithinLimit(context, "pages")
      .then(() => nameHost(request, context))
      .then(() => requirePage(request, response, next))
      .catch(next);
  };

  function requirePage(request: Request, response: Response, next: NextFunction): void {
    const context = contextOf(response);
    const { method, pathname, searchParams } = context;
    // Another spelling of a resource route, which a proxy's rules for its address may miss.
    if (findResourceRoute(routes, decode(pathname)?.replace(/\.data$/, "") ?? ""))
      throw new Refusal("not-found");
    // `_data` is how older pages asked for their data; the framework answers it with an error of its own.
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
    // Its end has been told already: a place would never be given back.
    if (request.destroyed) return;
    request.once("close", takeBodyPlace(context.clientId));
    context.hasPlace = true;
    limitBody(request, context, next);
    next();
  }
}

/** The framework builds an address of these headers, whoever sends them, and fails if it can't be read. */
function nameHost({ headers }: Request, { host, service }: RequestContext): void {
  if (host === null && headers.host !== undefined)
    throw new Refusal("invalid-request", { detail: "The Host header names no host. Correct it." });
  headers.host = host ?? new URL(service.origin).host;
  delete headers["x-forwarded-host"];
}

/** The framework answers an address it can't decode with a page that has no data, which no page expects. */
function decode(pathname: string): string | null {
  try {
    return decodeURIComponent(pathname);
  } catch {
    return null;
  }
}

/** Only this site's own pages send forms. A cookie that is `SameSite=Strict` ensures as much, where there is one. */
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
    request.removeAllListeners("data").pause();
    refuse(isLarge ? tooLarge(maxFormBytes) : tooFine());
  });
}

/** Express's last handler: refusals of pages, and what no route and no page has caught. */
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
    sendResponse(answerPageRefusal(headers.accept, refused), response).catch(() => response.destroy());
  };
}

/** Express names a fault of the request, such as a range that a file hasn't, in the error's status. */
function faultStatus(error: unknown): number | null {
  const { status } = error as { status?: unknown };
  const isFault = !(error instanceof Refusal) && typeof status === "number" && status >= 400 && status < 500;
  return isFault ? status : null;
}
