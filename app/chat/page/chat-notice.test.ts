import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { describeChat } from "~/chat/chat.openapi";
import { ApiRegistry } from "~/platform/openapi/api-registry";
import { refusalTable } from "~/platform/refusals/refusal";
import type { RefusalName } from "~/platform/refusals/refusal";
import { describeSpeech } from "~/speech/speech.openapi";
import { distinctLimits } from "~e2e/support/limits";
import { listOperations } from "~e2e/support/openapi-checker";
import { ChatNoticeCard } from "./chat-notice-card";
import { noticeForBrokenReply, noticeForFailure, noticeForRefusal, remediesOf } from "./chat-notice";
import type { Activity, ChatNotice } from "./chat-notice";

const nowMs = Date.UTC(2031, 4, 6);
const api = new ApiRegistry({ origin: "https://gate.example", limits: distinctLimits() });
describeChat(api);
describeSpeech(api);
const operations = listOperations(api.toDocument({ title: "Chat", version: "1", description: "Chat" }));
const pathOf: Record<Activity, string> = {
  asking: "/api/chat",
  reading: "/api/tts",
};

type DescribedAnswer = {
  headers?: Record<string, unknown>;
  content?: { "application/json"?: { examples?: Record<string, { value: { error: string } }> } };
};
type Seen = { activity: Activity; name: string; body: { error: string }; notice: ChatNotice };

/** Every refusal that the address describes, as the page would take it. */
function listRefusals(activity: Activity): Seen[] {
  const { operation } = operations.find(({ path }) => path === pathOf[activity])!;
  const answers = Object.entries(operation.responses as Record<string, DescribedAnswer>);
  return answers.flatMap(([code, { headers, content }]) =>
    Object.entries(content?.["application/json"]?.examples ?? {}).map(([name, { value: body }]) => {
      const sent = new Headers({ "X-Problem": slugOf(name) });
      if (headers && "Retry-After" in headers) sent.set("Retry-After", "30");
      const answer = { status: Number(code), body, headers: sent };
      return { activity, name, body, notice: noticeForRefusal(answer, activity, nowMs) };
    }),
  );
}

/** Each provider's failure is its own example, but one refusal. */
function slugOf(name: string): string {
  return name in refusalTable ? refusalTable[name as RefusalName].slug : "provider-failed";
}

const refusals = (["asking", "reading"] as const).flatMap(listRefusals);
const programWords = /\/api\/|header|JSON|JWT|`|Authorization|Content-Type|retryAfter|resetAt/i;
const apiRemedies = new Set<string>(Object.values(refusalTable).map(({ remedy }) => remedy));

test("the API description names the refusals of asking and of reading aloud", () => {
  const names = refusals.map(({ activity, name }) => `${activity} ${name}`);
  expect(names.length).toBeGreaterThan(30);
  expect(names).toEqual(
    expect.arrayContaining([
      ...["asking unknown-model", "asking body-too-large", "asking state-unavailable"],
      ...["asking cross-site-request", "asking invalid-jwt", "reading too-many-requests"],
      ...["reading quota-exceeded", "reading speech-busy", "reading unspeakable-text"],
    ]),
  );
});

test.each(refusals)("$activity: $name is explained in words for the person who reads them", (refusal) => {
  const { activity, body, notice } = refusal;
  expect(notice.remedy).toMatch(/^[A-Z].*\.$/);
  expect(notice.remedy).not.toMatch(programWords);
  expect([...apiRemedies]).not.toContain(notice.remedy);
  // Chat and speech need different remedies.
  if (activity === "asking") expect(notice.remedy).not.toMatch(/read on|place in the text|listen|hear/i);
  else expect(notice.remedy).not.toMatch(/you wrote|send|\bask\b(?! whoever)|conversation/i);
  // The server's words stay readable, as the title or below a plainer one.
  expect(`${notice.title} ${notice.detail ?? ""}`).toContain(body.error);
  if (notice.title !== body.error) expect(notice.title).not.toMatch(programWords);
});

test.each(refusals.filter(({ notice }) => notice.kind !== "sign-in"))(
  "$activity: $name is shown with its title, its detail and what to do",
  ({ notice }) => {
    const text = toText(renderToStaticMarkup(createElement(ChatNoticeCard, { notice })));
    expect(text).toContain(notice.title);
    expect(text).toContain(notice.detail);
    expect(text).toContain(notice.remedy);
  },
);

test("the notices have a remedy for each described refusal, and for no other", () => {
  for (const activity of ["asking", "reading"] as const) {
    const slugs = refusals
      .filter((refusal) => refusal.activity === activity && refusal.name in refusalTable)
      .map(({ name }) => slugOf(name));
    expect(Object.keys(remediesOf[activity]).sort()).toEqual([...new Set(slugs)].sort());
  }
});

test("a notice that passes by itself says when, and one about the key leads to the gate", () => {
  const find = (activity: Activity, name: string) =>
    refusals.find((refusal) => refusal.activity === activity && refusal.name === name)!.notice;
  for (const activity of ["asking", "reading"] as const) {
    expect(find(activity, "too-many-requests")).toMatchObject({ kind: "wait", retryAtMs: nowMs + 30_000 });
    expect(find(activity, "quota-exceeded")).toMatchObject({ kind: "wait", retryAtMs: nowMs + 30_000 });
    expect(find(activity, "quota-reserved")).toMatchObject({
      kind: "wait",
      title: "Quota exceeded",
      retryAtMs: nowMs + 30_000,
      detail: expect.stringMatching(
        /^\d+ of this key's \d+ (?:tokens|characters) are set aside for /,
      ) as string,
    });
    expect(find(activity, "state-unavailable").kind).toBe("wait");
    expect(find(activity, "missing-jwt").kind).toBe("sign-in");
    expect(find(activity, "invalid-jwt")).toMatchObject({
      kind: "sign-in",
      title: "Your sign-in has ended",
      detail: "The server says: Unauthorized: invalid JWT.",
    });
  }
  expect(find("asking", "quota-exceeded").remedy).toContain("What you wrote is kept");
  expect(find("reading", "quota-exceeded").remedy).toContain("Your place in the text is kept");
  expect(find("asking", "unknown-model")).toMatchObject({
    kind: "model",
    remedy: "Choose another model below, then send again.",
  });
  expect(find("asking", "body-too-large").remedy).toContain("Shorten what you wrote");
  expect(find("asking", "cross-site-request").remedy).toContain("Open this page at its own address");
  expect(noticeForFailure({ activity: "asking", isOnline: false }).detail).toContain("What you wrote");
  expect(noticeForFailure({ activity: "reading", isOnline: false }).detail).toContain("Your place");
});

test("the notice of an interrupted answer says whether any of it came, and offers a retry", () => {
  const errorText = "Chat request failed (the model ended its answer without a word)";
  expect(noticeForBrokenReply({ errorText, hasContent: false })).toMatchObject({
    kind: "again",
    title: errorText,
    detail: "Nothing came of the reply.",
  });
  expect(noticeForBrokenReply({ errorText, hasContent: true }).detail).toBe("The part above is kept.");
  expect(noticeForBrokenReply({ errorText: null, hasContent: true }).detail).toBe(
    "The connection ended too soon. The part above is kept.",
  );
});

test("a screen reader announces the end of a wait and not its ticking", () => {
  const draw = (retryAtMs: number) => {
    const notice: ChatNotice = {
      kind: "wait",
      title: "Too many requests",
      detail: null,
      remedy: "Wait.",
      retryAtMs,
    };
    return renderToStaticMarkup(createElement(ChatNoticeCard, { notice }));
  };
  expect(draw(Date.now() + 60_000)).toMatch(/<p aria-live="off">You can try again in <strong>/);
  expect(draw(Date.now() - 1)).toContain('<p aria-live="polite">You can try again now.</p>');
});

function toText(markup: string): string {
  const named: Record<string, string> = { quot: '"', amp: "&", lt: "<", gt: ">", "#x27": "'" };
  return markup.replace(/<[^>]+>/g, "").replace(/&([^;]+);/g, (_whole, name: string) => named[name] ?? "?");
}
