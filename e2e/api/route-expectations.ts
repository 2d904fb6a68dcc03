import path from "node:path";
import { expect } from "vitest";
import { refusalTable } from "~/platform/http/refusal";
import type { RefusalName } from "~/platform/http/refusal";
import { onlyPostMessage } from "~/tools/mcp/mcp.server";
import { errorCodes } from "~/tools/mcp/message";
import type { RouteFunction } from "~/platform/http/route.server";
import type { OperationDescription } from "~/platform/openapi/api-registry";

export type SweptAnswer = { status: number; headers: Headers; text: string };
/** Judges an answer as the refusal of this name, in a route's own shape; gives back its body. */
export type RefusalShape = (refused: {
  answer: SweptAnswer;
  name: RefusalName;
  origin: string;
}) => Record<string, unknown>;

function expectRefused(answer: SweptAnswer, name: RefusalName, contentType: string): Record<string, unknown> {
  expect(answer.status, answer.text).toBe(refusalTable[name].status);
  expect(answer.headers.get("content-type")).toBe(contentType);
  expect(answer.headers.get("cache-control")).toContain("no-store");
  expect(answer.headers.get("x-problem")).toBe(refusalTable[name].slug);
  return JSON.parse(answer.text) as Record<string, unknown>;
}

/** Problem Details. */
export const problem: RefusalShape = ({ answer, name, origin }) => {
  const body = expectRefused(answer, name, "application/problem+json");
  const { slug, status, title } = refusalTable[name];
  const instance = answer.headers.get("x-request-id");
  expect(body).toMatchObject({ type: `${origin}/problems/${slug}`, status, title, instance });
  expect(String(body.detail).length).toBeGreaterThan(10);
  if (name === "invalid-request") expect(body.errors).toBeInstanceOf(Array);
  return body;
};

/** `{error}`, with nothing of Problem Details in it. */
export const plainError: RefusalShape = ({ answer, name }) => {
  const body = expectRefused(answer, name, "application/json; charset=utf-8");
  expect(body.error).toBe(refusalTable[name].title);
  for (const member of ["type", "title", "status", "detail", "instance"]) {
    expect(body).not.toHaveProperty(member);
  }
  if (name === "invalid-request") expect(body.errors).toBeInstanceOf(Array);
  return body;
};

/** JSON-RPC for bare callers: `{error: {code, message}}`; the wrong method has words of the contract instead. */
const rpcError: RefusalShape = ({ answer, name }) => {
  const body = expectRefused(answer, name, "application/json; charset=utf-8");
  expect(Object.keys(body)).toEqual(["error"]);
  if (name === "method-not-allowed") {
    expect(body.error).toBe(onlyPostMessage);
    return body;
  }
  const { status, title } = refusalTable[name];
  const { code, message } = body.error as { code: number; message: string };
  if (status === 401) expect([code, message]).toEqual([errorCodes.authentication, title]);
  else if (status === 429) expect(code).toBe(errorCodes.unavailable);
  else expect([errorCodes.parse, errorCodes.invalidRequest]).toContain(code);
  expect(message.length).toBeGreaterThan(10);
  return body;
};

type Method = "GET" | "POST" | "DELETE";

export type BodyExpectation = {
  maxBodyBytes: number;
  /** What is no JSON at all, and what is JSON of a shape that no call of this route has. */
  refusals: { unparseable: RefusalName; wrongShape: RefusalName };
  /** Members and elements in all. */
  maxValues: number;
  /** The setting of the limit; null: the demo's own routes have none. */
  limit: `RATE_LIMIT_${string}` | null;
  /** A body around a token id as it is written. */
  tokenIdIn?: (tokenId: string) => string;
};

export type RouteExpectation = {
  /** An address of this route. */
  path: string;
  methods: readonly Method[];
  shape: RefusalShape;
  /** What a caller without any proof gets; null: anonymous callers are served, or the proof is a field of the body. */
  unauthenticated: Record<Method, RefusalName | null>;
  body: BodyExpectation | null;
  /** The realm its 401 names; by default the gate's. */
  realm?: string;
  /** What else its challenge says, of the origin asked. */
  challengeOf?: (origin: string) => string;
  /** Credentials that are accepted, so that requests get as far as what they are about. */
  credential?: "access token" | "reset secret";
};

type Exception = Partial<Omit<RouteExpectation, "unauthenticated" | "methods" | "shape" | "body">> &
  Pick<BodyExpectation, "tokenIdIn"> & {
    unauthenticated?: Partial<Record<Method, RefusalName>>;
    wrongShape?: RefusalName;
    /** As the contract has them, where they are not 64 KiB and 1,000. */
    bounds?: { maxBodyBytes?: number; maxValues?: number };
  };

/** What else a signed body holds, in its right shape. */
const signed = `"address":"0x${"0".repeat(40)}","signature":"0x${"0".repeat(130)}","timestamp":1`;

/** What no declaration of a route says. Everything else is read from the routes themselves. */
const exceptions: Readonly<Record<string, Exception>> = {
  "/.well-known/oauth-protected-resource/*": { path: "/.well-known/oauth-protected-resource" },
  "/api/*": { path: "/api/does/not/exist" },
  "/api/chat": {
    wrongShape: "missing-messages",
    bounds: { maxBodyBytes: 262_144, maxValues: 10_000 },
  },
  "/api/form-submission-gate": {
    tokenIdIn: (tokenId) => `{"tokenId":${tokenId},"message":"7.0",${signed}}`,
  },
  "/api/gate-access": {
    unauthenticated: { POST: "authentication-failed" },
    tokenIdIn: (tokenId) => `{"tokenId":${tokenId},${signed}}`,
  },
  "/api/mcp": {
    bounds: { maxBodyBytes: 262_144, maxValues: 5_000 },
    challengeOf: (origin) => `, resource_metadata="${origin}/.well-known/oauth-protected-resource/api/mcp"`,
  },
  "/api/quota-reset": {
    credential: "reset secret",
    realm: "latchkey-quota-reset",
    unauthenticated: { POST: "quota-reset-unauthorized" },
    bounds: { maxBodyBytes: 16_384 },
    tokenIdIn: (tokenId) => `{"scope":"token","tokenIds":[${tokenId}]}`,
  },
  "/api/token-status/:tokenId": { path: "/api/token-status/1" },
  "/api/tts": { wrongShape: "missing-text", bounds: { maxBodyBytes: 32_768 } },
  "/brand/:version/:file": { path: "/brand/any/logo.svg" },
  "/media/:tokenId/*": { path: "/media/1/audio.wav", unauthenticated: { GET: "media-link-invalid" } },
  "/metrics": { realm: "latchkey-metrics", unauthenticated: { GET: "authentication-failed" } },
  // Swept as it is without its secret; e2e/api/operator.test.ts has the rest.
  "/operator/do/:action": { path: "/operator/do/sign-out", unauthenticated: { POST: "not-found" } },
  "/operator/export/:table": {
    path: "/operator/export/submissions",
    unauthenticated: { GET: "not-found" },
  },
  "/operator/session": { unauthenticated: { POST: "not-found" } },
  "/session": {
    unauthenticated: { POST: "authentication-failed" },
    bounds: { maxBodyBytes: 4096 },
  },
};

/** What a route has to do, by its own declaration and the contract's exceptions. */
export async function expectationOf({
  id,
  pattern,
}: {
  id: string;
  pattern: string;
}): Promise<RouteExpectation> {
  const { loader } = (await import(path.resolve("app", `${id}.ts`))) as { loader: RouteFunction };
  const spec = loader.spec;
  const { unauthenticated, wrongShape, bounds, tokenIdIn, ...exception } = exceptions[pattern] ?? {};
  const methods = (["GET", "POST", "DELETE"] as const).filter((method) => spec[method]);
  const { operation, caller } = spec.POST ?? {};
  const ofCaller = (method: Method) => (spec[method]?.caller ? "missing-jwt" : null);
  const unparseable = operation?.malformedBody ?? "invalid-request";
  const limit = operation?.limit;
  return {
    path: pattern,
    credential: caller && "access token",
    ...exception,
    methods,
    shape: shapeOf((spec.GET ?? spec.POST)?.operation),
    unauthenticated: { GET: ofCaller("GET"), POST: ofCaller("POST"), DELETE: null, ...unauthenticated },
    body: spec.POST?.body
      ? {
          maxBodyBytes: bounds?.maxBodyBytes ?? 65_536,
          maxValues: bounds?.maxValues ?? 1_000,
          refusals: { unparseable, wrongShape: wrongShape ?? "invalid-request" },
          limit: limit ? `RATE_LIMIT_${limit.toUpperCase().replaceAll("-", "_")}` : null,
          tokenIdIn,
        }
      : null,
  };
}

/** In what shape the description says that a route refuses. */
function shapeOf(operation: OperationDescription | undefined): RefusalShape {
  if (!operation?.refusalContent) return problem;
  return operation.path === "/api/mcp" ? rpcError : plainError;
}
