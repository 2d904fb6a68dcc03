import { systemClock } from "~/platform/clock";
import { answerProblem } from "~/platform/http/answer.server";
import type { RefusalName } from "~/platform/http/refusal";
import type { RefusedRequest } from "~/platform/http/route.server";
import { signInPath } from "./page-guard.server";

export const maxFormBytes = 8_192;

/** Redirects to a page, which is then fetched: going back does not send the form again. */
export function seeOther(to: string, cookie?: string): Response {
  const headers = { Location: to, "Cache-Control": "no-store", ...(cookie && { "Set-Cookie": cookie }) };
  return new Response(null, { status: 303, headers });
}

/** No form of ours meets these. */
const onlyForPrograms = new Set<RefusalName>(["not-found", "method-not-allowed", "internal-error"]);

/** A person is told on the sign-in page what was wrong; a program gets the refusal itself. */
export function answerFormRefusal(refused: RefusedRequest): Response {
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
