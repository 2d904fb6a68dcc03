import path from "node:path";
import { expect } from "vitest";
import { refusalTable } from "~/platform/refusals/refusal";
import type { RefusalName } from "~/platform/refusals/refusal";
import { bearerChallenge } from "~/gate/tokens/authentication-failed";
import { defaultJsonBounds } from "~/platform/shapes/json-text";
import { defaultMaxBodyBytes } from "~/platform/http/body/body.server";
import type { RouteFunction } from "~/platform/http/route.server";
import type { OperationDescription } from "~/platform/openapi/api-registry";
import { errorCodes } from "~/tools/mcp/message";
import { resourceMetadataUrl } from "~/tools/mcp/resource-metadata";

const resetChallenge = 'Bearer realm="latchkey-quota-reset"';
const metricsChallenge = 'Bearer realm="latchkey-metrics"';

export type SweptAnswer = { status: number; headers: Headers; text: string };
/** Checks that a response is this refusal in the route's own shape, and returns its body. */
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

/** `{error}` without fields of Problem Details. */
const plainError: RefusalShape = ({ answer, name }) => {
  const body = expectRefused(answer, name, "application/json; charset=utf-8");
  expect(body.error).toBe(refusalTable[name].title);
  for (const member of ["type", "title", "status", "detail", "instance"]) {
    expect(body).not.toHaveProperty(member);
  }
  if (name === "invalid-request") expect(body.errors).toBeInstanceOf(Array);
  return body;
};

/** JSON-RPC for plain callers: `{error: {code, message}}`. The wrong method has the contract's own words. */
const rpcError: RefusalShape = ({ answer, name }) => {
  const body = expectRefused(answer, name, "application/json; charset=utf-8");
  expect(Object.keys(body)).toEqual(["error"]);
  if (name === "method-not-allowed") {
    expect(body.error).toBe("MCP endpoint only supports POST requests");
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
  /** For bodies that aren't JSON, and for JSON of a shape this route never takes. */
  refusals: { unparseable: RefusalName; wrongShape: RefusalName };
  /** Counts members and elements. */
  maxValues: number;
  /** The setting of the limit; null: the demo's own routes have none. */
  limit: `RATE_LIMIT_${string}` | null;
  /** A body around this spelling of a token id. */
  tokenIdIn?: (tokenId: string) => string;
};

export type RouteExpectation = {
  path: string;
  methods: readonly Method[];
  shape: RefusalShape;
  /**
   * The refusal for a caller without proof. Null: anonymous callers are served, or the proof is a field of the body.
   */
  unauthenticated: Record<Method, RefusalName | null>;
  /** See RouteSpec. */
  isForSites: boolean;
  body: BodyExpectation | null;
  /** The challenge of its 401, by the origin of the request. */
  challengeOf: (origin: string) => string;
  /** The credential that lets requests reach the route's own checks. */
  credential?: "access token" | "reset secret";
};

type Exception = Partial<Pick<RouteExpectation, "path" | "challengeOf">> &
  Pick<BodyExpectation, "tokenIdIn"> & { unauthenticated?: Partial<Record<Method, RefusalName>> };

/** The other fields of a signed body, in valid shape. */
const signed = `"address":"0x${"0".repeat(40)}","signature":"0x${"0".repeat(130)}","timestamp":1`;

/**
 * Facts that a route doesn't declare: how a body writes a token ID, which secret a 401 asks for, and where the proof
 * is. The rest is read from the routes.
 */
const exceptions: Readonly<Record<string, Exception>> = {
  // Needs a proxy's site, which is missing here.
  "/api/door": { unauthenticated: { GET: "door-not-configured" } },
  "/api/form-submission-gate": {
    tokenIdIn: (tokenId) => `{"tokenId":${tokenId},"message":"7.0",${signed}}`,
  },
  "/api/gate-access": {
    unauthenticated: { POST: "authentication-failed" },
    tokenIdIn: (tokenId) => `{"tokenId":${tokenId},${signed}}`,
  },
  "/api/mcp": {
    challengeOf: (origin) =>
      `${bearerChallenge}, resource_metadata="${resourceMetadataUrl(origin, "/api/mcp")}"`,
  },
  "/api/quota-reset": {
    challengeOf: () => resetChallenge,
    tokenIdIn: (tokenId) => `{"scope":"token","tokenIds":[${tokenId}]}`,
  },
  "/media/:tokenId/*": { unauthenticated: { GET: "media-link-invalid" } },
  "/metrics": { challengeOf: () => metricsChallenge },
  // Swept as they are without the operator's secret; e2e/api/operator.test.ts has the rest.
  "/operator/export/:table": { unauthenticated: { GET: "not-found" } },
};

/** The expected behaviour of a route, by its declaration and the exceptions above. */
export async function expectationOf({
  id,
  pattern,
}: {
  id: string;
  pattern: string;
}): Promise<RouteExpectation> {
  const { loader } = (await import(path.resolve("app", `${id}.ts`))) as { loader: RouteFunction };
  const { GET, POST, DELETE, isForSites = false } = loader.spec;
  const { unauthenticated, tokenIdIn, ...exception } = exceptions[pattern] ?? {};
  return {
    path: pattern.replace(/:\w+|\*/g, "1"),
    challengeOf: () => bearerChallenge,
    ...exception,
    isForSites,
    credential: POST?.caller && credentialFor(POST.operation),
    methods: (["GET", "POST", "DELETE"] as const).filter((method) => loader.spec[method]),
    shape: shapeOf((GET ?? POST)?.operation),
    unauthenticated: {
      GET: refusalOfStrangers(GET),
      POST: refusalOfStrangers(POST),
      DELETE: refusalOfStrangers(DELETE),
      ...unauthenticated,
    },
    body: POST?.body && POST.operation ? { ...bodyOf(POST.operation), tokenIdIn } : null,
  };
}

type MethodDeclaration = { operation?: OperationDescription; caller?: unknown } | undefined;

/** Null if strangers are served. */
function refusalOfStrangers(method: MethodDeclaration): RefusalName | null {
  const { security, refusals = [] } = method?.operation?.caller ?? method?.operation ?? {};
  const isForSomebody = method?.caller ?? (security && !security.includes("none"));
  return (isForSomebody && refusals.find((name) => refusalTable[name].status === 401)) || null;
}

function credentialFor(operation: OperationDescription | undefined): RouteExpectation["credential"] {
  return operation?.caller?.security.includes("bearerAuth") ? "access token" : "reset secret";
}

function bodyOf(operation: OperationDescription): BodyExpectation {
  const { limit, malformedBody, refusals = [] } = operation;
  const { maxBodyBytes = defaultMaxBodyBytes, maxBodyValues = defaultJsonBounds.maxValues } = operation;
  const ofShape = refusals.find((name) => name !== malformedBody && refusalTable[name].status === 400);
  return {
    maxBodyBytes,
    maxValues: maxBodyValues,
    refusals: {
      unparseable: malformedBody ?? "invalid-request",
      // A route with its own words for refusals names this one first.
      wrongShape: (malformedBody && ofShape) ?? "invalid-request",
    },
    limit: limit ? `RATE_LIMIT_${limit.toUpperCase().replaceAll("-", "_")}` : null,
  };
}

/** A route's shape of refusal, by its example in the API description. */
function shapeOf(operation: OperationDescription | undefined): RefusalShape {
  const contents = operation?.refusalContent?.({ names: ["internal-error"], status: 500 });
  if (!contents) return problem;
  const { examples } = contents["application/json"] as { examples: Record<string, { value: object }> };
  const { error } = examples["internal-error"]!.value as { error: unknown };
  return typeof error === "object" ? rpcError : plainError;
}
