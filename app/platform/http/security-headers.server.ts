import type { ServerResponse } from "node:http";
import type { RequestHandler, Response } from "express";
import helmet from "helmet";
import { contextOf } from "./create-context.server";

/** For answers that are not pages: nothing may be loaded, framed or guessed from them. Names in lower case. */
export function createApiHeaders({ isHttps }: { isHttps: boolean }): Record<string, string> {
  return {
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
    ...(isHttps ? { "strict-transport-security": "max-age=31536000; includeSubDomains" } : {}),
  };
}

const nameNonce = (_request: unknown, response: ServerResponse) =>
  `'nonce-${contextOf(response as Response).cspNonce}'`;

type PageHeaderOptions = {
  isHttps: boolean;
  isDevelopment: boolean;
  /** Other origins that pages may connect to. */
  reach: { connect: readonly string[]; frame: readonly string[]; opensWindows: boolean };
};

/**
 * For pages: scripts only from here or named by the nonce, everything else only from here and from `reach`. Forms need the
 * referrer policy: under a stricter one browsers send them without an origin.
 */
export function createPageHeaders({ isHttps, isDevelopment, reach }: PageHeaderOptions): RequestHandler {
  const setHeaders = helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'self'"],
        baseUri: ["'none'"],
        objectSrc: ["'none'"],
        formAction: ["'self'"],
        scriptSrc: ["'self'", nameNonce],
        styleSrc: ["'self'", nameNonce],
        imgSrc: ["'self'", "data:", "blob:"],
        // Speech is the response to a POST, played from a blob URL.
        mediaSrc: ["'self'", "blob:"],
        fontSrc: ["'self'"],
        // In development the compiler tells the page of changes over a socket of its own.
        connectSrc: ["'self'", ...(isDevelopment ? ["ws:"] : []), ...reach.connect],
        frameSrc: ["'self'", ...reach.frame],
        workerSrc: ["'self'"],
        manifestSrc: ["'self'"],
        frameAncestors: ["'none'"],
        ...(isHttps ? { upgradeInsecureRequests: [] } : {}),
      },
    },
    strictTransportSecurity: isHttps ? { maxAge: 31_536_000, includeSubDomains: true } : false,
    referrerPolicy: { policy: "same-origin" },
    crossOriginEmbedderPolicy: false,
    // A wallet's pop-up has to be able to post back.
    crossOriginOpenerPolicy: { policy: reach.opensWindows ? "same-origin-allow-popups" : "same-origin" },
    xFrameOptions: { action: "deny" },
  });
  // A resource route has headers of its own.
  return (request, response, next) =>
    contextOf(response).route === "page" ? setHeaders(request, response, next) : next();
}
