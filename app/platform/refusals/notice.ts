import { refusalTable } from "./refusal";
import type { RefusalEntry } from "./refusal-rows";

export type NoticeText = {
  title: string;
  detail: string | null;
  remedy: string;
  /** By this device's clock; null if there is nothing to wait for. */
  retryAtMs?: number | null;
  /** A page of ours that says more. */
  pagePath?: string | null;
  /** For the operator, to find the request in the log. */
  requestId?: string | null;
};

/** A refusal as a client received it. */
export type Refused = {
  /** Empty if an intermediary responded instead. */
  slug: string;
  status: number;
  title: string;
  detail: string | null;
  retryAfterSeconds: number | null;
  requestId: string | null;
};

export type RefusedResponse = {
  status: number;
  body: unknown;
  headers?: { get: (name: string) => string | null };
};

/** A page's own words by slug, because the table's also address API clients. */
export type PageRemedies = Readonly<Record<string, PageRemedy>>;
export type PageRemedy = { remedy: string; title?: string };

export const unreached = {
  title: "The server did not answer",
  remedy: "Check your connection and try again.",
};

const lastRemedy = "Try again; if it stays like this, tell whoever runs this site.";

/** Reads Problem Details, `{error, details}` and JSON-RPC errors. The slug is in the header or in `type`. */
export function readRefused({ status, body, headers }: RefusedResponse): Refused {
  const { type, title, error, detail, details, errors, retryAfter, instance } = asRecord(body);
  const slug = headers?.get("X-Problem") ?? /\/problems\/([^/]+)$/.exec(textOf(type) ?? "")?.[1] ?? "";
  const { message } = asRecord(error);
  const issue = asRecord(Array.isArray(errors) ? errors[0] : null);
  return {
    slug: /^[a-z0-9-]+$/.test(slug) ? slug : "",
    status,
    title: textOf(title) ?? textOf(error) ?? textOf(message) ?? `The server answered with status ${status}`,
    detail: textOf(details) ?? textOf(detail) ?? textOf(issue.message),
    retryAfterSeconds: secondsOf(retryAfter) ?? secondsOf(headers?.get("Retry-After")),
    requestId: textOf(instance),
  };
}

export function noticeForRefused(refused: Refused, remedies: PageRemedies, nowMs = Date.now()): NoticeText {
  const { slug, status, title, detail, retryAfterSeconds, requestId } = refused;
  const entry = findRefusal(slug);
  const own = Object.hasOwn(remedies, slug) ? remedies[slug] : undefined;
  return {
    title: own?.title ?? title,
    detail: own?.title ? `The server says: ${title}.` : (detail ?? entry?.meaning ?? null),
    remedy: own?.remedy ?? entry?.remedy ?? lastRemedy,
    retryAtMs: retryAfterSeconds === null ? null : nowMs + retryAfterSeconds * 1_000,
    pagePath: entry ? `/problems/${slug}` : null,
    requestId: status >= 500 ? requestId : null,
  };
}

export function findRefusal(slug: string | null): RefusalEntry | undefined {
  return Object.values(refusalTable).find((entry) => entry.slug === slug);
}

export function asRecord(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

function textOf(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}

export function secondsOf(value: unknown): number | null {
  const seconds = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  return typeof seconds === "number" && Number.isFinite(seconds) && seconds >= 0 ? Math.ceil(seconds) : null;
}
