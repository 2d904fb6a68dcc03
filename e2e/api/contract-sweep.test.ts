import { afterAll, beforeAll, expect, test } from "vitest";
import { openGate } from "./gate-fixture";
import type { Gate } from "./gate-fixture";

let gate: Gate;
beforeAll(async () => {
  // Limits are proved elsewhere; here every request has to reach what it asks about.
  const off = {
    RATE_LIMIT_NONCE: "0",
    RATE_LIMIT_GATE_ACCESS: "0",
    RATE_LIMIT_FORM_SUBMISSION: "0",
    RATE_LIMIT_TOKEN_STATUS: "0",
  };
  gate = await openGate({ env: { ...off, METRICS_TOKEN: "metrics-token-of-the-tests" } });
});
afterAll(() => gate.close());

/** Every resource route with the methods it has, the largest body it takes, and whether it is a stranger's to use. */
const routes = [
  { path: "/api/nonce", methods: ["GET"] },
  { path: "/api/gate-access", methods: ["POST"], maxBodyBytes: 65_536, needsProof: true },
  { path: "/api/form-submission-gate", methods: ["POST"], maxBodyBytes: 65_536 },
  { path: "/api/token-status/1", methods: ["GET"] },
  { path: "/api/settings", methods: ["GET"] },
  { path: "/api/openapi", methods: ["GET"] },
  { path: "/healthz", methods: ["GET"] },
  { path: "/readyz", methods: ["GET"] },
  { path: "/metrics", methods: ["GET"] },
  { path: "/.well-known/jwks.json", methods: ["GET"] },
  { path: "/media/1/audio.wav", methods: ["GET"] },
  { path: "/sandbox", methods: ["GET"] },
];
const posting = routes.filter((route) => route.methods.includes("POST"));

async function send(
  path: string,
  init: RequestInit,
): Promise<{ status: number; headers: Headers; text: string }> {
  const response = await fetch(`${gate.origin}${path}`, init);
  return { status: response.status, headers: response.headers, text: await response.text() };
}

function expectProblem(
  answer: { status: number; headers: Headers; text: string },
  { status, slug }: { status: number; slug: string },
): Record<string, unknown> {
  expect(answer.status, answer.text).toBe(status);
  expect(answer.headers.get("content-type")).toBe("application/problem+json");
  expect(answer.headers.get("cache-control")).toContain("no-store");
  const problem = JSON.parse(answer.text) as Record<string, unknown>;
  expect(problem).toMatchObject({
    type: `${gate.origin}/problems/${slug}`,
    status,
    instance: answer.headers.get("x-request-id"),
  });
  expect(problem.title).toEqual(expect.any(String));
  expect(String(problem.detail).length).toBeGreaterThan(10);
  return problem;
}

test.each(routes)(
  "$path refuses methods it does not have, with Allow and in its own shape",
  async ({ path, methods }) => {
    for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE"].filter(
      (candidate) => !methods.includes(candidate),
    )) {
      const answer = await send(path, { method });
      expectProblem(answer, { status: 405, slug: "method-not-allowed" });
      const allowed = answer.headers.get("allow")?.split(", ") ?? [];
      expect(allowed).toEqual(expect.arrayContaining(methods));
      expect(allowed).not.toContain(method);
    }
  },
);

test.each(routes)("every answer of $path carries the request id and nosniff", async ({ path, methods }) => {
  const answer = await send(path, { method: methods[0] });
  expect(answer.headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
  expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
});

test.each(posting)("$path takes JSON only", async ({ path }) => {
  for (const contentType of [
    "text/plain",
    "application/x-www-form-urlencoded",
    "application/json; charset=utf-16",
    "application/jsonp",
  ]) {
    expectProblem(
      await send(path, { method: "POST", headers: { "Content-Type": contentType }, body: "{}" }),
      {
        status: 415,
        slug: "unsupported-media-type",
      },
    );
  }
  const compressed = await send(path, {
    method: "POST",
    headers: { "Content-Type": "application/json", "Content-Encoding": "gzip" },
    body: "{}",
  });
  expectProblem(compressed, { status: 415, slug: "unsupported-media-type" });
});

test.each(posting)("$path refuses one byte more than its limit", async ({ path, maxBodyBytes = 0 }) => {
  const headers = { "Content-Type": "application/json" };
  const filled = (size: number) => `{"message":"${"a".repeat(size - 14)}"}`;
  expect(filled(maxBodyBytes)).toHaveLength(maxBodyBytes);
  expectProblem(await send(path, { method: "POST", headers, body: filled(maxBodyBytes + 1) }), {
    status: 413,
    slug: "body-too-large",
  });
  const within = await send(path, { method: "POST", headers, body: filled(maxBodyBytes) });
  expectProblem(within, { status: 400, slug: "invalid-request" });
});

test.each(posting)("$path answers unparseable bodies with 400", async ({ path }) => {
  const bodies = ["{", "nonsense", '{"a":1}{"b":2}', "\u0000", "[1,2"];
  for (const body of bodies) {
    const answer = await send(path, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body,
    });
    const problem = expectProblem(answer, { status: 400, slug: "invalid-request" });
    expect(problem.errors, body).toBeInstanceOf(Array);
  }
  const invalidUtf8 = await send(path, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: new Uint8Array([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]),
  });
  expectProblem(invalidUtf8, { status: 400, slug: "invalid-request" });
});

test.each(posting)(
  "$path answers JSON that is no object, deep nesting and __proto__ with 400",
  async ({ path }) => {
    const headers = { "Content-Type": "application/json" };
    const bodies = [
      "null",
      "[]",
      '"text"',
      "5",
      `${"[".repeat(30_000)}${"]".repeat(30_000)}`,
      '{"__proto__":{"admin":true},"constructor":1}',
    ];
    for (const body of bodies) {
      expectProblem(await send(path, { method: "POST", headers, body }), {
        status: 400,
        slug: "invalid-request",
      });
    }
  },
);

test("gate-access without any proof is 401 with a challenge, in all its forms", async () => {
  for (const init of [
    {},
    { headers: { "Content-Type": "application/json" }, body: "{}" },
    { headers: { "Content-Type": "application/json" }, body: '{"tokenId":5}' },
  ]) {
    const answer = await send("/api/gate-access", { method: "POST", ...init });
    expectProblem(answer, { status: 401, slug: "authentication-failed" });
    expect(answer.headers.get("www-authenticate")).toBe('Bearer realm="latchkey"');
  }
});

test("OPTIONS answers preflights for allowed origins only, and never with a wildcard", async () => {
  for (const { path, methods } of routes) {
    const allowed = await send(path, {
      method: "OPTIONS",
      headers: { Origin: gate.origin, "Access-Control-Request-Method": methods[0]! },
    });
    expect(allowed.status).toBe(204);
    expect(allowed.headers.get("access-control-allow-origin")).toBe(gate.origin);
    for (const origin of ["https://evil.example", "null", `${gate.origin}.evil.example`]) {
      const refused = await send(path, {
        method: "OPTIONS",
        headers: { Origin: origin, "Access-Control-Request-Method": "POST" },
      });
      expect(refused.headers.get("access-control-allow-origin")).toBeNull();
      expect(refused.headers.get("vary")).toContain("Origin");
    }
  }
});

test("HEAD answers like GET without a body, and a nonce is not issued by it", async () => {
  for (const { path } of routes.filter(({ methods }) => methods.includes("GET"))) {
    const head = await send(path, { method: "HEAD" });
    expect(head.text).toBe("");
    expect(head.status).toBe((await send(path, { method: "GET" })).status);
  }
});

test("a page elsewhere that may call the API may use its entity tags", async () => {
  const preflight = await send("/api/openapi", {
    method: "OPTIONS",
    headers: { Origin: gate.origin, "Access-Control-Request-Method": "GET" },
  });
  expect(preflight.headers.get("access-control-allow-headers")?.split(", ")).toContain("If-None-Match");
  const answer = await send("/api/openapi", { headers: { Origin: gate.origin } });
  expect(answer.headers.get("access-control-expose-headers")?.split(", ")).toContain("ETag");
  const again = { Origin: gate.origin, "If-None-Match": `W/${answer.headers.get("etag")!}` };
  expect((await send("/api/openapi", { headers: again })).status).toBe(304);
});

test("readiness names database, chain and provider, each with its state and latency", async () => {
  const { status, body } = await gate.ask({ path: "/readyz" });
  const up = { state: "up", latencyMs: expect.any(Number) as number };
  expect([status, body.status, body.dependencies]).toEqual([
    200,
    "ready",
    { database: up, chain: up, provider: up },
  ]);
});

test("HEAD takes nothing from a limit that GET has", async () => {
  const limited = await openGate({ env: { RATE_LIMIT_NONCE: "3/60", RATE_LIMIT_TOKEN_STATUS: "3/60" } });
  try {
    for (const path of ["/api/nonce", "/api/token-status/1"]) {
      for (let round = 0; round < 5; round++) {
        expect((await limited.ask({ path, method: "HEAD" })).status).toBe(200);
      }
      expect((await limited.ask({ path })).headers.get("x-ratelimit-remaining")).toBe("2");
    }
  } finally {
    await limited.close();
  }
});

test("unknown API addresses answer a problem, not a page", async () => {
  expectProblem(await send("/api/does-not-exist", { method: "GET" }), { status: 404, slug: "not-found" });
  expectProblem(await send("/api/does/not/exist", { method: "POST", body: "{}" }), {
    status: 404,
    slug: "not-found",
  });
});

test.each([
  "abc",
  "-1",
  "1e3",
  "0x10",
  "1.5",
  "%20",
  "9".repeat(79),
  "115792089237316195423570985008687907853269984665640564039457584007913129639936",
])("token-status refuses the id %s", async (tokenId) => {
  const problem = expectProblem(await send(`/api/token-status/${tokenId}`, {}), {
    status: 400,
    slug: "invalid-tokenid",
  });
  expect(problem.detail).toContain("Token ID must be numeric");
});

test("metrics need their token", async () => {
  expectProblem(await send("/metrics", {}), { status: 401, slug: "authentication-failed" });
  const metrics = await send("/metrics", { headers: { Authorization: "Bearer metrics-token-of-the-tests" } });
  expect(metrics.status).toBe(200);
  expect(metrics.text).toContain("latchkey_");
});
