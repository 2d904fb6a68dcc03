import { findRefusal, noticeForRefused } from "~/platform/refusals/notice";
import type { PageRemedies } from "~/platform/refusals/notice";
import type { Refusal } from "~/platform/refusals/refusal";
import type { RefusalEntry } from "~/platform/refusals/refusal-rows";

/** What the last form came to, or what in the address could not be used. */
export type PageNotice = {
  tone: "success" | "problem" | "info";
  title: string;
  text: string;
  /** Until the same may be tried again, from when the page was made; 0 when that time has come. */
  waitSeconds?: number;
};

const counted = (count: number, one: string, many: string) => (count === 1 ? `1 ${one}` : `${count} ${many}`);

/** The notice says `none` where the count is 0. */
const doneTexts: Readonly<Record<string, { none?: string; some: (count: number) => string }>> = {
  retried: {
    none: "What is being sent at this moment, or was delivered meanwhile, is left alone.",
    some: (count) => `${counted(count, "notification is", "notifications are")} sent again now.`,
  },
  reset: {
    none: "There was no such window any more.",
    some: (count) => `${counted(count, "window was", "windows were")} reset.`,
  },
  handled: { none: "It was marked already.", some: () => "The submission is marked as handled." },
  reopened: { none: "It was open already.", some: () => "The submission is open again." },
  "signed-out": { some: () => "You are signed out." },
};

/** Only words of ours: of the address nothing but numbers is repeated. */
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

/** Of what was refused in making the page itself. */
export function noticesOfRefusal({ slug, members: { retryAfter } }: Refusal): PageNotice[] {
  const refused = findRefusal(slug);
  return refused ? [describeRefusal(refused, typeof retryAfter === "number" ? retryAfter : null)] : [];
}

/** Where it is known how long to wait. */
const remediesWithWait: PageRemedies = {
  "too-many-requests": { remedy: "What you sent was not looked at." },
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
