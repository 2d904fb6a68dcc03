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
  /** What pages may reach beyond this site. */
  reach: { connect: readonly string[]; frame: readonly string[]; opensWindows: boolean };
};

/** What a page's policy trusts of what stands in the page itself, as sources of a content security policy. */
export type InlineSources = { scripts: string; styles: string };

/** Stands in the policy for what differs from page to page. */
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
