import type { Admission } from "~/gate/admit.server";
import type { IdentifyRequest } from "~/gate/identify.server";
import { readSession, renewSession, requireSessionToken, startSession } from "~/gate/tokens/session.server";
import type { SessionDependencies } from "~/gate/tokens/session.server";
import { readVisit } from "~/gate/visit.server";
import type { VisitDependencies } from "~/gate/visit.server";

type Client = Pick<IdentifyRequest, "clientId" | "host" | "noteClaim">;
type CookieCarrier = { cookie: string | undefined };
type OpenRequest = Client & CookieCarrier;

/** The session of the gate's own page, in a cookie. */
export function wireSession(
  dependencies: SessionDependencies,
  admit: (request: Client & { authorization: string; body: undefined }) => Promise<Admission>,
) {
  /** What the gate opens for a Bearer token, for the one in the cookie. */
  const open = async ({ cookie, ...client }: OpenRequest) =>
    admit({ ...client, authorization: `Bearer ${requireSessionToken(cookie)}`, body: undefined });
  return {
    start: ({ authorization }: { authorization: string | undefined }) =>
      startSession(authorization, dependencies),
    read: ({ cookie }: CookieCarrier) => readSession(cookie, dependencies),
    renew: ({ cookie }: CookieCarrier) => renewSession(cookie, dependencies),
    open,
    /** All of it at once, for the page as the server draws it. */
    visit: ({
      requireWithinLimit,
      ...request
    }: OpenRequest & Pick<VisitDependencies, "requireWithinLimit">) =>
      readVisit(request.cookie, {
        origin: dependencies.origin,
        requireWithinLimit,
        readSession: () => readSession(request.cookie, dependencies),
        open: () => open(request),
      }),
  };
}
