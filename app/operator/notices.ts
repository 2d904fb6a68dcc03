import { refusalTable } from "~/platform/http/refusal";

/** What the last form came to, or what in the address could not be used. */
export type PageNotice = { tone: "success" | "problem" | "info"; title: string; text: string };

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
export function readNotices({
  searchParams,
  faults = [],
}: {
  searchParams: URLSearchParams;
  faults?: readonly string[];
}): PageNotice[] {
  const count = Number(/^\d{1,9}$/.exec(searchParams.get("count") ?? "")?.[0] ?? 0);
  const doneName = searchParams.get("done") ?? "";
  const done = Object.hasOwn(doneNotices, doneName) ? doneNotices[doneName]?.(count) : undefined;
  const slug = searchParams.get("fault");
  const refused = Object.values(refusalTable).find((entry) => entry.slug === slug);
  const wait = /^\d{1,6}$/.exec(searchParams.get("wait") ?? "")?.[0];
  const problem = (title: string, text: string): PageNotice => ({ tone: "problem", title, text });
  return [
    ...(done ? [done] : []),
    ...(refused
      ? [
          problem(
            refused.title,
            wait ? `Wait ${wait} seconds, then try again.` : refused.remedy.replaceAll("`", ""),
          ),
        ]
      : []),
    ...(faults.length > 0 ? [problem("Part of the address could not be used", faults.join(" "))] : []),
  ];
}
