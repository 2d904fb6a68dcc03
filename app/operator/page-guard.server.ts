import { redirect } from "@remix-run/node";
import { Refusal } from "~/platform/http/refusal";
import type { RequestContext } from "~/platform/http/request-context.server";
import type { OperatorSession } from "./sessions.store.server";

export const signInPath = "/operator/sign-in";
export const firstPath = "/operator/state";
export const noStore = { "Cache-Control": "no-store" };

/** What pages are shown with where the view is switched off. */
export function switchedOff(): Response {
  return new Response("operator-off", { status: 404, headers: noStore });
}

/** Of a page's loader: whoever is not signed in is led to where that is done, and back. */
export async function requireOperatorPage(
  context: RequestContext,
  requireSession: (request: { cookie: string | undefined }) => Promise<OperatorSession>,
): Promise<OperatorSession> {
  try {
    return await requireSession({ cookie: context.headers.cookie });
  } catch (error) {
    if (!(error instanceof Refusal) || error.refusalName !== "operator-sign-in-needed") throw error;
    const search = context.searchParams.toString();
    const next = `${context.pathname.replace(/\.data$/, "")}${search ? `?${search}` : ""}`;
    throw redirect(`${signInPath}?${new URLSearchParams({ next })}`, { headers: noStore });
  }
}

/** A page of this view, and nothing that only looks like one. */
export function readNext(text: string | null): string {
  if (!text?.startsWith("/operator/") || /[\\\s]/.test(text)) return firstPath;
  const { origin, pathname, search } = new URL(text, "http://operator.invalid");
  const isOwn = origin === "http://operator.invalid" && pathname.startsWith("/operator/");
  return isOwn && pathname !== signInPath ? `${pathname}${search}` : firstPath;
}
