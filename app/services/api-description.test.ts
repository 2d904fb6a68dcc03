import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { decodeJwt, decodeProtectedHeader } from "jose";
import { keccak256, stringToHex, verifyMessage } from "viem";
import { expect, expectTypeOf, test } from "vitest";
import type { z, RefinementCtx } from "zod";
import { chatRequestSchema } from "~/chat/chat.schema";
import { accessClaimsSchema } from "~/gate/tokens/access-token.schema";
import type { Admission } from "~/gate/admission/admit.server";
import type { admissionSchema } from "~/gate/admission/gate.openapi";
import {
  exampleAccessToken,
  exampleClaims,
  exampleFormSubmission,
  exampleLegacyBody,
  exampleSiweBody,
} from "~/gate/admission/gate-examples";
import { makeKind } from "~e2e/support/key-kinds";
import { createGateBodies, readBy } from "~/gate/proofs/gate-bodies";
import { legacyEnvelopeText } from "~/gate/proofs/legacy-envelope";
import { readSiweMessage } from "~/gate/proofs/siwe.server";
import { defaultJsonBounds } from "~/platform/shapes/json-text";
import { refusalTable } from "~/platform/refusals/refusal";
import type { RouteFunction } from "~/platform/http/route.server";
import type { OperationDescription } from "~/platform/openapi/api-registry";
import type { readinessSchema, settingsSchema } from "~/platform/openapi/service.openapi";
import type { PublicSettings } from "~/platform/config/public-settings";
import type { Readiness } from "~/platform/instance/readiness.server";
import { quotaResetBodySchema } from "~/quota/quota.schema";
import { distinctLimits } from "~e2e/support/limits";
import { compileSchema, listOperations, resolve } from "~e2e/support/openapi-checker";
import { buildApiDocument } from "./api-description.server";

const origin = "https://gate.example";
const appDir = fileURLToPath(new URL("..", import.meta.url));

const limits = distinctLimits();
const document = buildApiDocument({ origin, limits, isDemo: true });
const operations = listOperations(document);

type ResourceRoute = { path: string; methods: RouteFunction["spec"] };

/** `api.token-status.$tokenId.ts` answers at /api/token-status/{tokenId}; brackets take a dot literally. */
function pathOfRoute(fileName: string): string {
  const segments = fileName.replace(/\.ts$/, "").replaceAll("[.]", "\0").split(".");
  const named = segments.map((segment) => {
    if (segment === "$") return "{file}";
    return segment.startsWith("$") ? `{${segment.slice(1)}}` : segment.replaceAll("\0", ".");
  });
  return `/${named.join("/")}`;
}

async function loadResourceRoutes(): Promise<ResourceRoute[]> {
  const files = readdirSync(path.join(appDir, "routes")).filter((name) => name.endsWith(".ts"));
  const forMissing = ["api.$.ts", "[.]latchkey.$.ts"];
  // Each answers for every address that is not there, and so is none itself.
  // The operator's addresses are forms and files of its pages, and no interface to build on.
  const described = files.filter((name) => !forMissing.includes(name) && !name.startsWith("operator."));
  return Promise.all(
    described.map(async (name) => {
      const module = (await import(path.join(appDir, "routes", name))) as { loader: RouteFunction };
      return { path: pathOfRoute(name), methods: module.loader.spec };
    }),
  );
}
const resourceRoutes = await loadResourceRoutes();

function operationOf(wanted: string, method: string) {
  return operations.find(
    (candidate) => candidate.path === wanted && candidate.method === method.toLowerCase(),
  )?.operation;
}

test("the document is OpenAPI 3.0.3 and names this gate as its server", () => {
  expect(document.openapi).toBe("3.0.3");
  expect(document.servers).toEqual([{ url: origin, description: "This gate" }]);
  expect(document.info.version).toMatch(/^\d+\.\d+\.\d+/);
});

test("every resource route is described with exactly its methods, and nothing else is", () => {
  const existing = resourceRoutes.flatMap((route) =>
    (["GET", "POST", "DELETE"] as const)
      .filter((method) => route.methods[method])
      .map((method) => `${method} ${route.path}`),
  );
  const described = operations.map(({ method, path: where }) => `${method.toUpperCase()} ${where}`);
  expect(described.sort()).toEqual(existing.sort());
  expect(existing.length).toBeGreaterThanOrEqual(14);
});

function describedRoute({ method, path }: OperationDescription) {
  return { method: method.toUpperCase(), path };
}

test("limits, bodies and the refusals they cause are described as the routes declare them", () => {
  for (const route of resourceRoutes) {
    for (const method of ["GET", "POST", "DELETE"] as const) {
      const spec = route.methods[method];
      if (!spec) continue;
      const operation = operationOf(route.path, method)!;
      const about = `${method} ${route.path}`;
      const statuses = Object.keys(operation.responses);
      const { limit, maxBodyValues = defaultJsonBounds.maxValues } = spec.operation!;
      expect(statuses.includes("429"), about).toBe(limit !== undefined);
      if (method !== "GET" && !route.path.startsWith("/demo/")) expect(limit, about).toBeDefined();
      if (limit) {
        const { points, windowSeconds } = limits[limit]!;
        expect(operation.description).toContain(`${points} times in ${windowSeconds} seconds`);
      }
      expect({ method, path: route.path }).toEqual(describedRoute(spec.operation!));
      if (method !== "POST") expect(operation.requestBody, about).toBeUndefined();
      if (spec.body) {
        expect(operation.requestBody, about).toMatchObject({ required: spec.operation!.body!.required });
        expect(operation.description, about).toContain(`may hold ${maxBodyValues} members`);
        expect(statuses).toEqual(expect.arrayContaining(["400", "413", "415"]));
      }
      expect(statuses).toEqual(expect.arrayContaining(["405", "500"]));
      expect(spec.caller !== undefined, about).toBe(spec.operation!.caller !== undefined);
    }
  }
});

test("a limit that is off is not described", () => {
  const without = buildApiDocument({ origin, limits: { ...limits, nonce: null }, isDemo: false });
  const nonce = listOperations(without).find(({ path: where }) => where === "/api/nonce")!.operation;
  expect(nonce.responses).not.toHaveProperty("429");
  expect(nonce.description).not.toContain("times in");
  expect(nonce.responses["200"]).not.toHaveProperty("headers.RateLimit");
});

test("the demo's routes are described in the demo only", () => {
  const paths = Object.keys(buildApiDocument({ origin, limits, isDemo: false }).paths);
  expect(paths.filter((where) => where.startsWith("/demo"))).toEqual([]);
  expect(Object.keys(document.paths)).toEqual(expect.arrayContaining(["/demo/rpc", "/demo/faucet"]));
});

test("every refusal the code can throw is described at some route, with its page", () => {
  const sources = readdirSync(appDir, { recursive: true, encoding: "utf8" }).filter(
    (name) => /\.tsx?$/.test(name) && !name.includes(".test."),
  );
  const thrown = new Set(
    sources.flatMap((name) =>
      [...readFileSync(path.join(appDir, name), "utf8").matchAll(/new Refusal\(\s*"([a-z-]+)"/g)].map(
        ([, refusalName]) => refusalName!,
      ),
    ),
  );
  expect(thrown.size).toBeGreaterThanOrEqual(18);
  const described = new Set<string>();
  for (const { operation } of operations) {
    for (const [status, response] of Object.entries(operation.responses)) {
      const content = (response.content ?? {}) as Record<string, { examples?: Record<string, unknown> }>;
      const names = Object.values(content).flatMap(({ examples }) => Object.keys(examples ?? {}));
      for (const name of names.filter((candidate) => Object.hasOwn(refusalTable, candidate))) {
        const entry = refusalTable[name as keyof typeof refusalTable];
        expect(String(entry.status)).toBe(status);
        expect(response.description).toContain(`${origin}/problems/${entry.slug}`);
        described.add(name);
      }
    }
  }
  const operators = ["operator-secret-wrong", "operator-sign-in-needed"];
  expect([...thrown].filter((name) => !described.has(name)).sort()).toEqual(operators);
});

test("operations not answered while the server starts are described with 503 and Retry-After", () => {
  for (const { method, path: where, operation } of operations) {
    const about = `${method} ${where}`;
    const refused = operation.responses["503"];
    const examples = Object.values((refused?.content ?? {}) as Record<string, object>).flatMap((content) =>
      Object.keys("examples" in content ? (content.examples as object) : {}),
    );
    const isAnswered = ["/healthz", "/readyz"].includes(where);
    expect(examples.includes("state-unavailable"), about).toBe(!isAnswered);
    if (isAnswered) continue;
    const { "Retry-After": wait, ...others } = refused!.headers as Record<string, unknown>;
    const isAlways = examples.every((name) => ["chain-unavailable", "state-unavailable"].includes(name));
    expect(resolve(document, wait).required, about).toBe(isAlways);
    for (const [name, value] of Object.entries(others)) {
      // Limits don't count before the server has started.
      expect(resolve(document, value).required, `${about} ${name}`).toBe(!/ratelimit/i.test(name));
    }
  }
});

/** Every place that holds a schema and examples for it. */
function listExamples(): { about: string; schema: unknown; value: unknown }[] {
  return operations.flatMap(({ method, path: where, operation }) => {
    const holders = [
      ...(operation.requestBody ? [["request", operation.requestBody] as const] : []),
      ...Object.entries(operation.responses),
    ];
    return holders.flatMap(([name, holder]) =>
      Object.entries((holder.content ?? {}) as Record<string, Record<string, unknown>>).flatMap(
        ([type, { schema, example, examples }]) => {
          const named = Object.values((examples ?? {}) as Record<string, unknown>);
          const values = named.map((value) => resolve(document, value).value);
          return [...(example === undefined ? [] : [example]), ...values].map((value) => ({
            about: `${method} ${where} ${name} ${type}`,
            schema,
            value,
          }));
        },
      ),
    );
  });
}

test("every body and every answer has an example that fits its schema", () => {
  const examples = listExamples();
  for (const { about, schema, value } of examples) {
    const verdict = compileSchema({ document, schema, closed: true }).safeParse(value);
    expect(verdict.success, `${about}: ${JSON.stringify(verdict.error?.issues)}`).toBe(true);
  }
  for (const { method, path: where, operation } of operations) {
    for (const [name, holder] of Object.entries({ ...operation.responses, request: operation.requestBody })) {
      for (const type of Object.keys((holder?.content ?? {}) as object)) {
        // Sound and pictures speak for themselves.
        if (type.endsWith("/*")) continue;
        const about = `${method} ${where} ${name} ${type}`;
        expect(
          examples.some((example) => example.about === about),
          about,
        ).toBe(true);
      }
    }
  }
});

test("examples of headers and parameters fit their schemas", () => {
  const headers = Object.values(document.components?.headers ?? {});
  const parameters = operations.flatMap(({ operation }) => operation.parameters ?? []);
  expect(parameters.length).toBeGreaterThan(4);
  for (const { schema, example, ...rest } of [...headers, ...parameters] as Record<string, unknown>[]) {
    expect(example, JSON.stringify(rest)).toBeDefined();
    const verdict = compileSchema({ document, schema }).safeParse(example);
    expect(verdict.success, JSON.stringify({ example, schema })).toBe(true);
  }
});

const wallet = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";
const signature = `0x${"ab".repeat(65)}`;
const legacy = { address: wallet, signature, tokenId: "1", timestamp: 1 };
const siwe = { address: wallet, signature, tokenId: 1, message: "m", nonce: "n" };
const form = { ...legacy, message: "hello" };
const candidates: unknown[] = [
  {},
  null,
  [],
  "text",
  { tokenId: "42" },
  { tokenId: 42 },
  { tokenId: "0x1" },
  { tokenId: -1 },
  { tokenId: 1.5 },
  { tokenId: "9".repeat(79) },
  { tokenId: "42", other: true },
  siwe,
  { ...siwe, unknown: "more" },
  { ...siwe, address: "0x1" },
  { ...siwe, message: "" },
  { ...siwe, message: "m".repeat(4097) },
  { ...siwe, nonce: undefined },
  { ...siwe, signature: "0xabc" },
  legacy,
  { ...legacy, timestamp: "1" },
  { ...legacy, timestamp: 1.5 },
  { ...legacy, timestamp: 2 ** 53 },
  { ...legacy, address: undefined },
  form,
  { ...form, message: "m".repeat(10_001) },
  { ...form, messageHash: `0x${"0".repeat(64)}` },
  { ...form, messageHash: "0x0" },
  { address: wallet },
  { method: "eth_chainId" },
  { method: "eth_chainId", params: {} },
  { jsonrpc: "1.0", method: "eth_chainId" },
];

/** The document describes every gate: a key with a token needs its id, and a membership none. */
const ofKinds: Partial<Record<string, { safeParse: (body: unknown) => { success: boolean } }>> = {
  "/api/gate-access": fitsSomeGate(({ readAccess }) => readAccess),
  "/api/form-submission-gate": fitsSomeGate(({ readSubmission }) => readSubmission),
};

function fitsSomeGate<Body>(
  choose: (bodies: ReturnType<typeof createGateBodies>) => (json: unknown, checks: RefinementCtx) => Body,
) {
  const gates = [makeKind({ chainId: 1, contract: wallet }), makeKind({ chainId: 1 })].map((kind) =>
    readBy(() => choose(createGateBodies({ list: [kind], areNamed: true }))),
  );
  return { safeParse: (body: unknown) => ({ success: gates.some((gate) => gate.safeParse(body).success) }) };
}

test("a body fits the document exactly when it fits the schema that judges requests", () => {
  // Operations that check the shape themselves are compared with the document below.
  const posting = resourceRoutes.flatMap(({ path, methods: { POST } }) =>
    POST?.body && "safeParse" in POST.body ? [{ path, served: ofKinds[path] ?? POST.body }] : [],
  );
  expect(posting.length).toBeGreaterThanOrEqual(4);
  for (const route of posting) {
    const body = operationOf(route.path, "post")!.requestBody!;
    const { schema } = (body.content as Record<string, { schema: unknown }>)["application/json"]!;
    const judge = compileSchema({ document, schema });
    const verdicts = candidates.map((candidate) => {
      const sent = candidate === undefined ? undefined : (JSON.parse(JSON.stringify(candidate)) as unknown);
      const isServed = route.served.safeParse(sent).success;
      expect(judge.safeParse(sent).success, `${route.path} ${JSON.stringify(sent).slice(0, 200)}`).toBe(
        isServed,
      );
      return isServed;
    });
    expect(new Set(verdicts)).toEqual(new Set([true, false]));
  }
});

test("chat and reset bodies fit the document exactly when they fit the schemas that judge them", () => {
  const text = { role: "user", content: "Hello" };
  const cases: [string, unknown, boolean][] = [
    ["/api/chat", { messages: [text] }, true],
    ["/api/chat", { messages: [{ role: "user", parts: [{ type: "text", text: "Hello" }] }], id: "c" }, true],
    ["/api/chat", { messages: [text], model: null, modelIndex: 2, jwt: "t", data: { jwt: null } }, true],
    ["/api/chat", {}, false],
    ["/api/chat", { messages: [] }, false],
    ["/api/chat", { messages: [{ role: "tool", content: "x" }] }, false],
    ["/api/chat", { messages: Array.from({ length: 101 }, () => text) }, false],
    ["/api/chat", { messages: [text], modelIndex: 1.5 }, false],
    ["/api/quota-reset", { all: true }, true],
    ["/api/quota-reset", { scope: "token", tokenIds: ["1", 2] }, true],
    ["/api/quota-reset", { scope: "crypto", addresses: [wallet] }, true],
    ["/api/quota-reset", { all: false }, false],
    ["/api/quota-reset", { scope: "some", all: true }, false],
    ["/api/quota-reset", { tokenIds: ["0x1"] }, false],
    ["/api/quota-reset", { tokenIds: [] }, false],
    ["/api/quota-reset", { addresses: ["0x1"] }, false],
  ];
  const judges = { "/api/chat": chatRequestSchema, "/api/quota-reset": quotaResetBodySchema };
  for (const [where, body, fits] of cases) {
    const { content } = operationOf(where, "post")!.requestBody!;
    const { schema } = (content as Record<string, { schema: unknown }>)["application/json"]!;
    const about = `${where} ${JSON.stringify(body).slice(0, 100)}`;
    expect(judges[where as keyof typeof judges].safeParse(body).success, about).toBe(fits);
    expect(compileSchema({ document, schema }).safeParse(body).success, about).toBe(fits);
  }
});

test("the examples of requests are signed by the wallet they name, over the text the gate rebuilds", async () => {
  const { address, signature: signed, message } = exampleSiweBody;
  const hex = (text: string) => text as `0x${string}`;
  await expect(verifyMessage({ address: hex(address), message, signature: hex(signed) })).resolves.toBe(true);
  expect(readSiweMessage(message)).toMatchObject({
    address,
    nonce: exampleSiweBody.nonce,
    chainId: 1,
  });

  const signedSite = { domain: "gate.example", method: "POST", chainId: 1, tokenId: "42" };
  for (const [body, where] of [
    [exampleLegacyBody, "/api/gate-access"],
    [exampleFormSubmission, "/api/form-submission-gate"],
  ] as const) {
    const messageHash = "messageHash" in body ? body.messageHash : undefined;
    const text = legacyEnvelopeText({ ...signedSite, path: where, timestamp: body.timestamp, messageHash });
    const proof = { address: hex(body.address), message: text, signature: hex(body.signature) };
    await expect(verifyMessage(proof)).resolves.toBe(true);
  }
  expect(exampleFormSubmission.messageHash).toBe(keccak256(stringToHex(exampleFormSubmission.message)));
});

test("the example access token has the claims that the gate mints", () => {
  expect(decodeProtectedHeader(exampleAccessToken)).toMatchObject({ alg: "ES256", typ: "at+jwt" });
  expect(decodeJwt(exampleAccessToken)).toEqual(exampleClaims);
  expect(accessClaimsSchema.safeParse(exampleClaims).success).toBe(true);
  expect(exampleClaims.siwe_hash).toBe(keccak256(stringToHex(exampleSiweBody.message)));
});

test("the answer schemas have the members of the code's own types", () => {
  expectTypeOf<Admission>().toExtend<z.infer<typeof admissionSchema>>();
  expectTypeOf<keyof Admission>().toEqualTypeOf<keyof z.infer<typeof admissionSchema>>();
  expectTypeOf<PublicSettings>().toExtend<z.infer<typeof settingsSchema>>();
  expectTypeOf<keyof PublicSettings>().toEqualTypeOf<keyof z.infer<typeof settingsSchema>>();
  expectTypeOf<keyof Readiness | "quota">().toEqualTypeOf<keyof z.infer<typeof readinessSchema>>();
});
