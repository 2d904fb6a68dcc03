import type { AdmitDependencies } from "~/gate/admission/admit.server";
import type { AccessClaims } from "~/gate/tokens/access-token.schema";
import {
  identifySession,
  openSession,
  prolongSession,
  readSession,
  renewSession,
  signOut,
  startSession,
} from "~/gate/session/session.server";
import type {
  KeptSession,
  SessionCaller,
  SessionDependencies,
  SessionRequest,
} from "~/gate/session/session.server";
import { writeSessionCookie } from "~/gate/tokens/token-locations";
import { readVisit } from "~/gate/session/visit.server";

type CookieCarrier = Pick<SessionRequest, "cookie">;
type Visitor = Pick<SessionRequest, "cookie" | "host">;

/** The session of the gate's own page, in a cookie. */
export function wireSession(
  dependencies: SessionDependencies & AdmitDependencies & Parameters<typeof signOut>[1],
) {
  const identify = (request: SessionRequest) => identifySession(request, dependencies);
  const open = (caller: SessionCaller) => openSession(caller, dependencies);
  return {
    identify,
    open,
    start: (caller: SessionCaller) => startSession(caller, dependencies),
    renew: (caller: SessionCaller) => renewSession(caller, dependencies),
    prolong: (claims: AccessClaims, issuedAtSeconds: number) =>
      prolongSession(claims, issuedAtSeconds, dependencies),
    /** The cookie expires with its token, by the server's own clock. */
    keepCookie: ({ token, session }: KeptSession) => ({
      "Set-Cookie": writeSessionCookie(token, session.secondsLeft, dependencies.origin),
    }),
    signOut: ({ cookie }: CookieCarrier) => signOut(cookie, dependencies),
    read: ({ cookie }: CookieCarrier) => readSession(cookie, dependencies),
    /** All of it at once, for the page as the server draws it. */
    visit: ({ cookie, host }: Visitor) =>
      readVisit(cookie, {
        origin: dependencies.origin,
        readSession: () => readSession(cookie, dependencies),
        open: async () => open(await identify({ ask: { open: true }, cookie, host })),
      }),
  };
}
