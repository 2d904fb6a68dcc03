import { setting } from "./kinds";
import { InvalidSetting } from "./setting";
import type { Setting } from "./setting";

/** Every address that is a route of its own; a test holds this against the routes there are. */
const ownPaths: readonly string[] = [
  "/_root",
  "/api/chat",
  "/api/form-submission-gate",
  "/api/gate-access",
  "/api/mcp",
  "/api/models",
  "/api/nonce",
  "/api/openapi",
  "/api/quota",
  "/api/quota-reset",
  "/api/settings",
  "/api/tts",
  "/chat",
  "/docs",
  "/favicon.ico",
  "/favicon.svg",
  "/gate",
  "/healthz",
  "/manifest.webmanifest",
  "/metrics",
  "/offline",
  "/readyz",
  "/robots.txt",
  "/sandbox",
  "/session",
  "/sw.js",
];
/** What is served below these has addresses of many kinds. */
const ownFolders = [
  "/.well-known",
  "/api/token-status",
  "/brand",
  "/build",
  "/demo",
  "/icons",
  "/media",
  "/operator",
  "/problems",
];

/** Whether something of ours already answers there. Routes of pages do not tell capitals apart. */
export function isTakenPath(path: string): boolean {
  // The framework asks for a page's data at the page's path with this ending.
  const lower = path.toLowerCase().replace(/\.data$/, "");
  return ownPaths.includes(lower) || ownFolders.some((folder) => `${lower}/`.startsWith(`${folder}/`));
}

/** A further address of a route, which otherwise is at `ownPath`: the one address of the service that may be named. */
export function apiPath(name: string, ownPath: string, text: string): Setting<string> {
  return setting(name, { parse: (given) => parsePath(given, ownPath), default: ownPath }, text);
}

/** Without a slash at its end: the router takes one from what is asked for. */
function parsePath(given: string, ownPath: string): string {
  if (!/^(?:\/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)+$/.test(given)) {
    throw new InvalidSetting("must be a path such as /api/chat.");
  }
  if (given !== ownPath && isTakenPath(given)) {
    throw new InvalidSetting(
      "names another address of the service, which would be replaced. Choose one of its own.",
    );
  }
  return given;
}
