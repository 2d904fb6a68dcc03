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

/**
 * The answer began and did not end well. `errorText` is the server's, null when the connection broke off; `hasContent`:
 * something of it came.
 */
export function noticeForBrokenAnswer({
  errorText,
  hasContent,
}: {
  errorText: string | null;
  hasContent: boolean;
}): ChatNotice {
  const sentences = [
    ...(errorText === null ? ["The connection ended before the answer did."] : []),
    hasContent ? "What came before it is kept above." : "Nothing of the answer came.",
  ];
  return {
    kind: "again",
    title: errorText ?? "The answer broke off",
    detail: sentences.join(" "),
    remedy: "Try again in a moment.",
  };
}

export function noticeForFailure({
  activity,
  isOnline,
}: {
  activity: Activity;
  isOnline: boolean;
}): ChatNotice {
  return {
    kind: "offline",
    title: isOnline ? "The server did not answer" : "You are offline",
    detail: isOnline
      ? "Either the connection is bad, or the site is away for a moment."
      : activity === "asking"
        ? "What you wrote is kept in this browser."
        : "Your place in the text is kept.",
    remedy: isOnline ? "Check your connection and try again." : "Try again when the connection is back.",
  };
}
