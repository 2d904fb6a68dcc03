import { expect, test } from "vitest";
import { RefusedError, UnreachableError } from "./gate-api";
import { noticeFor } from "./gate-notice";

function refusal(slug: string, more: Partial<RefusedError["refused"]> = {}) {
  return new RefusedError({
    slug,
    title: "Title",
    status: 403,
    detail: "Detail.",
    retryAfterSeconds: null,
    requestId: "req-1",
    ...more,
  });
}

test("the server's title and detail are shown, with what to do on this page", () => {
  const notice = noticeFor(refusal("you-do-not-own-this-token"), "sign-in");
  expect(notice).toMatchObject({ tone: "problem", title: "Title", detail: "Detail.", requestId: null });
  expect(notice.remedy).toContain("Check the number of the key");
  expect(notice.pagePath).toBe("/problems/you-do-not-own-this-token");
});

test("the table's remedy is shown by default, and a general one for an unknown slug", () => {
  expect(noticeFor(refusal("body-too-large"), "form").remedy).toContain("Send less");
  const unknown = noticeFor(refusal("brand-new"), "form");
  expect(unknown.remedy).toContain("Try again");
  expect(unknown.pagePath).toBeNull();
});

test("an unknown outcome is shown without claims of the page's own", () => {
  const error = refusal("state-unavailable", {
    status: 503,
    detail: "It is not known whether that was done.",
  });
  const notice = noticeFor(error, "form");
  expect(notice.detail).toBe("It is not known whether that was done.");
  expect(notice.remedy).not.toMatch(/decided|changed|done/i);
});

test("the seconds to wait are passed on", () => {
  const error = refusal("too-many-requests", { status: 429, retryAfterSeconds: 12 });
  const { retryAtMs } = noticeFor(error, "sign-in");
  expect(retryAtMs! - Date.now()).toBeGreaterThan(11_000);
  expect(retryAtMs! - Date.now()).toBeLessThanOrEqual(12_000);
});

test("the request id is shown only where the fault is the server's", () => {
  const error = refusal("internal-error", { status: 500 });
  expect(noticeFor(error, "sign-in").requestId).toBe("req-1");
});

test("a rejected request is recognised however deep the wallet library wrapped it", () => {
  const wallet = Object.assign(new Error("User rejected"), { code: 4001 });
  const wrapped = new Error("outer", {
    cause: Object.assign(new Error("middle", { cause: wallet }), { code: -32603 }),
  });
  const notice = noticeFor(wrapped, "sign-in");
  expect(notice).toMatchObject({ tone: "info", title: "You did not sign the message" });
  expect(noticeFor(wallet, "connect").title).toBe("You did not connect the wallet");
});

test("the visitor is asked to open a wallet that already shows a request", () => {
  const notice = noticeFor({ code: -32002 }, "connect");
  expect(notice.title).toBe("The wallet is still asking");
});

test("the first line of any other wallet error is shown, shortened", () => {
  const error = Object.assign(new Error("long"), {
    shortMessage: `Insufficient funds.\nRequest body: secret`,
  });
  expect(noticeFor(error, "mint").detail).toBe("Insufficient funds.");
  expect(noticeFor(new Error("x".repeat(1000)), "mint").detail).toHaveLength(300);
  expect(noticeFor(undefined, "mint").detail).toBe("The wallet gave no reason.");
});

test("an unreachable server has a notice of its own", () => {
  expect(noticeFor(new UnreachableError("x"), "status").title).toContain("did not answer");
});

test("a key that came too recently gets a notice with what to wait for, and that nothing is lost", () => {
  const detail = "Wait until block 12, about 24 seconds from now, then try again.";
  const error = refusal("holding-too-recent", { status: 409, detail, retryAfterSeconds: 24 });
  const notice = noticeFor(error, "form");
  expect(notice).toMatchObject({ detail, pagePath: "/problems/holding-too-recent" });
  expect(notice.remedy).toContain("your text is still here");
});

test("a wallet that isn't deployed gets a notice with what to do, and that nothing is lost", () => {
  const error = refusal("wallet-not-deployed", { status: 409, detail: "The wallet is not deployed yet." });
  const notice = noticeFor(error, "form");
  expect(notice).toMatchObject({ pagePath: "/problems/wallet-not-deployed" });
  expect(notice.remedy).toBe(
    "Your text is still here. Deploy the wallet by sending a first transaction, then send the form again.",
  );
});
