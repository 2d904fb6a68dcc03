import { setting } from "./kinds";
import { InvalidSetting } from "./setting";
import type { Setting } from "./setting";

/** Every route of its own; a test compares them with the routes there are. */
const ownPaths: readonly string[] = [
  "/_root",
  "/api/chat",
  "/api/door",
  "/api/form-submission-gate",
  "/api/gate-access",
  "/api/keys",
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
const ownFolders = [
  "/.latchkey",
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

/** Below the chat's own default path. */
const ownConversation = /^\/api\/chat\/[^/]+\/(?:stream|stop)$/;

/** Page routes do not tell capitals apart. */
export function isTakenPath(path: string): boolean {
  // With this ending the framework requests a page's data.
  const lower = path.toLowerCase().replace(/\.data$/, "");
  if (ownPaths.includes(lower) || ownConversation.test(lower)) return true;
  return ownFolders.some((folder) => `${lower}/`.startsWith(`${folder}/`));
}

/** Another address for the route at `ownPath`. */
export function apiPath(name: string, ownPath: string, text: string): Setting<string> {
  return setting(
    name,
    { parse: (given) => parsePath(given, ownPath), default: ownPath, range: "path of its own" },
    text,
  );
}

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
