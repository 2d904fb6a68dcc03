import { writeSessionCookie } from "~/gate/tokens/token-locations";
import type { RequestContext } from "~/platform/http/request-context.server";
import { getServices } from "~/services.server";

/** Ends the session with the answers that run for it. Returns the header that deletes the cookie. */
export async function signOut({ headers, service }: RequestContext): Promise<Record<string, string>> {
  const { gate, chat } = getServices();
  const claims = await gate.session.signOut({ cookie: headers.cookie });
  if (claims) await chat.resumable?.stopSession(claims);
  return { "Set-Cookie": writeSessionCookie("", 0, service.origin) };
}
