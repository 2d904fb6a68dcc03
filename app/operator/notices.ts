import { findRefusal, noticeForRefused } from "~/platform/refusals/notice";
import type { PageRemedies } from "~/platform/refusals/notice";
import type { Refusal } from "~/platform/refusals/refusal";
import type { RefusalEntry } from "~/platform/refusals/refusal-rows";

/** The result of the last form, or a fault of the address. */
export type PageNotice = {
  tone: "success" | "problem" | "info";
  title: string;
  text: string;
  /** From when the page was made. */
  waitSeconds?: number;
};

const counted = (count: number, one: string, many: string) => (count === 1 ? `1 ${one}` : `${count} ${many}`);

/** `none` applies if the count is 0. */
const doneTexts: Readonly<Record<string, { none?: string; some: (count: number) => string }>> = {
  retried: {
    none: "Notifications that are being sent, or were delivered meanwhile, stay as they are.",
    some: (count) => `${counted(count, "notification is", "notifications are")} sent again now.`,
  },
  reset: {
    none: "The window no longer exists.",
    some: (count) => `${counted(count, "window was", "windows were")} reset.`,
  },
  handled: { none: "It was already marked.", some: () => "The submission is marked as handled." },
  reopened: { none: "It was already open.", some: () => "The submission is open again." },
  "signed-out": { some: () => "You are signed out." },
};

/** Only our own words. Repeats nothing of the address but numbers. */
export function readNotices(
  searchParams: URLSearchParams,
  nowMs: number,
  faults: readonly string[] = [],
): PageNotice[] {
  const notices: PageNotice[] = [];
  const count = Number(/^\d{1,9}$/.exec(searchParams.get("count") ?? "")?.[0] ?? 0);
  const name = searchParams.get("done") ?? "";
  const done = Object.hasOwn(doneTexts, name) ? doneTexts[name] : undefined;
  if (done?.none && count === 0) notices.push({ tone: "info", title: "Nothing changed", text: done.none });
  else if (done) notices.push({ tone: "success", title: "Done", text: done.some(count) });
  const refused = findRefusal(searchParams.get("fault"));
  if (refused) notices.push(describeRefusal(refused, readWait(searchParams.get("until"), nowMs)));
  if (faults.length > 0) {
    notices.push({ tone: "problem", title: "Part of the address could not be used", text: faults.join(" ") });
  }
  return notices;
}

/** For a refusal while making the page itself. */
export function noticesOfRefusal({ slug, members: { retryAfter } }: Refusal): PageNotice[] {
  const refused = findRefusal(slug);
  return refused ? [describeRefusal(refused, typeof retryAfter === "number" ? retryAfter : null)] : [];
}

/** If the wait is known. */
const remediesWithWait: PageRemedies = {
  "too-many-requests": { remedy: "Your input was not checked." },
};

function describeRefusal(entry: RefusalEntry, waitSeconds: number | null): PageNotice {
  const refused = { ...entry, detail: null, retryAfterSeconds: waitSeconds, requestId: null };
  const { title, remedy } = noticeForRefused(refused, waitSeconds === null ? {} : remediesWithWait);
  const text = remedy.replaceAll("`", "");
  return { tone: "problem", title, text, ...(waitSeconds !== null && { waitSeconds }) };
}

/** The longest window a limit can have. */
const maxWaitSeconds = 999_999;

function readWait(until: string | null, nowMs: number): number | null {
  const seconds = /^\d{1,12}$/.exec(until ?? "")?.[0];
  if (seconds === undefined) return null;
  return Math.min(maxWaitSeconds, Math.max(0, Number(seconds) - Math.floor(nowMs / 1_000)));
}
