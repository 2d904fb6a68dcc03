import { setting } from "./kinds";
import { InvalidSetting } from "./setting";
import type { Setting, SwitchText } from "./setting";

/** A test compares them with the routes there are. */
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

const ownConversation = /^\/api\/chat\/[^/]+\/(?:stream|stop)$/;

/** Page routes are case-insensitive. */
export function isTakenPath(path: string): boolean {
  // The framework requests a page's data with this ending.
  const lower = path.toLowerCase().replace(/\.data$/, "");
  if (ownPaths.includes(lower) || ownConversation.test(lower)) return true;
  return ownFolders.some((folder) => `${lower}/`.startsWith(`${folder}/`));
}

type ApiPathOptions = { ownPath: string; switches?: SwitchText };

/** Another address for the route at `ownPath`. `switches` names the value at which it is off. */
export function apiPath(name: string, { ownPath, switches }: ApiPathOptions, text: string): Setting<string> {
  const off = switches?.offAt;
  const parse = (given: string) => (given === off ? given : parsePath(given, ownPath));
  const range = `path of its own${off === undefined ? "" : `, or \`${off}\``}`;
  return setting(name, { parse, default: ownPath, range, ...(switches && { switches }) }, text);
}

function parsePath(given: string, ownPath: string): string {
  if (!/^(?:\/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)+$/.test(given)) {
    throw new InvalidSetting("must be a path such as /api/chat.");
  }
  if (given !== ownPath && isTakenPath(given)) {
    throw new InvalidSetting("names an address that the service already uses. Choose another one.");
  }
  return given;
}

/** Default paths and the operator's own, for a route and all below it. */
export type MovedPaths = Readonly<Record<string, string>>;

export function movePath(path: string, moved: MovedPaths): string {
  for (const [from, to] of Object.entries(moved)) {
    if (path === from || path.startsWith(`${from}/`)) return to + path.slice(from.length);
  }
  return path;
}
