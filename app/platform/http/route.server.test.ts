import { expect, test } from "vitest";
import * as z from "zod";
import { RedisOutage } from "~/platform/redis/redis-outage";
import type { OperationDescription } from "~/platform/openapi/api-registry";
import { createLogLines } from "~e2e/support/log-lines";
import { Refusal, chainUnavailable } from "~/platform/refusals/refusal";
import type { AccessOutcome, RequestContext } from "./request-context.server";
import { defineRoute } from "./route.server";
import type { CallerStep, MethodSpec } from "./route.server";

type Line = { level: string; msg: string; slug: string; requestId: string; err?: { message: string } };

/** The log lines and the response of a request whose handler throws `error`. */
async function logThrown(
  error: unknown,
  method = "GET",
): Promise<{ lines: Line[]; answer: Response; detail: unknown }> {
  const { log, entries } = createLogLines();
  const failing = {
    handle: () => {
      throw error;
    },
  };
  const { loader } = defineRoute({ GET: { ...failing, head: "run" }, POST: failing, DELETE: failing });
  const context = {
    requestId: "a-request",
    method,
    pathname: "/api/anything",
    searchParams: new URLSearchParams(),
    headers: {},
    hasSeveralAuthorizations: false,
    isFromTrustedProxy: false,
    log,
    service: {
      origin: "https://gate.example.com",
      isAllowedOrigin: () => false,
      countRefusal: () => undefined,
    },
  } as unknown as RequestContext;
  const request = new Request("https://gate.example.com/api/anything");
  const answer = await loader({ request, context, params: {} });
  const { detail } = (await answer.json()) as { detail?: unknown };
  return { lines: entries() as Line[], answer, detail };
}

test.each([
  ["nonce-siwe-not-enabled", 501],
  ["state-service-inactive", 503],
  ["speech-disabled", 503],
] as const)("a refusal with %s is logged without a warning or a stack", async (name, status) => {
  const { lines, answer } = await logThrown(new Refusal(name));
  expect(answer.status).toBe(status);
  expect(lines).toEqual([
    expect.objectContaining({ level: "info", msg: "request refused", requestId: "a-request" }),
  ]);
  expect(JSON.stringify(lines)).not.toContain("stack");
});

test("an unavailable dependency is logged as a warning with its cause", async () => {
  const { lines, answer } = await logThrown(chainUnavailable(new Error("no endpoint answered")));
  expect(answer.status).toBe(503);
  expect(lines).toEqual([
    expect.objectContaining({ level: "warn", msg: "request failed", slug: "chain-unavailable" }),
  ]);
  expect(lines[0]!.err).toMatchObject({ message: "no endpoint answered" });
});

test("a defect is logged as an error with its cause, thrown bare or as a refusal", async () => {
  for (const error of [new TypeError("a defect"), new Refusal("internal-error", { detail: "a defect" })]) {
    const { lines, answer } = await logThrown(error);
    expect(answer.status).toBe(500);
    expect(lines).toEqual([expect.objectContaining({ level: "error", msg: "request failed" })]);
    expect(lines[0]!.err!.message).toContain("a defect");
    expect(JSON.stringify(lines)).toContain("stack");
  }
});

test("a refusal below 500 is not logged on a second line", async () => {
  expect((await logThrown(new Refusal("not-found"))).lines).toEqual([]);
});

test.each([
  ["GET", /Nothing was decided or changed\.$/],
  ["HEAD", /Nothing was decided or changed\.$/],
  ["POST", /may have taken effect/],
  ["DELETE", /may have taken effect/],
] as const)(
  "a %s that lost the state store claims that nothing changed only where that is known",
  async (method, words) => {
    const lostDatabase = new Error("Connection terminated unexpectedly");
    for (const error of [new RedisOutage("Redis is unreachable."), lostDatabase]) {
      const { answer, detail } = await logThrown(error, method);
      expect([answer.status, detail]).toEqual([503, expect.stringMatching(words)]);
    }
  },
);

const maxBodyBytes = 100_000;
const described: OperationDescription = {
  method: "post",
  path: "/",
  operationId: "any",
  tag: "Any",
  summary: "",
  description: "",
  answers: {},
};
const json = { "content-type": "application/json" };
const named = z.object({ name: z.string() });

type PostOptions = {
  text: string;
  headers?: Record<string, string>;
  spec?: Pick<MethodSpec<unknown, string>, "guard" | "body" | "subjectOf" | "proof" | "sameSite">;
  bounds?: Pick<OperationDescription, "maxBodyValues" | "malformedBody">;
  caller?: Pick<CallerStep<string>, "hidesBodyFaults"> & { isKnown: boolean; until?: Promise<void> };
  onHandled?: () => void;
  isExhausted?: boolean;
  method?: string;
  hasSeveralAuthorizations?: boolean;
  /** Why the body is not received. */
  bodyFault?: Refusal;
};

/** The response to a POST, and the order of limit, body and handler. */
async function post({
  text,
  headers = json,
  spec = { body: named },
  bounds,
  isExhausted = false,
  method = "POST",
  hasSeveralAuthorizations = false,
  caller,
  onHandled,
  bodyFault,
}: PostOptions) {
  const turns: string[] = [];
  let decision: unknown;
  const bytes = Buffer.from(text);
  const { action } = defineRoute({
    POST: {
      operation: { ...described, limit: "chat", maxBodyBytes, ...bounds },
      ...spec,
      decidesAccess: true,
      ...(caller && {
        caller: {
          subjectOf: (address: string) => ({ proof: "name", address, tokenId: null }),
          hidesBodyFaults: caller.hidesBodyFaults,
          identify: async ({ body }: { body: unknown }) => {
            await caller.until;
            turns.push(`asked for the caller of ${JSON.stringify(body)}`);
            if (!caller.isKnown) throw new Refusal("missing-jwt");
            return "somebody";
          },
        },
      }),
      handle: ({ body, caller: who }) => {
        onHandled?.();
        turns.push(who === undefined ? "handled" : `handled for ${who}`);
        return { body };
      },
    },
  });
  const context = {
    requestId: "a-request",
    method,
    pathname: "/",
    searchParams: new URLSearchParams(),
    headers: { "content-length": String(bytes.length), ...headers },
    hasSeveralAuthorizations,
    hasArrived: true,
    isTooFine: () => false,
    signal: new AbortController().signal,
    service: {
      origin: "https://gate.example.com",
      isAllowedOrigin: () => false,
      countRefusal: () => undefined,
      noteAccess: ({ subject, refusal }: AccessOutcome) => {
        decision = [subject?.address ?? null, refusal?.slug ?? null];
      },
      consumeLimit: async () => {
        turns.push("counted");
        return {
          allowed: !isExhausted,
          limit: 20,
          remaining: 0,
          windowSeconds: 60,
          resetSeconds: 9,
          retryAfterSeconds: 9,
        };
      },
    },
  } as unknown as RequestContext;
  const sent = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        turns.push("received");
        if (bodyFault) return controller.error(bodyFault);
        controller.enqueue(bytes);
        controller.close();
      },
    },
    { highWaterMark: 0 },
  );
  const request = new Request("https://gate.example.com/", {
    method: "POST",
    body: sent,
    duplex: "half",
  } as RequestInit);
  const answer = await action({ request, context, params: {} });
  const body = (await answer.json()) as Record<string, unknown>;
  const problem = answer.headers.get("x-problem") ?? undefined;
  return { status: answer.status, title: body.title, errors: body.errors, problem, turns, decision };
}

const right = JSON.stringify({ name: "a" });
const deep = `${"[".repeat(40_000)}${"]".repeat(40_000)}`;
const many = `{"name":"a","x":[${Array.from({ length: 1_000 }, () => 1).join(",")}]}`;

test("a body is received once its request was counted, and the route is called after that", async () => {
  const turns = ["counted", "received", "handled"];
  expect(await post({ text: right })).toMatchObject({ status: 200, turns });
});

test.each(["caller", "proof"])(
  "requests whose %s waited for the same are worked on one by one",
  async (step) => {
    let settle = () => {};
    const until = new Promise<void>((resolve) => (settle = resolve));
    const events: string[] = [];
    const count = () => {
      events.push("other");
      if (events.length < 500) setImmediate(count);
    };
    const waits = { caller: { isKnown: true, until } };
    const proves = { spec: { body: named, proof: { identify: () => until.then(() => "somebody") } } };
    const text = JSON.stringify({ name: "a".repeat(1_100) });
    const onHandled = () => void events.push("handled");
    const posts = Array.from({ length: 3 }, () =>
      post({ text, onHandled, ...(step === "caller" ? waits : proves) }),
    );
    setTimeout(() => (settle(), setImmediate(count)), 50);
    await Promise.all(posts);
    expect(events.join(" ")).toMatch(/handled( other)+ handled( other)+ handled/);
  },
);

test.each([
  ["broken JSON", ["counted", "received"], { text: "{" }],
  ["nesting without end", ["counted", "received"], { text: deep }],
  ["more values than the bound", ["counted", "received"], { text: many }],
  ["a wrong shape", ["counted", "received"], { text: '{"name":1}' }],
  ["two tokens", ["counted"], { text: right, hasSeveralAuthorizations: true }],
] as const)("a request with %s is refused with 400, after %j", async (_what, expected, request) => {
  const { status, turns } = await post(request);
  expect(status).toBe(400);
  expect(turns).toEqual(expected);
});

test.each([
  ["broken JSON", "{"],
  ["nesting without end", deep],
  ["a right body", right],
])("a request beyond the limit is refused without receiving %s", async (_what, text) => {
  const { status, turns } = await post({ text, isExhausted: true });
  expect([status, turns]).toEqual([429, ["counted"]]);
});

test.each([
  ["a method there is not", 405, { text: right, method: "PUT" }],
  ["text that is no JSON", 415, { text: right, headers: { "content-type": "text/plain" } }],
  ["a type with a byte more", 415, { text: right, headers: { "content-type": "application/json\u00a0" } }],
  ["a body beyond its bytes", 413, { text: " ".repeat(maxBodyBytes + 1) }],
] as const)("%s is refused with %i and neither counted nor received", async (_what, expected, request) => {
  const { status, turns } = await post(request);
  expect([status, turns]).toEqual([expected, []]);
});

test("a route may have its own bounds and names for a body", async () => {
  const tooMany = "The body holds more than 1000 members and elements.";
  const refused = { status: 400, errors: [{ path: "", message: tooMany }] };
  expect(await post({ text: many })).toMatchObject({ ...refused, title: "Invalid request" });
  expect(
    await post({ text: many, spec: { body: z.unknown() }, bounds: { maxBodyValues: 1_002 } }),
  ).toMatchObject({
    status: 200,
  });
  const spec = { body: z.unknown() };
  const bounds = { malformedBody: "invalid-json-body" } as const;
  expect(await post({ text: many, spec, bounds })).toMatchObject({ ...refused, title: "Invalid JSON body" });
  const broken = await post({ text: "{", spec, bounds });
  expect([broken.title, broken.errors]).toEqual(["Invalid JSON body", undefined]);
});

test("the first twenty of a thousand faults in a body are reported", async () => {
  const faults = `[${Array.from({ length: 1_000 }, () => "1").join(",")}]`;
  const { status, errors } = await post({ text: faults, spec: { body: z.array(z.string()) } });
  expect(status).toBe(400);
  expect(errors).toHaveLength(20);
});

test("the caller is identified after the limit and the JSON, and before the shape", async () => {
  const known = { isKnown: true };
  const identified = `asked for the caller of ${right}`;
  expect(await post({ text: right, caller: known })).toMatchObject({
    status: 200,
    turns: ["counted", "received", identified, "handled for somebody"],
  });
  expect(await post({ text: "{", caller: { isKnown: false } })).toMatchObject({
    status: 400,
    turns: ["counted", "received"],
  });
  for (const [isKnown, status] of [
    [true, 400],
    [false, 401],
  ] as const) {
    const turns = ["counted", "received", 'asked for the caller of {"name":1}'];
    expect(await post({ text: '{"name":1}', caller: { isKnown } })).toMatchObject({ status, turns });
  }
});

test("a caller declared to precede the body is identified whatever the body is, and its faults come after", async () => {
  const first = { hidesBodyFaults: true };
  const asked = "asked for the caller of undefined";
  const tooLarge = " ".repeat(maxBodyBytes + 1);
  for (const [text, status, unread] of [
    ["{", 400, ["counted", "received", asked]],
    [tooLarge, 413, ["counted", asked]],
  ] as const) {
    expect(await post({ text, caller: { ...first, isKnown: false } })).toMatchObject({
      status: 401,
      // A length beyond the bound is refused as it is declared.
      turns: unread.filter((turn) => status === 400 || turn !== "received"),
    });
    expect(await post({ text, caller: { ...first, isKnown: true } })).toMatchObject({
      status,
      // A length beyond the bound is refused as it is declared.
      turns: unread.filter((turn) => status === 400 || turn !== "received"),
    });
  }
  const { turns } = await post({ text: right, caller: { ...first, isKnown: true } });
  expect(turns).toEqual(["counted", "received", `asked for the caller of ${right}`, "handled for somebody"]);
  const full = new Refusal("too-many-requests");
  expect(await post({ text: right, caller: { ...first, isKnown: false }, bodyFault: full })).toMatchObject({
    status: 429,
    turns: ["counted", "received"],
  });
});

test("a guard refuses before the caller is identified", async () => {
  const spec = {
    guard: () => {
      throw new Refusal("host-not-allowed");
    },
  };
  const { status, turns } = await post({ text: right, spec, caller: { isKnown: false } });
  expect([status, turns]).toEqual([403, ["counted"]]);
});

test("a page of another site is refused where a route says so, after a body that does not fit", async () => {
  const headers = { ...json, origin: "https://evil.example" };
  const spec = { body: named, sameSite: true };
  expect(await post({ text: right, headers, spec })).toMatchObject({
    problem: "cross-site-request",
    turns: ["counted", "received"],
  });
  expect((await post({ text: "{}", headers, spec })).status).toBe(400);
  expect((await post({ text: right, spec })).status).toBe(200);
  expect((await post({ text: right, headers, spec: { body: named } })).status).toBe(200);
});

test("a proof is looked for once the shape is right and the page is of this site", async () => {
  const turnsOf = async (text: string, headers = {}) => {
    const calls: unknown[] = [];
    const identify = ({ body }: { body: unknown }) => `the one of ${calls.push(body)} proof`;
    const spec = { body: named, sameSite: true, proof: { identify } };
    const { turns } = await post({ text, headers: { ...json, ...headers }, spec });
    return { turns, asked: calls };
  };
  const began = ["counted", "received"];
  expect(await turnsOf("{}")).toEqual({ turns: began, asked: [] });
  expect(await turnsOf(right, { origin: "https://evil.example" })).toEqual({ turns: began, asked: [] });
  const turns = [...began, "handled for the one of 1 proof"];
  expect(await turnsOf(right)).toEqual({ turns, asked: [{ name: "a" }] });
});

test("a decision names who the body says asks until the proof says who does", async () => {
  const subjectOf = (address: string) => ({ proof: "words", address, tokenId: null });
  const claimed = { body: named, subjectOf: () => subjectOf("anybody") };
  expect((await post({ text: right, spec: claimed })).decision).toEqual(["anybody", null]);
  expect((await post({ text: "{}", spec: claimed })).decision).toEqual([null, "invalid-request"]);
  const refuse = () => {
    throw new Refusal("authentication-failed");
  };
  const refused = await post({ text: right, spec: { ...claimed, proof: { identify: refuse, subjectOf } } });
  expect(refused.decision).toEqual(["anybody", "authentication-failed"]);
  const proven = { ...claimed, proof: { identify: () => "somebody", subjectOf } };
  expect((await post({ text: right, spec: proven })).decision).toEqual(["somebody", null]);
});

test("a decision names the caller as soon as that is known", async () => {
  expect((await post({ text: right })).decision).toEqual([null, null]);
  expect((await post({ text: right, caller: { isKnown: true } })).decision).toEqual(["somebody", null]);
  const misshapen = await post({ text: "{}", caller: { isKnown: true } });
  expect(misshapen.decision).toEqual(["somebody", "invalid-request"]);
  const stranger = await post({ text: right, caller: { isKnown: false } });
  expect(stranger.decision).toEqual([null, "missing-jwt"]);
});

test("every refusal has its slug in a header, and no other answer does", async () => {
  expect((await post({ text: right, spec: { body: named } })).problem).toBeUndefined();
  expect((await post({ text: "{" })).problem).toBe("invalid-request");
  expect((await post({ text: right, method: "PUT" })).problem).toBe("method-not-allowed");
  expect((await post({ text: right, isExhausted: true })).problem).toBe("too-many-requests");
});
