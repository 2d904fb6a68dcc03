import type { AdmitDependencies } from "../admission/admit.server";
import type { AccessClaims } from "../tokens/access-token.schema";
import { writeSessionCookie } from "../tokens/token-locations";
import {
  identifySession,
  openSession,
  prolongSession,
  readSession,
  renewSession,
  signOut,
  startSession,
} from "./session.server";
import type { KeptSession, SessionCaller, SessionDependencies, SessionRequest } from "./session.server";
import { readVisit } from "./visit.server";

type CookieCarrier = Pick<SessionRequest, "cookie">;
type Visitor = Pick<SessionRequest, "cookie" | "host">;

export type SessionServices = ReturnType<typeof createSession>;

/** The session of the gate's own page, in a cookie. */
export function createSession(
  dependencies: SessionDependencies & AdmitDependencies & Parameters<typeof signOut>[1],
) {
  const { origin } = dependencies;
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
      "Set-Cookie": writeSessionCookie(token, session.secondsLeft, origin),
    }),
    /** The claims of the session that ends, if there is one, and the header that deletes its cookie. */
    signOut: async ({ cookie }: CookieCarrier) => ({
      claims: await signOut(cookie, dependencies),
      headers: { "Set-Cookie": writeSessionCookie("", 0, origin) },
    }),
    read: ({ cookie }: CookieCarrier) => readSession(cookie, dependencies),
    /** All of it at once, for the page as the server draws it. */
    visit: ({ cookie, host }: Visitor) =>
      readVisit(cookie, {
        origin,
        readSession: () => readSession(cookie, dependencies),
        open: async () => open(await identify({ ask: { open: true }, cookie, host })),
      }),
  };
}
