import { findRefusal } from "~/platform/http/notice";
import type { RefusalEntry } from "~/platform/http/refusal";

/** What the last form came to, or what in the address could not be used. */
export type PageNotice = {
  tone: "success" | "problem" | "info";
  title: string;
  text: string;
  /** How long it is until the same may be tried again, from when the page was made; 0 when that is over. */
  waitSeconds?: number;
};

const counted = (count: number, one: string, many: string) => (count === 1 ? `1 ${one}` : `${count} ${many}`);

const doneNotices: Readonly<Record<string, (count: number) => PageNotice>> = {
  retried: (count) =>
    count === 0
      ? nothing("What is being sent at this moment, or was delivered meanwhile, is left alone.")
      : success(`${counted(count, "notification is", "notifications are")} sent again now.`),
  reset: (count) =>
    count === 0
      ? nothing("There was no such window any more.")
      : success(`${counted(count, "window was", "windows were")} reset.`),
  handled: (count) =>
    count === 0 ? nothing("It was marked already.") : success("The submission is marked as handled."),
  reopened: (count) =>
    count === 0 ? nothing("It was open already.") : success("The submission is open again."),
  "signed-out": () => success("You are signed out."),
};

function success(text: string): PageNotice {
  return { tone: "success", title: "Done", text };
}

function nothing(text: string): PageNotice {
  return { tone: "info", title: "Nothing changed", text };
}

/** Only words of ours: of the address nothing but numbers is repeated. */
export function readNotices(
  searchParams: URLSearchParams,
  nowMs: number,
  faults: readonly string[] = [],
): PageNotice[] {
  const count = Number(/^\d{1,9}$/.exec(searchParams.get("count") ?? "")?.[0] ?? 0);
  const doneName = searchParams.get("done") ?? "";
  const done = Object.hasOwn(doneNotices, doneName) ? doneNotices[doneName]?.(count) : undefined;
  const refused = findRefusal(searchParams.get("fault"));
  const problem = (title: string, text: string): PageNotice => ({ tone: "problem", title, text });
  return [
    ...(done ? [done] : []),
    ...(refused ? [noticeForFault(refused, readWait(searchParams.get("until"), nowMs))] : []),
    ...(faults.length > 0 ? [problem("Part of the address could not be used", faults.join(" "))] : []),
  ];
}

function noticeForFault({ slug, title, remedy }: RefusalEntry, waitSeconds: number | null): PageNotice {
  if (waitSeconds === null) return { tone: "problem", title, text: remedy.replaceAll("`", "") };
  const text = slug === "too-many-requests" ? notLookedAt : remedy.replaceAll("`", "");
  return { tone: "problem", title, text, waitSeconds };
}

const notLookedAt = "What you sent was not looked at.";
/** The longest window a limit can have. */
const maxWaitSeconds = 999_999;

function readWait(until: string | null, nowMs: number): number | null {
  const seconds = /^\d{1,12}$/.exec(until ?? "")?.[0];
  if (seconds === undefined) return null;
  return Math.min(maxWaitSeconds, Math.max(0, Number(seconds) - Math.floor(nowMs / 1_000)));
}
