import { expect } from "vitest";
import { refusalTable } from "~/platform/http/refusal";
import type { RefusalName } from "~/platform/http/refusal";
import { onlyPostMessage } from "~/tools/mcp/answer.server";
import { errorCodes } from "~/tools/mcp/message";

export type SweptAnswer = { status: number; headers: Headers; text: string };
/** Judges an answer as the refusal of this name, in a route's own shape; gives back its body. */
export type RefusalShape = (refused: {
  answer: SweptAnswer;
  name: RefusalName;
  origin: string;
}) => Record<string, unknown>;

function expectRefused({
  answer,
  name,
  contentType,
}: {
  answer: SweptAnswer;
  name: RefusalName;
  contentType: string;
}): Record<string, unknown> {
  expect(answer.status, answer.text).toBe(refusalTable[name].status);
  expect(answer.headers.get("content-type")).toBe(contentType);
  expect(answer.headers.get("cache-control")).toContain("no-store");
  return JSON.parse(answer.text) as Record<string, unknown>;
}

/** Problem Details. */
export const problem: RefusalShape = ({ answer, name, origin }) => {
  const body = expectRefused({ answer, name, contentType: "application/problem+json" });
  const { slug, status, title } = refusalTable[name];
  const instance = answer.headers.get("x-request-id");
  expect(body).toMatchObject({ type: `${origin}/problems/${slug}`, status, title, instance });
  expect(String(body.detail).length).toBeGreaterThan(10);
  if (name === "invalid-request") expect(body.errors).toBeInstanceOf(Array);
  return body;
};

/** `{error}`, with nothing of Problem Details in it. */
export const plainError: RefusalShape = ({ answer, name }) => {
  const body = expectRefused({ answer, name, contentType: "application/json; charset=utf-8" });
  expect(body.error).toBe(refusalTable[name].title);
  for (const member of ["type", "title", "status", "detail", "instance"]) {
    expect(body).not.toHaveProperty(member);
  }
  if (name === "invalid-request") expect(body.errors).toBeInstanceOf(Array);
  return body;
};

/** JSON-RPC for bare callers: `{error: {code, message}}`; the wrong method has words of the contract instead. */
const rpcError: RefusalShape = ({ answer, name }) => {
  const body = expectRefused({ answer, name, contentType: "application/json; charset=utf-8" });
  expect(Object.keys(body)).toEqual(["error"]);
  if (name === "method-not-allowed") {
    expect(body.error).toBe(onlyPostMessage);
    return body;
  }
  const { status, title } = refusalTable[name];
  const { code, message } = body.error as { code: number; message: string };
  if (status === 401) expect([code, message]).toEqual([errorCodes.authentication, title]);
  else expect([errorCodes.parse, errorCodes.invalidRequest]).toContain(code);
  expect(message.length).toBeGreaterThan(10);
  return body;
};

type Anonymous = {
  /** What a caller without any proof is told, or null: strangers are served, or the proof is a field of the body. */
  unauthenticated: RefusalName | null;
};

export type BodyExpectation = {
  maxBodyBytes: number;
  /** What is no JSON at all, and what is JSON of a shape that no call of this route has. */
  refusals: { unparseable: RefusalName; wrongShape: RefusalName };
};

export type RouteExpectation = {
  /** An address of this route. */
  path: string;
  shape: RefusalShape;
  GET?: Anonymous;
  DELETE?: Anonymous;
  POST?: Anonymous & { body: BodyExpectation | null };
  /** The realm its 401 names; by default the gate's. */
  realm?: string;
  /** What else its challenge says, of the origin asked. */
  challengeOf?: (origin: string) => string;
  /** Who is let in, so that requests get as far as what they are about. */
  credential?: "access token" | "reset secret";
};

const invalid = { unparseable: "invalid-request", wrongShape: "invalid-request" } as const;
const open = { unauthenticated: null } as const;

/** Every resource route there is, by the pattern the build has it under. A new one is one more entry. */
export const routeExpectations: Readonly<Record<string, RouteExpectation>> = {
  "/.well-known/oauth-protected-resource/*": {
    path: "/.well-known/oauth-protected-resource",
    shape: problem,
    GET: open,
  },
  "/.well-known/jwks.json": { path: "/.well-known/jwks.json", shape: problem, GET: open },
  "/api/*": { path: "/api/does/not/exist", shape: problem, GET: open, POST: { ...open, body: null } },
  "/api/chat": {
    path: "/api/chat",
    shape: plainError,
    credential: "access token",
    POST: {
      unauthenticated: "missing-jwt",
      body: {
        maxBodyBytes: 262_144,
        refusals: { unparseable: "invalid-json-body", wrongShape: "missing-messages" },
      },
    },
  },
  "/api/form-submission-gate": {
    path: "/api/form-submission-gate",
    shape: problem,
    POST: { ...open, body: { maxBodyBytes: 65_536, refusals: invalid } },
  },
  "/api/gate-access": {
    path: "/api/gate-access",
    shape: problem,
    POST: {
      unauthenticated: "authentication-failed",
      body: { maxBodyBytes: 65_536, refusals: invalid },
    },
  },
  "/api/mcp": {
    path: "/api/mcp",
    shape: rpcError,
    credential: "access token",
    challengeOf: (origin) => `, resource_metadata="${origin}/.well-known/oauth-protected-resource/api/mcp"`,
    POST: { unauthenticated: "missing-jwt", body: { maxBodyBytes: 262_144, refusals: invalid } },
  },
  "/api/nonce": { path: "/api/nonce", shape: problem, GET: open },
  "/api/openapi": { path: "/api/openapi", shape: problem, GET: open },
  "/api/quota": { path: "/api/quota", shape: plainError, GET: { unauthenticated: "missing-jwt" } },
  "/api/quota-reset": {
    path: "/api/quota-reset",
    shape: plainError,
    credential: "reset secret",
    realm: "latchkey-quota-reset",
    POST: {
      unauthenticated: "quota-reset-unauthorized",
      body: { maxBodyBytes: 16_384, refusals: invalid },
    },
  },
  "/api/settings": { path: "/api/settings", shape: problem, GET: open },
  "/api/token-status/:tokenId": { path: "/api/token-status/1", shape: problem, GET: open },
  "/api/tts": {
    path: "/api/tts",
    shape: plainError,
    credential: "access token",
    POST: {
      unauthenticated: "missing-jwt",
      body: {
        maxBodyBytes: 32_768,
        refusals: { unparseable: "invalid-json-body", wrongShape: "missing-text" },
      },
    },
  },
  "/brand/:version/:file": { path: "/brand/any/logo.svg", shape: problem, GET: open },
  // Outside the demo there is nothing behind these two; how they refuse is the same everywhere.
  "/demo/faucet": {
    path: "/demo/faucet",
    shape: problem,
    POST: { ...open, body: { maxBodyBytes: 65_536, refusals: invalid } },
  },
  "/demo/rpc": {
    path: "/demo/rpc",
    shape: problem,
    POST: { ...open, body: { maxBodyBytes: 65_536, refusals: invalid } },
  },
  "/healthz": { path: "/healthz", shape: problem, GET: open },
  "/manifest.webmanifest": { path: "/manifest.webmanifest", shape: problem, GET: open },
  "/media/:tokenId/*": {
    path: "/media/1/audio.wav",
    shape: problem,
    GET: { unauthenticated: "media-link-invalid" },
  },
  "/metrics": {
    path: "/metrics",
    shape: problem,
    realm: "latchkey-metrics",
    GET: { unauthenticated: "authentication-failed" },
  },
  // Swept as it is without its secret; e2e/api/operator.test.ts has the rest.
  "/operator/do/:action": {
    path: "/operator/do/sign-out",
    shape: problem,
    POST: { unauthenticated: "not-found", body: null },
  },
  "/operator/export/:table": {
    path: "/operator/export/submissions",
    shape: problem,
    GET: { unauthenticated: "not-found" },
  },
  "/operator/session": {
    path: "/operator/session",
    shape: problem,
    POST: { unauthenticated: "not-found", body: null },
  },
  "/readyz": { path: "/readyz", shape: problem, GET: open },
  "/session": {
    path: "/session",
    shape: problem,
    GET: open,
    POST: {
      unauthenticated: "authentication-failed",
      body: { maxBodyBytes: 4096, refusals: invalid },
    },
    DELETE: open,
  },
  "/sw.js": { path: "/sw.js", shape: problem, GET: open },
  "/sandbox": { path: "/sandbox", shape: problem, GET: open },
};
