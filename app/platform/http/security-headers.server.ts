import type { IncomingMessage } from "node:http";
import helmet from "helmet";

/** For answers that are not pages: nothing may be loaded, framed or guessed from them. Names in lower case. */
export function createApiHeaders({ isHttps }: { isHttps: boolean }): Record<string, string> {
  return {
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
    ...(isHttps ? { "strict-transport-security": "max-age=31536000; includeSubDomains" } : {}),
  };
}

type PageHeaderOptions = {
  isHttps: boolean;
  isDevelopment: boolean;
  nonceOf: (request: IncomingMessage) => string;
  /** What pages may reach beyond this site. */
  reach: { connect: readonly string[]; frame: readonly string[]; opensWindows: boolean };
};

/** For pages: scripts only with the request's own nonce, everything else only from here and from `reach`. */
export function createPageHeaders({ isHttps, isDevelopment, nonceOf, reach }: PageHeaderOptions) {
  const nonce = (request: IncomingMessage) => `'nonce-${nonceOf(request)}'`;
  return helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'self'"],
        baseUri: ["'none'"],
        objectSrc: ["'none'"],
        formAction: ["'self'"],
        scriptSrc: ["'self'", nonce],
        styleSrc: ["'self'", nonce],
        imgSrc: ["'self'", "data:", "blob:"],
        // Speech arrives as the answer to a POST, which no address stands for.
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
    referrerPolicy: { policy: "strict-origin-when-cross-origin" },
    crossOriginEmbedderPolicy: false,
    // A window that a wallet opened has to be able to answer.
    crossOriginOpenerPolicy: { policy: reach.opensWindows ? "same-origin-allow-popups" : "same-origin" },
    xFrameOptions: { action: "deny" },
  });
}
