import { systemClock } from "~/platform/clock";
import { TextAnswer, answerProblem } from "~/platform/http/answer.server";
import type { Answer } from "~/platform/http/answer.server";
import { originHost } from "~/platform/http/domains";
import { Refusal } from "~/platform/http/refusal";
import type { RefusalName } from "~/platform/http/refusal";
import type { RequestContext } from "~/platform/http/request-context.server";
import type { RefusedRequest } from "~/platform/http/route.server";
import { signInPath } from "./page-guard.server";

export const maxFormBytes = 8_192;

/**
 * Only this site's own pages send forms. The cookie ensures as much (`SameSite=Strict`); this also holds where a browser
 * does not know that, and for the sign-in, which has no cookie yet.
 */
export function requireOwnForm({ headers, host, service }: RequestContext): void {
  const { origin, "sec-fetch-site": site } = headers;
  const isOwn =
    origin !== undefined && (origin === service.origin || (host !== null && originHost(origin) === host));
  if (isOwn && (site === undefined || site === "same-origin")) return;
  throw new Refusal("cross-site-request", {
    detail: "This form has to be sent by a page of this very site. Programs name it in the Origin header.",
  });
}

/** Redirects to a page, which is then fetched: going back does not send the form again. */
export function seeOther(to: string, cookie?: string): TextAnswer {
  const headers = { Location: to, "Cache-Control": "no-store", ...(cookie && { "Set-Cookie": cookie }) };
  return new TextAnswer({ status: 303, headers, text: "" });
}

/** No form of ours meets these. */
const onlyForPrograms = new Set<RefusalName>(["not-found", "method-not-allowed", "internal-error"]);

/** A person is told on the sign-in page what was wrong; a program gets the refusal itself. */
export function answerFormRefusal(refused: RefusedRequest): Answer {
  const { refusal, headers } = refused;
  const wantsPage = /\btext\/html\b/i.test(headers.accept ?? "");
  if (!wantsPage || onlyForPrograms.has(refusal.refusalName)) return answerProblem(refused);
  const params = new URLSearchParams({ fault: refusal.slug });
  const { retryAfter } = refusal.members;
  // A moment stays true however often the page is loaded again; a number of seconds would not.
  if (typeof retryAfter === "number")
    params.set("until", String(Math.ceil(systemClock() / 1_000) + retryAfter));
  return seeOther(`${signInPath}?${params}`);
}
