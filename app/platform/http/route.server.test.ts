import { expect, test } from "vitest";
import { RedisOutage } from "~/platform/redis/redis-outage";
import { createLogLines } from "~/testing/log-lines";
import type { Answer, TextAnswer } from "./answer.server";
import { Refusal, chainUnavailable } from "./refusal";
import type { RequestContext } from "./request-context.server";
import { defineRoute, getRouteAnswer } from "./route.server";

type Line = { level: string; msg: string; slug: string; requestId: string; err?: { message: string } };

/** The lines that a request leaves in the log whose handler throws `error`, beside its answer. */
async function logThrown(
  error: unknown,
  method = "GET",
): Promise<{ lines: Line[]; answer: Answer; detail: unknown }> {
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
    log,
    service: {
      origin: "https://gate.example.com",
      isAllowedOrigin: () => false,
      countRefusal: () => undefined,
    },
  } as unknown as RequestContext;
  const answer = await getRouteAnswer(loader)({ context, params: {} });
  const { detail } = JSON.parse(String((answer as TextAnswer).text)) as { detail?: unknown };
  return { lines: entries() as Line[], answer, detail };
}

test.each([
  ["nonce-siwe-not-enabled", 501],
  ["state-service-inactive", 503],
  ["speech-disabled", 503],
  ["speech-busy", 503],
] as const)("%s is as it should be: no warning, and no stack", async (name, status) => {
  const { lines, answer } = await logThrown(new Refusal(name));
  expect(answer.status).toBe(status);
  expect(lines).toEqual([
    expect.objectContaining({ level: "info", msg: "request refused", requestId: "a-request" }),
  ]);
  expect(JSON.stringify(lines)).not.toContain("stack");
});

test("what the service needs and cannot ask is a warning with its cause", async () => {
  const { lines, answer } = await logThrown(chainUnavailable(new Error("no endpoint answered")));
  expect(answer.status).toBe(503);
  expect(lines).toEqual([
    expect.objectContaining({ level: "warn", msg: "request failed", slug: "chain-unavailable" }),
  ]);
  expect(lines[0]!.err).toMatchObject({ message: "no endpoint answered" });
});

test("a defect is an error with its cause, thrown bare or as a refusal", async () => {
  for (const error of [new TypeError("a defect"), new Refusal("internal-error", { detail: "a defect" })]) {
    const { lines, answer } = await logThrown(error);
    expect(answer.status).toBe(500);
    expect(lines).toEqual([expect.objectContaining({ level: "error", msg: "request failed" })]);
    expect(lines[0]!.err!.message).toContain("a defect");
    expect(JSON.stringify(lines)).toContain("stack");
  }
});

test("a refusal below 500 is the visitor's matter and leaves no second line", async () => {
  expect((await logThrown(new Refusal("not-found"))).lines).toEqual([]);
});

test.each([
  ["GET", /Nothing was decided or changed\.$/],
  ["HEAD", /Nothing was decided or changed\.$/],
  ["POST", /it is not known what of this was done/],
  ["DELETE", /it is not known what of this was done/],
] as const)(
  "what a %s that lost the state has changed is claimed only where it is known",
  async (method, words) => {
    const lostDatabase = new Error("Connection terminated unexpectedly");
    for (const error of [new RedisOutage("Redis could not be asked."), lostDatabase]) {
      const { answer, detail } = await logThrown(error, method);
      expect([answer.status, detail]).toEqual([503, expect.stringMatching(words)]);
    }
  },
);
