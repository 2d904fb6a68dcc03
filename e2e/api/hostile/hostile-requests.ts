import { maxRequestBytes, maxRequestValues } from "~/chat/chat-limits";
import { maxBodyBytes as maxMcpBytes, maxBodyValues as maxMcpValues } from "~/tools/mcp/message";
import {
  anyAddresses,
  anyHeaders,
  doorAddresses,
  gateAddresses,
  mediaAddresses,
  siteAddresses,
  streamAddresses,
  tokenIds,
} from "./addresses";
import type { HostileAddress } from "./addresses";
import { formBodies, forms, gateBodies, resetBodies } from "./gate-bodies";
import { anyShapes, kib } from "./shapes";
import type { HostileBody } from "./shapes";
import { chatBodies, mcpBodies, speechBodies } from "./talk-bodies";

export type HostileRequest = {
  shape: string;
  path: string;
  method: "GET" | "POST";
  headers: Record<string, string>;
  body?: string;
};
export type HostileRoute = {
  /** As the build names it. */
  pattern: string;
  requests: readonly HostileRequest[];
};

type Headers = Record<string, string>;
type Own = {
  /** Of the pattern, where parameters and the like are not just 1. */
  path?: string;
  headers?: Headers;
  bodies?: readonly HostileBody[];
  addresses?: readonly HostileAddress[];
};
type Bounds = { maxBytes: number; maxValues: number };

const usual: Bounds = { maxBytes: 64 * kib, maxValues: 1_000 };
const json = { "Content-Type": "application/json" };
const onSite = { "X-Forwarded-Host": "wiki.example.com", "X-Forwarded-Proto": "https" };

function taking(bodies: readonly HostileBody[], bounds: Partial<Bounds> = {}, headers: Headers = {}): Own {
  return { bodies: [...anyShapes({ ...usual, ...bounds }), ...bodies], headers: { ...json, ...headers } };
}

/** The worst that anybody has thought of, for every route there is; null for one that nobody has thought about. */
export function listHostileRoutes(patterns: readonly string[], origin: string, resetSecret: string) {
  const form: Own = {
    bodies: forms,
    headers: { Origin: origin, "Content-Type": "application/x-www-form-urlencoded" },
  };
  const read: Own = {};
  const onSites: Own = { headers: onSite, addresses: siteAddresses };
  const routes: Record<string, Own> = {
    "/": { addresses: anyHeaders },
    "/*": { path: "/not-there" },
    "/.latchkey/*": onSites,
    "/.latchkey/enter": onSites,
    "/.latchkey/leave": onSites,
    "/.latchkey/start": onSites,
    "/.well-known/jwks.json": read,
    "/.well-known/oauth-protected-resource/*": read,
    "/api/*": read,
    "/api/chat": taking(chatBodies, { maxBytes: maxRequestBytes, maxValues: maxRequestValues }),
    "/api/chat/:id/stop": { path: `/api/chat/${"a".repeat(64)}/stop` },
    "/api/chat/:id/stream": { path: `/api/chat/${"a".repeat(64)}/stream`, addresses: streamAddresses },
    "/api/door": { headers: { ...onSite, Accept: "text/html" }, addresses: doorAddresses },
    "/api/form-submission-gate": taking(formBodies),
    "/api/gate-access": taking(gateBodies),
    "/api/keys": read,
    "/api/mcp": taking(mcpBodies, { maxBytes: maxMcpBytes, maxValues: maxMcpValues }),
    "/api/models": read,
    "/api/nonce": { addresses: anyHeaders },
    "/api/openapi": { addresses: anyHeaders },
    "/api/quota": { addresses: anyHeaders },
    "/api/quota-reset": taking(resetBodies, { maxBytes: 16 * kib }, { "X-Quota-Reset-Secret": resetSecret }),
    "/api/settings": read,
    "/api/token-status/:tokenId": { addresses: tokenIds },
    "/api/tts": taking(speechBodies, { maxBytes: 32 * kib }),
    "/brand/:version/:file": read,
    "/chat": read,
    "/demo/faucet": taking([]),
    "/demo/rpc": taking([]),
    "/docs": { addresses: anyHeaders },
    "/gate": { ...form, addresses: gateAddresses },
    "/healthz": read,
    "/manifest.webmanifest": read,
    "/media/:tokenId/*": { addresses: mediaAddresses },
    "/metrics": read,
    "/offline": read,
    "/operator": read,
    "/operator/:table": { ...form, path: "/operator/keys" },
    "/operator/activity": read,
    "/operator/check": read,
    "/operator/export/:table": read,
    "/operator/sign-in": form,
    "/operator/state": read,
    "/operator/submissions/:submissionId": read,
    "/problems": read,
    "/problems/:slug": read,
    "/readyz": read,
    "/sandbox": read,
    "/session": taking([], { maxBytes: 4 * kib }),
    "/sw.js": read,
  };
  const unlisted = patterns.filter((pattern) => !(pattern in routes));
  const gone = Object.keys(routes).filter((pattern) => !patterns.includes(pattern));
  const listed = Object.entries(routes).map(([pattern, own]) => ({
    pattern,
    requests: listRequests(pattern, own),
  }));
  return { listed, unlisted, gone };
}

function listRequests(pattern: string, own: Own): HostileRequest[] {
  const { path = pattern.replace(/:\w+|\*/g, "1"), headers = {}, bodies = [], addresses = [] } = own;
  const method = bodies.length > 0 ? "POST" : "GET";
  const posted = bodies.map(({ shape, text: body }) => ({ shape, path, method, headers, body }) as const);
  const read = [...anyAddresses, ...addresses].map(
    (address) =>
      ({
        shape: address.shape,
        path: `${address.path ?? path}${address.query === undefined ? "" : `?${address.query}`}`,
        headers: { ...headers, ...address.headers },
        method,
      }) as const,
  );
  return [...posted, ...read];
}
