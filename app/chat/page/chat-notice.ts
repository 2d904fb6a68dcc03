import { noticeForRefused, readRefused, unreached } from "~/platform/refusals/notice";
import type { NoticeText, PageRemedy, RefusedResponse } from "~/platform/refusals/notice";

export type Activity = "asking" | "reading";

type NoticeKind = "wait" | "sign-in" | "offline" | "model" | "again" | "skip" | "final";

type Remedy = PageRemedy & { kind: NoticeKind };
type Remedies = Readonly<Record<string, Remedy>>;

const signInEnded: Remedy = {
  kind: "sign-in",
  title: "Your sign-in has ended",
  remedy: "It has expired, or the key has left the wallet. Sign in again at the gate.",
};
const signInFirst = "Sign in at the gate: one signature, at no cost. Then come back here.";
/** The page's mistake, not the visitor's. */
const fault: Remedy = {
  kind: "final",
  remedy: "Load this page again. If it stays like this, tell the site's operator.",
};
const faults: Remedies = {
  "internal-error": {
    kind: "again",
    remedy: "Try again. If it stays like this, tell the site's operator.",
  },
  "method-not-allowed": fault,
  "invalid-json-body": fault,
  "unsupported-media-type": fault,
};

const editOrBegin: Remedy = { kind: "final", remedy: "Edit your message, or start a new conversation." };
const sendLater: Remedy = { kind: "wait", remedy: "What you wrote is kept. Try again in a moment." };

const askingRemedies: Remedies = {
  ...faults,
  "missing-jwt": {
    kind: "sign-in",
    title: "This conversation is for holders of a key",
    remedy: signInFirst,
  },
  "invalid-jwt": signInEnded,
  "too-many-requests": { kind: "wait", remedy: "Wait until the time below has passed, then send again." },
  "quota-exceeded": { kind: "wait", remedy: "What you wrote is kept. Send it again at the time below." },
  "answer-under-way": {
    kind: "again",
    remedy: "What you wrote is kept. Try again when that reply has ended.",
  },
  "invalid-reply-id": fault,
  "reply-id-taken": { kind: "again", remedy: "What you wrote is kept. Try again." },
  "too-many-answers": {
    kind: "wait",
    remedy: "What you wrote is kept. Send it again when another reply has ended, or stop one.",
  },
  "unknown-model": { kind: "model", remedy: "Choose another model below, then send again." },
  "missing-messages": editOrBegin,
  "invalid-messages": editOrBegin,
  "body-too-large": { kind: "final", remedy: "Shorten what you wrote, or start a new conversation." },
  "request-timeout": { kind: "again", remedy: "Check your connection and try again." },
  "provider-failed": { kind: "again", remedy: "Nothing was counted. Try again in a moment." },
  "state-unavailable": sendLater,
  "chain-unavailable": sendLater,
  "cross-site-request": { kind: "final", remedy: "Open this page at its own address and ask there." },
};

const skipped: Remedy = {
  kind: "skip",
  remedy: "This part can't be read aloud. Skip it to hear the rest.",
};
const positionKept = "Your place in the text is kept. Read on from there";
const readOnLater: Remedy = { kind: "wait", remedy: `${positionKept} in a moment.` };

const readingRemedies: Remedies = {
  ...faults,
  "missing-jwt": { kind: "sign-in", title: "Reading aloud is for holders of a key", remedy: signInFirst },
  "invalid-jwt": signInEnded,
  "too-many-requests": { kind: "wait", remedy: `${positionKept} when the time below has passed.` },
  "quota-exceeded": { kind: "wait", remedy: `${positionKept} at the time below.` },
  "missing-text": skipped,
  "text-too-long": skipped,
  "unspeakable-text": skipped,
  "body-too-large": skipped,
  "invalid-message-id": fault,
  "speech-disabled": {
    kind: "final",
    title: "Nothing is read aloud here",
    remedy: "Read the text yourself. The site's operator can switch speech on.",
  },
  "speech-busy": readOnLater,
  "speech-failed": {
    kind: "again",
    remedy: "Nothing was counted, and your place in the text is kept. Read on from there in a moment.",
  },
  "request-timeout": { kind: "again", remedy: "Check your connection, then read on from where it stopped." },
  "state-unavailable": readOnLater,
  "chain-unavailable": readOnLater,
  "cross-site-request": { kind: "final", remedy: "Open this page at its own address and listen there." },
};

/** The table's own remedies also speak to API clients. */
export const remediesOf: Record<Activity, Remedies> = {
  asking: askingRemedies,
  reading: readingRemedies,
};

export type ChatNotice = NoticeText & { kind: NoticeKind };

export function noticeForRefusal(
  answer: RefusedResponse,
  activity: Activity,
  nowMs = Date.now(),
): ChatNotice {
  const refused = readRefused(answer);
  const remedies = remediesOf[activity];
  const kind = remedies[refused.slug]?.kind ?? (refused.status >= 500 ? "again" : "final");
  return { kind, ...noticeForRefused(refused, remedies, nowMs) };
}

/** `errorText` is the server's; null if the connection broke. */
export function noticeForBrokenReply(broken: { errorText: string | null; hasContent: boolean }): ChatNotice {
  const { errorText, hasContent } = broken;
  const kept = hasContent ? "The part above is kept." : "Nothing came of the reply.";
  return {
    kind: "again",
    title: errorText ?? "The answer broke off",
    detail: errorText === null ? `The connection ended too soon. ${kept}` : kept,
    remedy: "Try again in a moment.",
  };
}

/** For a reply whose stop failed. */
export function noticeForUnstopped(cause: ChatNotice): ChatNotice {
  const isSignIn = cause.kind === "sign-in";
  return {
    ...cause,
    title: "The reply may continue on the server",
    detail: `The stop failed: ${cause.title}.`,
    remedy: isSignIn ? cause.remedy : "Try again in a moment, or stop it in another window.",
  };
}

export function noticeForFailure(failed: { activity: Activity; isOnline: boolean }): ChatNotice {
  if (failed.isOnline) {
    const detail = "Your connection or the site has a problem.";
    return { kind: "offline", ...unreached, detail };
  }
  return {
    kind: "offline",
    title: "You are offline",
    detail: keptOffline[failed.activity],
    remedy: "Try again when the connection is back.",
  };
}

const keptOffline: Record<Activity, string> = {
  asking: "What you wrote is kept in this browser.",
  reading: "Your place in the text is kept.",
};
