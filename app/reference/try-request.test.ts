import { expect, test } from "vitest";
import { readRefusal } from "./try-request";
import type { TryAnswer } from "./try-request";

function answerOf({
  status,
  body,
  ...rest
}: { status: number; body: unknown } & Partial<TryAnswer>): TryAnswer {
  return {
    phase: "done",
    status,
    durationMs: 1,
    contentType: "application/json",
    headers: [],
    text: JSON.stringify(body),
    media: null,
    ...rest,
  };
}

test("a problem's type leads to its page, whatever host it names", () => {
  const type = "https://elsewhere.example/problems/invalid-tokenid";
  const body = { type, title: "Invalid", detail: "Why." };
  const refusal = readRefusal(answerOf({ status: 400, body, headers: [["retry-after", "7"]] }));
  expect(refusal).toMatchObject({ title: "Invalid", detail: "Why.", pagePath: "/problems/invalid-tokenid" });
  expect(refusal?.retryAtMs).toBeGreaterThan(Date.now());
});

test("other refusals lead to a page by their header, and to none without it", () => {
  const body = { error: "In other words", details: "Why." };
  const named = answerOf({ status: 401, body, headers: [["x-problem", "invalid-jwt"]] });
  expect(readRefusal(named)).toMatchObject({ title: "In other words", pagePath: "/problems/invalid-jwt" });
  expect(readRefusal(answerOf({ status: 400, body }))?.pagePath).toBeNull();
  expect(readRefusal(answerOf({ status: 502, body: "a proxy's page" }))?.pagePath).toBeNull();
});

test("a refusal of the tools is read one level deeper", () => {
  const answer = answerOf({ status: 401, body: { error: { code: -32001, message: "Sign in." } } });
  expect(readRefusal(answer)?.title).toBe("Sign in.");
});

test("an answer that succeeded, or is still coming, is no refusal", () => {
  expect(readRefusal(answerOf({ status: 200, body: {} }))).toBeNull();
  const coming = answerOf({ status: 400, body: {}, phase: "receiving" });
  expect(readRefusal(coming)).toBeNull();
});
