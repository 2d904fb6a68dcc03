import type { Clock } from "~/platform/clock";
import { TextAnswer } from "~/platform/http/answer.server";
import { originHost } from "~/platform/http/domains";
import { Refusal } from "~/platform/http/refusal";
import type { RequestContext } from "~/platform/http/request-context.server";

const maxFormBytes = 8_192;

/**
 * Forms are sent by this site's own pages and by nothing else. The cookie alone says as much (`SameSite=Strict`); this
 * holds as well where a browser does not know that, and for the form that has no cookie yet.
 */
export function requireOwnForm({ headers, host, service }: RequestContext): void {
  const { origin } = headers;
  const site = headers["sec-fetch-site"];
  const isOwn =
    origin !== undefined && (origin === service.origin || (host !== null && originHost(origin) === host));
  if (isOwn && (site === undefined || site === "same-origin")) return;
  throw new Refusal("cross-site-request", {
    detail: "This form has to be sent by a page of this very site. Programs name it in the Origin header.",
  });
}

export async function readForm(context: RequestContext): Promise<URLSearchParams> {
  const type = context.headers["content-type"] ?? "";
  if (!/^application\/x-www-form-urlencoded(;|$)/i.test(type) || context.headers["content-encoding"]) {
    throw new Refusal("unsupported-media-type", {
      detail: "Send the form as application/x-www-form-urlencoded.",
    });
  }
  return new URLSearchParams((await context.readBody(maxFormBytes)).toString("utf8"));
}

/** On to a page, which is fetched anew: sending the form again by going back is not possible. */
export function seeOther(to: string, cookie?: string): TextAnswer {
  return new TextAnswer({
    status: 303,
    headers: { Location: to, "Cache-Control": "no-store", ...(cookie ? { "Set-Cookie": cookie } : {}) },
    text: "",
  });
}

type AnswerFormOptions = {
  context: RequestContext;
  clock: Clock;
  /** Where the form is. */
  page: string;
  work: () => Promise<TextAnswer>;
};

/** Whoever sits before a page is told there what was wrong; a program gets the refusal itself. */
export async function answerForm({ context, page, clock, work }: AnswerFormOptions): Promise<TextAnswer> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Refusal) || !wantsPage(context)) throw error;
    context.service.countRefusal(error.slug);
    const [path, search = ""] = page.split("?");
    const params = new URLSearchParams(search);
    params.set("fault", error.slug);
    const { retryAfter } = error.members;
    // A moment stays true however often the page is loaded again; a number of seconds would not.
    if (typeof retryAfter === "number") params.set("until", String(Math.ceil(clock() / 1_000) + retryAfter));
    return seeOther(`${path}?${params}`);
  }
}

function wantsPage({ headers }: RequestContext): boolean {
  return /\btext\/html\b/i.test(headers.accept ?? "");
}
