import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import helmet from "helmet";
import type { HeaderTable } from "./answer.server";

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
  /** Other origins that pages may connect to. */
  reach: { connect: readonly string[]; frame: readonly string[]; opensWindows: boolean };
};

/** Content security policy sources for a page's inline scripts and styles. */
export type InlineSources = { scripts: string; styles: string };

/** Placeholder for the sources that differ from page to page. */
const inlineMark = "'nonce-'";

/**
 * For pages: scripts only from here or named by nonce or hash, everything else only from here and from `reach`. The
 * library works them out once; only the policy's inline sources differ.
 */
export function createPageHeaders(options: PageHeaderOptions): (inline: InlineSources) => HeaderTable {
  const response = new ServerResponse(new IncomingMessage(new Socket()));
  createHelmet(options)(response.req, response, (error) => {
    if (error) throw error;
  });
  const headers = response.getHeaders() as HeaderTable;
  const [start, middle, end] = headers["content-security-policy"]!.split(inlineMark);
  return ({ scripts, styles }) => ({
    ...headers,
    "content-security-policy": `${start}${scripts}${middle}${styles}${end}`,
  });
}

function createHelmet({ isHttps, isDevelopment, reach }: PageHeaderOptions) {
  return helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'self'"],
        baseUri: ["'none'"],
        objectSrc: ["'none'"],
        formAction: ["'self'"],
        scriptSrc: ["'self'", inlineMark],
        styleSrc: ["'self'", inlineMark],
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
    referrerPolicy: { policy: "strict-origin-when-cross-origin" },
    crossOriginEmbedderPolicy: false,
    // A wallet's pop-up has to be able to post back.
    crossOriginOpenerPolicy: { policy: reach.opensWindows ? "same-origin-allow-popups" : "same-origin" },
    xFrameOptions: { action: "deny" },
  });
}
