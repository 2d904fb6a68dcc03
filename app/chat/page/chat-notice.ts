import { noticeForRefused, readRefused } from "~/platform/http/notice";
import type { NoticeText, RefusedAnswer } from "~/platform/http/notice";
import { remediesOf } from "./chat-remedies";
import type { Activity, NoticeKind } from "./chat-remedies";

/** Something that stands in the way: what happened in the server's own words, and what to do now. */
export type ChatNotice = NoticeText & { kind: NoticeKind };

/** The notice for an answer that is no stream. */
export function noticeForRefusal(answer: RefusedAnswer, activity: Activity, nowMs = Date.now()): ChatNotice {
  const refused = readRefused(answer);
  const remedies = remediesOf[activity];
  const kind = remedies[refused.slug]?.kind ?? (refused.status >= 500 ? "again" : "final");
  return { kind, ...noticeForRefused(refused, remedies, nowMs) };
}

/** `errorText` is the server's, null when the connection broke off; `hasContent`: something of the answer came. */
export function noticeForBrokenAnswer(broken: { errorText: string | null; hasContent: boolean }): ChatNotice {
  const { errorText, hasContent } = broken;
  const kept = hasContent ? "What came before it is kept above." : "Nothing of the answer came.";
  return {
    kind: "again",
    title: errorText ?? "The answer broke off",
    detail: errorText === null ? `The connection ended before the answer did. ${kept}` : kept,
    remedy: "Try again in a moment.",
  };
}

export function noticeForFailure(failed: { activity: Activity; isOnline: boolean }): ChatNotice {
  if (failed.isOnline) {
    return {
      kind: "offline",
      title: "The server did not answer",
      detail: "Either the connection is bad, or the site is away for a moment.",
      remedy: "Check your connection and try again.",
    };
  }
  const isAsking = failed.activity === "asking";
  return {
    kind: "offline",
    title: "You are offline",
    detail: isAsking ? "What you wrote is kept in this browser." : "Your place in the text is kept.",
    remedy: "Try again when the connection is back.",
  };
}
