import type { Admission } from "~/gate/admit.server";
import { renderWelcomeHtml } from "~/content/welcome-html.server";
import type { IdentifyRequest } from "~/gate/identify.server";
import type { SignedIn, SignedOut } from "~/gate/tokens/session.schema";
import { readSession, renewSession, requireSessionToken, startSession } from "~/gate/tokens/session.server";
import type { KeptSession, SessionDependencies } from "~/gate/tokens/session.server";
import { readVisit } from "~/gate/visit.server";
import type { VisitDependencies } from "~/gate/visit.server";
import type { GateVisit } from "~/gate/visit";

type CookieCarrier = { cookie: string | undefined };
type Client = Pick<IdentifyRequest, "clientId" | "host" | "onIdentified">;

/** The session of the gate's own page, in a cookie. */
export type SessionServices = {
  start: (request: { authorization: string | undefined }) => Promise<KeptSession>;
  read: (request: CookieCarrier) => Promise<SignedIn | SignedOut>;
  renew: (request: CookieCarrier) => Promise<KeptSession>;
  /** What the gate opens for a Bearer token, for the one in the cookie. */
  open: (request: CookieCarrier & Client) => Promise<Admission>;
  /** All of it at once, for the page as the server draws it. */
  visit: (
    request: CookieCarrier & Client & Pick<VisitDependencies, "requireWithinLimit">,
  ) => Promise<GateVisit>;
};

export function wireSession(
  dependencies: SessionDependencies,
  admit: (request: Client & { authorization: string; body: undefined }) => Promise<Admission>,
): SessionServices {
  const open = async ({ cookie, ...client }: CookieCarrier & Client) =>
    admit({ ...client, authorization: `Bearer ${requireSessionToken(cookie)}`, body: undefined });

  return {
    start: ({ authorization }) => startSession(authorization, dependencies),
    read: ({ cookie }) => readSession(cookie, dependencies),
    renew: ({ cookie }) => renewSession(cookie, dependencies),
    open,
    visit: ({ requireWithinLimit, ...request }) =>
      readVisit(request.cookie, {
        origin: dependencies.origin,
        requireWithinLimit,
        readSession: () => readSession(request.cookie, dependencies),
        open: () => open(request),
        renderWelcome: renderWelcomeHtml,
      }),
  };
}
