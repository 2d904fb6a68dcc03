import { systemClock } from "~/platform/clock";
import { TextAnswer } from "~/platform/http/answer.server";
import { originHost } from "~/platform/http/domains";
import { Refusal } from "~/platform/http/refusal";
import type { RequestContext } from "~/platform/http/request-context.server";
import { signInPath } from "./page-guard.server";

const maxFormBytes = 8_192;

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

export async function readForm(context: RequestContext): Promise<URLSearchParams> {
  const { headers } = context;
  const type = headers["content-type"] ?? "";
  if (!/^application\/x-www-form-urlencoded(;|$)/i.test(type) || headers["content-encoding"]) {
    const detail = "Send the form as application/x-www-form-urlencoded.";
    throw new Refusal("unsupported-media-type", { detail });
  }
  return new URLSearchParams((await context.readBody(maxFormBytes)).toString("utf8"));
}

/** On to a page, which is fetched anew: going back does not send the form again. */
export function seeOther(to: string, cookie?: string): TextAnswer {
  const headers = { Location: to, "Cache-Control": "no-store", ...(cookie && { "Set-Cookie": cookie }) };
  return new TextAnswer({ status: 303, headers, text: "" });
}

/** A person is told on the sign-in page what was wrong; a program gets the refusal itself. */
export async function answerForm(
  context: RequestContext,
  work: () => Promise<TextAnswer>,
): Promise<TextAnswer> {
  try {
    return await work();
  } catch (error) {
    const wantsPage = /\btext\/html\b/i.test(context.headers.accept ?? "");
    if (!(error instanceof Refusal) || !wantsPage) throw error;
    context.service.countRefusal(error.slug);
    const params = new URLSearchParams({ fault: error.slug });
    const { retryAfter } = error.members;
    // A moment stays true however often the page is loaded again; a number of seconds would not.
    if (typeof retryAfter === "number")
      params.set("until", String(Math.ceil(systemClock() / 1_000) + retryAfter));
    return seeOther(`${signInPath}?${params}`);
  }
}
