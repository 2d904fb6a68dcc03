import { chatOperation } from "~/chat/chat.openapi";
import { gateOperations } from "~/gate/admission/gate.openapi";
import { sessionOperations } from "~/gate/session/session.openapi";
import { defaultMaxBodyBytes } from "~/platform/http/body/body.server";
import type { OperationDescription } from "~/platform/openapi/api-registry";
import { defaultJsonBounds } from "~/platform/shapes/json-text";
import { resetQuotasOperation } from "~/quota/quota.openapi";
import { speakOperation } from "~/speech/speech.openapi";
import { callToolsOperation } from "~/tools/tools.openapi";
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
import { formBodies, forms, gateBodies, resetBodies, sessionBodies } from "./gate-bodies";
import { anyShapes } from "./shapes";
import type { HostileBody } from "./shapes";
import { chatBodies, mcpBodies, resumableBodies, speechBodies } from "./talk-bodies";

/** A stranger's stored reply. The tests store it. */
export const largeConversation = "a-large-conversation";

export type HostileRequest = {
  shape: string;
  path: string;
  method: "GET" | "POST" | "DELETE";
  headers: Record<string, string>;
  body?: string;
};
export type HostileRoute = {
  pattern: string;
  requests: readonly HostileRequest[];
};

type Headers = Record<string, string>;
type Own = {
  /** Default: the pattern, with 1 for each parameter. */
  path?: string;
  /** Default: decided by the bodies. */
  method?: HostileRequest["method"];
  headers?: Headers;
  bodies?: readonly HostileBody[];
  addresses?: readonly HostileAddress[];
};
type Bounds = Pick<OperationDescription, "maxBodyBytes" | "maxBodyValues">;

const json = { "Content-Type": "application/json" };
const onSite = { "X-Forwarded-Host": "wiki.example.com", "X-Forwarded-Proto": "https" };

/** With the maximum number of bytes and values of an operation. */
function taking(bodies: readonly HostileBody[], bounds: Bounds, headers: Headers = {}): Own {
  const { maxBodyBytes: maxBytes = defaultMaxBodyBytes, maxBodyValues } = bounds;
  const { maxValues } = { ...defaultJsonBounds, ...(maxBodyValues && { maxValues: maxBodyValues }) };
  return { bodies: [...anyShapes({ maxBytes, maxValues }), ...bodies], headers: { ...json, ...headers } };
}

/** The worst requests for every route. Null: a route without any yet. */
export function listHostileRoutes(patterns: readonly string[], origin: string, resetSecret: string) {
  const form: Own = {
    bodies: forms,
    headers: { Origin: origin, "Content-Type": "application/x-www-form-urlencoded" },
  };
  const read: Own = {};
  const onSites: Own = { headers: onSite, addresses: siteAddresses };
  const stream = (id: string) => `/api/chat/${id}/stream`;
  const kept = { shape: "a large kept reply", path: stream(largeConversation) };
  const routes: Record<string, Own | readonly Own[]> = {
    "/": { addresses: anyHeaders },
    "/*": { path: "/not-there" },
    "/.latchkey/*": onSites,
    "/.latchkey/enter": onSites,
    "/.latchkey/leave": onSites,
    "/.latchkey/start": onSites,
    "/.well-known/jwks.json": read,
    "/.well-known/oauth-protected-resource/*": read,
    "/api/*": read,
    "/api/chat": [
      taking(chatBodies, chatOperation),
      { bodies: resumableBodies, headers: { ...json, "X-Chat-Resumable": "1" } },
    ],
    "/api/chat/:id/stop": { path: `/api/chat/${"a".repeat(64)}/stop`, method: "POST" },
    "/api/chat/:id/stream": { path: stream("a".repeat(64)), addresses: [...streamAddresses, kept] },
    "/api/door": {
      headers: { ...onSite, "X-Forwarded-Method": "GET", Accept: "text/html" },
      addresses: doorAddresses,
    },
    "/api/form-submission-gate": taking(formBodies, gateOperations.submitForm),
    "/api/gate-access": taking(gateBodies, gateOperations.openGate),
    "/api/keys": read,
    "/api/mcp": taking(mcpBodies, callToolsOperation),
    "/api/models": read,
    "/api/nonce": { addresses: anyHeaders },
    "/api/openapi": { addresses: anyHeaders },
    "/api/quota": { addresses: anyHeaders },
    "/api/quota-reset": taking(resetBodies, resetQuotasOperation, { "X-Quota-Reset-Secret": resetSecret }),
    "/api/settings": read,
    "/api/token-status/:tokenId": { addresses: tokenIds },
    "/api/tts": taking(speechBodies, speakOperation),
    "/brand/:version/:file": read,
    "/chat": read,
    "/demo/faucet": taking([], {}),
    "/demo/rpc": taking([], {}),
    "/docs": { addresses: anyHeaders },
    "/gate": [
      { ...form, addresses: gateAddresses },
      taking(formBodies, gateOperations.submitForm, { Origin: origin, Host: new URL(origin).host }),
    ],
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
    "/session": [taking(sessionBodies, sessionOperations.keepSession), { method: "DELETE" }],
    "/sw.js": read,
  };
  const unlisted = patterns.filter((pattern) => !(pattern in routes));
  const gone = Object.keys(routes).filter((pattern) => !patterns.includes(pattern));
  const listed = Object.entries(routes).map(([pattern, own]) => ({
    pattern,
    requests: [own].flat().flatMap((each) => listRequests(pattern, each)),
  }));
  return { listed, unlisted, gone };
}

function listRequests(pattern: string, own: Own): HostileRequest[] {
  const { path = pattern.replace(/:\w+|\*/g, "1"), headers = {}, bodies = [], addresses = [] } = own;
  const { method = bodies.length > 0 ? "POST" : "GET" } = own;
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
