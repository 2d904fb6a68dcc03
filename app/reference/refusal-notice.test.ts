import { expect, test } from "vitest";
import { findReferenceOperation } from "~/testing/api-reference";
import { readRefusal } from "./refusal-notice";
import { readSaid } from "./try-request";
import type { TryAnswer } from "./try-request";

function answerOf({
  status,
  body,
  ...rest
}: { status: number; body: unknown } & Partial<TryAnswer>): TryAnswer {
  return {
    ...{ phase: "done", status, durationMs: 1, contentType: "application/json", headers: [] },
    ...{ text: JSON.stringify(body), isCut: false, said: null, media: null },
    ...rest,
  };
}

function pageOf(id: string, status: number, body: unknown): string | undefined {
  return readRefusal({ answer: answerOf({ status, body }), operation: findReferenceOperation(id) })?.page;
}

test("a problem names its page itself, also where the service has another name than the one it was opened by", () => {
  const body = {
    type: "https://elsewhere.example/problems/invalid-tokenid",
    title: "Invalid",
    detail: "Why.",
  };
  const answer = answerOf({ status: 400, body, headers: [["Retry-After", "7"]] });
  expect(readRefusal({ answer, operation: findReferenceOperation("openGate") })).toEqual({
    ...{ title: "Invalid", detail: "Why.", page: "/problems/invalid-tokenid", retryAfter: "7" },
  });
});

test("other refusals are found by their words, or by the only refusal of their status, or lead to the list", () => {
  expect(pageOf("chat", 401, { error: "Unauthorized: invalid JWT" })).toBe("/problems/invalid-jwt");
  expect(pageOf("chat", 415, { error: "In other words" })).toBe("/problems/unsupported-media-type");
  expect(pageOf("chat", 400, { error: "In other words" })).toBe("/problems");
  expect(pageOf("chat", 502, "a proxy's page")).toBe("/problems");
});

test("the tools word theirs one level deeper", () => {
  const answer = answerOf({ status: 401, body: { error: { code: -32001, message: "Sign in." } } });
  expect(readRefusal({ answer, operation: findReferenceOperation("callTools") })?.title).toBe("Sign in.");
});

test("what was not refused, or has not come yet, is no refusal", () => {
  const operation = findReferenceOperation("chat");
  expect(readRefusal({ answer: answerOf({ status: 200, body: {} }), operation })).toBeNull();
  const coming = answerOf({ status: 400, body: {}, phase: "receiving" });
  expect(readRefusal({ answer: coming, operation })).toBeNull();
});

test("a stream's words are those of its whole events", () => {
  const delta = (words: string) => `data: ${JSON.stringify({ type: "text-delta", delta: words })}\n\n`;
  const stream = `${delta("Good ")}: keep alive\n\ndata: {"type":"start"}\n\n${delta("evening")}data: [DONE]\n\n`;
  expect(readSaid(stream)).toBe("Good evening");
  expect(readSaid(`${delta("Good ")}${delta("evening").trimEnd()}`)).toBe("Good ");
});
