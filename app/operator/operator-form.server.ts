import type { ActionFunctionArgs } from "@remix-run/node";
import { systemClock } from "~/platform/time/clock";
import { readForm } from "~/platform/http/body/body.server";
import type { RequestContext } from "~/platform/http/request-context.server";
import { noteRefusal, toRefusal } from "~/platform/http/to-refusal.server";
import type { Actor } from "./sessions.store.server";
import { noStore, signInPath } from "./page-guard.server";

const maxFormBytes = 8_192;

/**
 * An action of the operator's pages. `admit` refuses a sender before the form is received. A person reads the refusal
 * on the sign-in page; a program gets it as such.
 */
export async function handleForm(
  { request, context }: Pick<ActionFunctionArgs, "request" | "context">,
  admit: () => Promise<unknown>,
  handle: (form: URLSearchParams, actor: Actor) => Promise<Response>,
): Promise<Response> {
  const { clientId, requestId } = context;
  try {
    await admit();
    return await handle(await readForm({ request, context }, maxFormBytes), { clientId, requestId });
  } catch (error) {
    const refusal = toRefusal(error);
    if (!isFromPage(context) || refusal.refusalName === "internal-error") throw refusal;
    noteRefusal(refusal, context);
    const params = new URLSearchParams({ fault: refusal.slug });
    const { retryAfter } = refusal.members;
    // A timestamp stays true however often the page is loaded; a number of seconds would not.
    if (typeof retryAfter === "number")
      params.set("until", String(Math.ceil(systemClock() / 1_000) + retryAfter));
    return seeOther(`${signInPath}?${params}`);
  }
}

/** Sent by a browser, or by the framework's script. */
function isFromPage({ headers, pathname }: RequestContext): boolean {
  return pathname.endsWith(".data") || /\btext\/html\b/i.test(headers.accept ?? "");
}

/** Redirects to a page, so that going back does not send the form again. */
export function seeOther(to: string, cookie?: string): Response {
  const headers = { Location: to, ...noStore, ...(cookie && { "Set-Cookie": cookie }) };
  return new Response(null, { status: 303, headers });
}
