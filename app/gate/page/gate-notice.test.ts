import { expect, test } from "vitest";
import { UnreadableAnswerError } from "./gate-answers";
import { ProblemError, UnreachableError } from "./gate-api";
import { noticeFor } from "./gate-notice";

function refusal(slug: string, more: Partial<ProblemError["problem"]> = {}) {
  return new ProblemError({
    ...{ slug, title: "Title", status: 403, detail: "Detail.", pagePath: `/problems/${slug}` },
    ...{ retryAfterSeconds: null, requestId: "req-1", ...more },
  });
}

test("shows the server's own title and detail, and adds what to do on this page", () => {
  const notice = noticeFor({ error: refusal("you-do-not-own-this-token"), activity: "sign-in" });
  expect(notice).toMatchObject({ tone: "problem", title: "Title", detail: "Detail.", requestId: null });
  expect(notice.remedy).toContain("Check the number of the key");
  expect(notice.pagePath).toBe("/problems/you-do-not-own-this-token");
});

test("falls back to the table's remedy, and to a plain one for a slug nobody knows", () => {
  expect(noticeFor({ error: refusal("body-too-large"), activity: "form" }).remedy).toContain("Send less");
  const unknown = noticeFor({ error: refusal("brand-new"), activity: "form" });
  expect(unknown.remedy).toContain("Try again");
  expect(unknown.pagePath).toBeNull();
});

test("claims nothing of its own where the answer says that the outcome is not known", () => {
  const error = refusal("state-unavailable", {
    status: 503,
    detail: "It is not known whether that was done.",
  });
  const notice = noticeFor({ error, activity: "form" });
  expect(notice.detail).toBe("It is not known whether that was done.");
  expect(notice.remedy).not.toMatch(/decided|changed|done/i);
});

test("carries the seconds to wait", () => {
  const error = refusal("too-many-requests", { status: 429, retryAfterSeconds: 12 });
  expect(noticeFor({ error, activity: "sign-in" }).retryAfterSeconds).toBe(12);
});

test("names the request only where the fault is the server's", () => {
  const error = refusal("internal-error", { status: 500 });
  expect(noticeFor({ error, activity: "sign-in" }).requestId).toBe("req-1");
});

test("recognises a turned-down request however deep the wallet library wrapped it", () => {
  const wallet = Object.assign(new Error("User rejected"), { code: 4001 });
  const wrapped = new Error("outer", {
    cause: Object.assign(new Error("middle", { cause: wallet }), { code: -32603 }),
  });
  const notice = noticeFor({ error: wrapped, activity: "sign-in" });
  expect(notice).toMatchObject({ tone: "info", title: "You did not sign the message" });
  expect(noticeFor({ error: wallet, activity: "connect" }).title).toBe("You did not connect the wallet");
});

test("asks to open the wallet when it already shows a request", () => {
  const notice = noticeFor({ error: { code: -32002 }, activity: "connect" });
  expect(notice.title).toBe("The wallet is still asking");
});

test("keeps the first line of any other wallet error, shortened", () => {
  const error = Object.assign(new Error("long"), {
    shortMessage: `Insufficient funds.\nRequest body: secret`,
  });
  expect(noticeFor({ error, activity: "mint" }).detail).toBe("Insufficient funds.");
  expect(noticeFor({ error: new Error("x".repeat(1000)), activity: "mint" }).detail).toHaveLength(300);
  expect(noticeFor({ error: undefined, activity: "mint" }).detail).toBe("The wallet gave no reason.");
});

test("tells an unreachable server and an unreadable answer apart", () => {
  expect(noticeFor({ error: new UnreachableError("x"), activity: "status" }).title).toContain(
    "did not answer",
  );
  expect(noticeFor({ error: new UnreadableAnswerError("Odd."), activity: "status" }).detail).toBe("Odd.");
});
