import { refusalTable } from "~/platform/http/refusal";
import type { RefusalEntry } from "~/platform/http/refusal";
import { remediesOf } from "./chat-remedies";
import type { Activity } from "./chat-remedies";
import type { ChatNotice } from "./chat-notice-shape";

const titlesOfProviders = / (?:request|connection) failed/;

export type RefusedAnswer = {
  activity: Activity;
  status: number;
  body: unknown;
  retryAfter: string | null;
  nowMs: number;
};

/** The notice for an answer that is no stream. */
export function noticeForRefusal({ activity, status, body, retryAfter, nowMs }: RefusedAnswer): ChatNotice {
  const { error, details, detail, errors } = asRecord(body);
  const title = typeof error === "string" ? error : `The server answered with status ${status}`;
  const entry =
    (Object.values(refusalTable) as RefusalEntry[]).find((candidate) => candidate.title === title) ??
    (titlesOfProviders.test(title) ? refusalTable["provider-failed"] : null);
  const known = entry && remediesOf[activity][entry.slug];
  return {
    kind: known?.kind ?? (status >= 500 ? "again" : "final"),
    title: known?.title ?? title,
    detail: known?.title
      ? `The server says: ${title}.`
      : (firstText(details, detail, firstIssue(errors)) ?? entry?.meaning ?? null),
    remedy:
      known?.remedy ?? entry?.remedy ?? "Try again; if it stays like this, tell whoever runs this site.",
    retryAtMs: toRetryAtMs({ retryAfter, nowMs }),
  };
}

/** The answer began and did not end well. `errorText` is the server's, null when the connection broke off. */
export function noticeForBrokenAnswer(errorText: string | null): ChatNotice {
  return {
    kind: "again",
    title: errorText ?? "The answer broke off",
    detail: errorText
      ? "What came before it is kept above."
      : "The connection ended before the answer did. What came before it is kept above.",
    remedy: "Try again in a moment.",
    retryAtMs: null,
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
    retryAtMs: null,
  };
}

function toRetryAtMs({ retryAfter, nowMs }: { retryAfter: string | null; nowMs: number }): number | null {
  const seconds = retryAfter !== null && /^\d{1,9}$/.test(retryAfter) ? Number(retryAfter) : null;
  // Relative to this device's clock: the two clocks may differ by any amount.
  return seconds === null ? null : nowMs + seconds * 1000;
}

function asRecord(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

function firstText(...values: unknown[]): string | null {
  return values.find((value): value is string => typeof value === "string" && value !== "") ?? null;
}

function firstIssue(errors: unknown): string | null {
  const { message } = asRecord(Array.isArray(errors) ? errors[0] : null);
  return typeof message === "string" ? message : null;
}
