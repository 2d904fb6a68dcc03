import { readdirSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { refusalTable } from "~/platform/refusals/refusal";
import type { RefusalName } from "~/platform/refusals/refusal";
import { readBuiltRoutes } from "~e2e/support/built-routes";
import { limitsOff } from "~e2e/support/limits";
import { quotaOn, signInNew } from "./chat-fixture";
import { openGate } from "./gate-fixture";
import type { Gate } from "./gate-fixture";
import { expectationOf, problem } from "./route-expectations";
import type { BodyExpectation, RouteExpectation, SweptAnswer } from "./route-expectations";

const metricsToken = "metrics-token-of-the-tests";
const resetSecret = "a-quota-reset-secret-of-the-tests";

let gate: Gate;
let credentials: Record<NonNullable<RouteExpectation["credential"]>, Record<string, string>>;
beforeAll(async () => {
  // Other tests cover the limits. Here every request must get past them.
  gate = await openGate({
    env: {
      ...limitsOff,
      ...quotaOn,
      RATE_LIMIT_QUOTA_RESET: "0",
      RATE_LIMIT_SESSION_ENTER: "0",
      AI_QUOTA_RESET_SECRET: resetSecret,
      METRICS_TOKEN: metricsToken,
      DOOR_HOSTS: "wiki.example.com",
      TRUST_PROXY: "loopback",
    },
  });
  credentials = {
    "access token": (await signInNew(gate)).bearer,
    "reset secret": { "X-Quota-Reset-Secret": resetSecret },
  };
});
afterAll(() => gate.close());

const builtRoutes = readBuiltRoutes();

/** The built server's routes. */
const routes = await Promise.all(
  builtRoutes
    .filter(({ isResource }) => isResource)
    .map(async (route) => ({ ...route, ...(await expectationOf(route)) })),
);
const posting = routes.flatMap(({ body, ...route }) => (body ? [{ ...route, body }] : []));

async function send(path: string, init: RequestInit = {}): Promise<SweptAnswer> {
  const response = await fetch(`${gate.origin}${path}`, init);
  return { status: response.status, headers: response.headers, text: await response.text() };
}

type Posting = Pick<RouteExpectation, "path" | "credential"> & { body: BodyExpectation };

/** With a valid token. */
function post(
  { path, credential }: Pick<Posting, "path" | "credential">,
  init: { body: BodyInit; headers?: Record<string, string> },
): Promise<SweptAnswer> {
  const own = credential ? credentials[credential] : {};
  const headers = { "Content-Type": "application/json", ...own, ...init.headers };
  return send(path, { method: "POST", body: init.body, headers });
}

function expectRefusal(
  { shape }: Pick<RouteExpectation, "shape">,
  answer: SweptAnswer,
  name: RefusalName,
  origin = gate.origin,
): Record<string, unknown> {
  return shape({ answer, name, origin });
}

test("the build has every route of the sources", () => {
  const files = readdirSync("app/routes").map((name) => `routes/${name.replace(/\.tsx?$/, "")}`);
  const built = builtRoutes.map(({ id }) => id).filter((id) => id !== "root");
  expect(built.sort(), "The build is older than the routes: run `npm run build`.").toEqual(files.sort());
});

test.each(routes)(
  "$pattern refuses methods it does not have, with Allow and in its own shape",
  async (route) => {
    for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE"].filter(
      (candidate) => !route.methods.some((own) => own === candidate),
    )) {
      const answer = await send(route.path, { method });
      expectRefusal(route, answer, "method-not-allowed");
      const allowed = [
        ...route.methods.flatMap((own) => (own === "GET" ? ["GET", "HEAD"] : [own])),
        ...(route.isForSites ? [] : ["OPTIONS"]),
      ];
      expect(answer.headers.get("allow")).toBe(allowed.join(", "));
    }
  },
);

test.each(routes)(
  "every answer of $pattern carries the request id and nosniff",
  async ({ path, methods, isForSites }) => {
    for (const method of [...methods, "OPTIONS", "DELETE"]) {
      const answer = await send(path, { method });
      expect(answer.headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
      expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
      expect(answer.headers.get("referrer-policy")).toBe("no-referrer");
      expect(answer.headers.get("content-security-policy")).toBeTruthy();
      if (!isForSites) expect(answer.headers.get("vary")).toContain("Origin");
    }
  },
);

test.each(routes)("$pattern answers callers without a proof as declared", async (route) => {
  for (const method of route.methods) {
    const unauthenticated = route.unauthenticated[method];
    const init = method !== "POST" ? {} : { headers: { "Content-Type": "application/json" }, body: "{}" };
    const answer = await send(route.path, { method, ...init });
    if (unauthenticated === null) {
      expect([401, 403]).not.toContain(answer.status);
      continue;
    }
    expectRefusal(route, answer, unauthenticated);
    const challenge = answer.status === 401 ? route.challengeOf(gate.origin) : null;
    expect(answer.headers.get("www-authenticate")).toBe(challenge);
  }
});

test.each(posting)("$pattern accepts JSON only", async (route) => {
  for (const headers of [
    { "Content-Type": "text/plain" },
    { "Content-Type": "application/x-www-form-urlencoded" },
    { "Content-Type": "application/json; charset=utf-16" },
    { "Content-Type": "application/jsonp" },
    { "Content-Encoding": "gzip" },
  ] as Record<string, string>[]) {
    expectRefusal(route, await post(route, { headers, body: "{}" }), "unsupported-media-type");
  }
});

test.each(posting)("$pattern refuses one byte more than its limit", async (route) => {
  const { maxBodyBytes, refusals } = route.body;
  const filled = (size: number) => `{"nonsense":"${"a".repeat(size - 15)}"}`;
  expect(filled(maxBodyBytes)).toHaveLength(maxBodyBytes);
  const beyond = await post(route, { body: filled(maxBodyBytes + 1) });
  expect(JSON.stringify(expectRefusal(route, beyond, "body-too-large"))).toContain(String(maxBodyBytes));
  expect(beyond.headers.get("connection")).toBe("close");
  expectRefusal(route, await post(route, { body: filled(maxBodyBytes) }), refusals.wrongShape);
});

test.each(posting)("$pattern answers unparseable bodies with 400", async (route) => {
  const { unparseable } = route.body.refusals;
  expect(refusalTable[unparseable].status).toBe(400);
  for (const body of ["{", "nonsense", '{"a":1}{"b":2}', "\u0000", "[1,2"]) {
    expectRefusal(route, await post(route, { body }), unparseable);
  }
  const invalidUtf8 = new Uint8Array([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]);
  expectRefusal(route, await post(route, { body: invalidUtf8 }), unparseable);
});

test.each(posting)("$pattern refuses JSON beyond its bounds before parsing it", async (route) => {
  const { maxBodyBytes, maxValues, refusals } = route.body;
  const nested = Math.floor(maxBodyBytes / 2) - 100;
  const elements = (count: number) => `[${Array.from({ length: count }, () => "1").join(",")}]`;
  const empty = `[${Array.from({ length: Math.floor(maxBodyBytes / 3) - 10 }, () => "{}").join(",")}]`;
  for (const body of [
    `${"[".repeat(nested)}${"]".repeat(nested)}`,
    '{"a":'.repeat(65) + "1" + "}".repeat(65),
    empty,
    elements(maxValues + 1),
  ]) {
    const answer = expectRefusal(route, await post(route, { body }), refusals.unparseable);
    expect(JSON.stringify(answer)).toMatch(/nested more than 64 levels|more than \d+ members and elements/);
  }
  const within = [`${"[".repeat(64)}${"]".repeat(64)}`, elements(maxValues)];
  for (const body of within) expectRefusal(route, await post(route, { body }), refusals.wrongShape);
});

test.each(posting)("$pattern answers JSON that is no object and __proto__ with 400", async (route) => {
  const { wrongShape } = route.body.refusals;
  expect(refusalTable[wrongShape].status).toBe(400);
  for (const body of ["null", "[]", '"text"', "5", '{"__proto__":{"admin":true},"constructor":1}']) {
    expectRefusal(route, await post(route, { body }), wrongShape);
  }
});

test("every limit counts before the body is parsed: broken JSON, excess, invalid tokens and secrets alike", async () => {
  const limited = posting.filter(({ body }) => body.limit !== null);
  expect(limited.map(({ pattern }) => pattern)).toHaveLength(posting.length - 2);
  const env = Object.fromEntries(limited.map(({ body }) => [String(body.limit), "4/600"]));
  const strict = await openGate({
    env: { ...quotaOn, ...env, AI_QUOTA_RESET_SECRET: resetSecret },
  });
  try {
    for (const route of limited) {
      const { shape, path, body } = route;
      const ask = async (text: string, headers: Record<string, string> = {}) => {
        const init = {
          method: "POST",
          body: text,
          headers: { "Content-Type": "application/json", ...headers },
        };
        const response = await fetch(`${strict.origin}${path}`, init);
        return { status: response.status, headers: response.headers, text: await response.text() };
      };
      const statuses: number[] = [];
      // Media type and size may be refused first. Such requests count only if a secret is checked before.
      if (body.limit !== "RATE_LIMIT_QUOTA_RESET") {
        for (let round = 0; round < 5; round++) {
          statuses.push((await ask("{}", { "Content-Type": "text/plain" })).status);
          statuses.push((await ask(" ".repeat(body.maxBodyBytes + 1))).status);
        }
        expect(new Set(statuses), path).toEqual(new Set([415, 413]));
      }
      for (const [text, headers] of [
        ["{"],
        ["[".repeat(body.maxBodyBytes / 2)],
        ["{}", { Authorization: "Bearer nonsense" }],
        ["{}", { Cookie: "access_token=nonsense", "Sec-Fetch-Site": "cross-site" }],
      ] as const) {
        const { status } = await ask(text, headers);
        expect([400, 401, 403], `${path} ${text.slice(0, 9)}`).toContain(status);
      }
      const beyond = await ask("{");
      expectRefusal({ shape }, beyond, "too-many-requests", strict.origin);
      expect(Number(beyond.headers.get("retry-after")), path).toBeGreaterThan(0);
    }
  } finally {
    await strict.close();
  }
});

/** Each of these spellings is a whole number to a JSON parser. */
const unwholeTokenIds = ["1e3", "7.0", "70E-1", "1e0", "0e0", "-0.0", "7.00000000000000000001"];

test.each(posting.filter(({ body }) => body.tokenIdIn))(
  "$pattern refuses token ids with an exponent or a fraction, however the name is spelt",
  async (route) => {
    const { tokenIdIn } = route.body;
    const expected = route.path === "/api/quota-reset" ? "invalid-request" : "invalid-tokenid";
    for (const written of unwholeTokenIds) {
      const body = tokenIdIn!(written);
      for (const text of [body, body.replace('"tokenId', String.raw`"\u0074oken\u0049d`)]) {
        expectRefusal(route, await post(route, { body: text }), expected);
      }
    }
    // The same body with a whole number passes the shape check.
    expect([200, 401]).toContain((await post(route, { body: tokenIdIn!("7") })).status);
  },
);

test("tools refuse token ids with an exponent or a fraction as invalid parameters", async () => {
  const { path, credential } = routes.find(({ pattern }) => pattern === "/api/mcp")!;
  const call = (tokenId: string) =>
    `{"method":"tools/call","params":{"name":"key_status","arguments":{"\\u0074okenId":${tokenId}}}}`;
  for (const tokenId of unwholeTokenIds) {
    const { text } = await post({ path, credential }, { body: call(tokenId) });
    expect(JSON.parse(text)).toMatchObject({ error: { code: -32602 } });
  }
  const { text } = await post({ path, credential }, { body: call("7") });
  expect(JSON.parse(text)).toHaveProperty("result");
});

test("gate-access without any proof is 401 with a challenge, in all its forms", async () => {
  for (const init of [
    {},
    { headers: { "Content-Type": "application/json" }, body: "{}" },
    { headers: { "Content-Type": "application/json" }, body: '{"tokenId":5}' },
  ]) {
    const answer = await send("/api/gate-access", { method: "POST", ...init });
    expectRefusal({ shape: problem }, answer, "authentication-failed");
    expect(answer.headers.get("www-authenticate")).toBe('Bearer realm="latchkey"');
  }
});

test("OPTIONS answers preflights for allowed origins only, and never with a wildcard", async () => {
  for (const { path, methods, isForSites } of routes) {
    // On these routes it is a normal method.
    if (isForSites) {
      expect((await send(path, { method: "OPTIONS" })).status).toBe(405);
      continue;
    }
    const allowed = await send(path, {
      method: "OPTIONS",
      headers: { Origin: gate.origin, "Access-Control-Request-Method": methods[0]! },
    });
    expect(allowed.status).toBe(204);
    expect(allowed.headers.get("access-control-allow-origin")).toBe(gate.origin);
    expect(allowed.headers.get("access-control-allow-methods")).toBe(allowed.headers.get("allow"));
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

test("a page of an allowed origin may use entity tags and read the slug of a refusal", async () => {
  const preflight = await send("/api/openapi", {
    method: "OPTIONS",
    headers: { Origin: gate.origin, "Access-Control-Request-Method": "GET" },
  });
  expect(preflight.headers.get("access-control-allow-headers")?.split(", ")).toContain("If-None-Match");
  const answer = await send("/api/openapi", { headers: { Origin: gate.origin } });
  const exposed = answer.headers.get("access-control-expose-headers")?.split(", ");
  expect(exposed).toEqual(expect.arrayContaining(["ETag", "X-Problem"]));
  const again = { Origin: gate.origin, "If-None-Match": `W/${answer.headers.get("etag")!}` };
  expect((await send("/api/openapi", { headers: again })).status).toBe(304);
});

test("readiness names database, chain, watcher and both providers, each with its state and latency", async () => {
  const { status, body } = await gate.ask({ path: "/readyz" });
  const up = { state: "up", latencyMs: expect.any(Number) as number };
  const ageSeconds = expect.any(Number) as number;
  expect([status, body.status, body.dependencies]).toEqual([
    200,
    "ready",
    { database: up, chain: up, watcher: { ...up, ageSeconds }, provider: up, speech: up },
  ]);
});

test("HEAD does not count towards the limit of GET", async () => {
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

test("unknown API addresses are answered with a problem, not a page", async () => {
  for (const answer of [
    await send("/api/does-not-exist"),
    await send("/api/does/not/exist", { method: "POST", body: "{}" }),
  ]) {
    expectRefusal({ shape: problem }, answer, "not-found");
  }
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
  const answer = await send(`/api/token-status/${tokenId}`);
  expect(expectRefusal({ shape: problem }, answer, "invalid-tokenid").detail).toContain(
    "Token ID must be numeric",
  );
});

test("metrics are served with their token only", async () => {
  const metrics = await send("/metrics", { headers: { Authorization: `Bearer ${metricsToken}` } });
  expect(metrics.status).toBe(200);
  expect(metrics.text).toContain("latchkey_");
});
