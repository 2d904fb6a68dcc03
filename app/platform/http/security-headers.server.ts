import type { ServerResponse } from "node:http";
import type { RequestHandler, Response as ExpressResponse } from "express";
import helmet from "helmet";
import { contextOf } from "./create-context.server";
import type { RequestContext } from "./request-context.server";

/** For responses that aren't pages: nothing may be loaded, framed or guessed from them. */
export function createApiHeaders({ isHttps }: { isHttps: boolean }): Record<string, string> {
  return {
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
    ...(isHttps ? { "strict-transport-security": "max-age=31536000; includeSubDomains" } : {}),
  };
}

const nameNonce = (_request: unknown, response: ServerResponse) =>
  `'nonce-${contextOf(response as ExpressResponse).cspNonce}'`;

type PageHeaderOptions = {
  isHttps: boolean;
  isDevelopment: boolean;
  /** Other origins that pages may connect to. */
  reach: { connect: readonly string[]; frame: readonly string[]; opensWindows: boolean };
};

/**
 * Scripts come from here or have the nonce; everything else comes from here and `reach`. Forms need this referrer
 * policy: under a stricter one browsers send them without an origin.
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
        // In development the compiler uses a socket of its own.
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
    // A wallet's pop-up must be able to post back.
    crossOriginOpenerPolicy: { policy: reach.opensWindows ? "same-origin-allow-popups" : "same-origin" },
    xFrameOptions: { action: "deny" },
  });
  // A resource route has its own headers. It comes here only in tests, through the stock handler.
  return (request, response, next) =>
    contextOf(response).route === "page" ? setHeaders(request, response, next) : next();
}

const exposedHeaders =
  "X-RateLimit-Limit, X-RateLimit-Remaining, RateLimit, RateLimit-Policy, Retry-After, X-Quota-Limit, X-Quota-Remaining, X-Quota-Reset, X-Reply-Id, X-Message-Id, X-Speech-Cut, X-Request-Id, X-Problem, WWW-Authenticate, ETag";

const allowedHeaders =
  "Authorization, Content-Type, If-None-Match, Last-Event-ID, X-Chat-Resumable, X-Reply-Id, MCP-Protocol-Version, Mcp-Method, Mcp-Name";

/** Never `*`, never `null`, and no credentials: cookies don't cross origins here. */
export function corsHeaders(context: RequestContext): Record<string, string> {
  const origin = context.headers.origin;
  if (!origin || !context.service.isAllowedOrigin(origin)) return { Vary: "Origin" };
  return {
    Vary: "Origin",
    "Access-Control-Allow-Origin": origin,
    "Access-Control-Expose-Headers": exposedHeaders,
  };
}

export function optionsResponse(context: RequestContext, allow: string): Response {
  const headers: Record<string, string> = { Allow: allow, ...corsHeaders(context) };
  if (headers["Access-Control-Allow-Origin"] && context.headers["access-control-request-method"]) {
    headers["Access-Control-Allow-Methods"] = allow;
    headers["Access-Control-Allow-Headers"] = allowedHeaders;
    headers["Access-Control-Max-Age"] = "600";
  }
  return new Response(null, { status: 204, headers });
}
