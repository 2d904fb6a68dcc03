import { redirect } from "@remix-run/node";
import { Refusal } from "~/platform/refusals/refusal";
import type { RequestContext } from "~/platform/http/request-context.server";

export const signInPath = "/operator/sign-in";
export const firstPath = "/operator/state";
/** A longer address is dropped: it grows each time it is written into another. */
const maxNextChars = 1_000;
export const noStore = { "Cache-Control": "no-store" };

/** If the view is switched off, the page says so. */
export function requireSwitchedOn<Services>(operator: Services | null): Services {
  if (operator !== null) return operator;
  throw new Response("operator-off", { status: 404, headers: noStore });
}

type SessionGuard = { requireSession: (request: { cookie: string | undefined }) => Promise<void> };

/** Redirects to the sign-in, and from there back. */
export async function requireOperatorPage<Services extends SessionGuard>(
  context: RequestContext,
  services: Services | null,
): Promise<Services> {
  const operator = requireSwitchedOn(services);
  try {
    await operator.requireSession({ cookie: context.headers.cookie });
    return operator;
  } catch (error) {
    if (!(error instanceof Refusal) || error.refusalName !== "operator-sign-in-needed") throw error;
    const search = context.searchParams.toString();
    const next = `${context.pathname.replace(/\.data$/, "")}${search ? `?${search}` : ""}`;
    const query = next.length > maxNextChars ? "" : `?${new URLSearchParams({ next })}`;
    throw redirect(`${signInPath}${query}`, { headers: noStore });
  }
}

/** A page of this view, and nothing that only looks like one. */
export function readNext(text: string | null): string {
  if (!text?.startsWith("/operator/") || /[\\\s]/.test(text)) return firstPath;
  const { origin, pathname, search } = new URL(text, "http://operator.invalid");
  const isOwn = origin === "http://operator.invalid" && pathname.startsWith("/operator/");
  return isOwn && pathname !== signInPath ? `${pathname}${search}` : firstPath;
}
