import { expect, test } from "vitest";
import { createLogLines } from "~/testing/log-lines";
import type { Answer } from "./answer.server";
import { Refusal, chainUnavailable } from "./refusal";
import type { RequestContext } from "./request-context.server";
import { defineRoute, getRouteAnswer } from "./route.server";

type Line = { level: string; msg: string; slug: string; requestId: string; err?: { message: string } };

/** The lines that a GET leaves in the log whose handler throws `error`, beside its answer. */
async function logThrown(error: unknown): Promise<{ lines: Line[]; answer: Answer }> {
  const { log, entries } = createLogLines();
  const { loader } = defineRoute({
    GET: {
      handle: () => {
        throw error;
      },
    },
  });
  const context = {
    requestId: "a-request",
    method: "GET",
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
  return { lines: entries() as Line[], answer };
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
