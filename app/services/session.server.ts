import { renderWelcomeHtml } from "~/content/welcome-html.server";
import type { Admission } from "~/gate/admit.server";
import type { IdentifyRequest } from "~/gate/identify.server";
import { readSession, renewSession, requireSessionToken, startSession } from "~/gate/tokens/session.server";
import type { SessionDependencies } from "~/gate/tokens/session.server";
import { readVisit } from "~/gate/visit.server";
import type { VisitDependencies } from "~/gate/visit.server";
import { withDependencies } from "./with-dependencies";

type Client = Pick<IdentifyRequest, "clientId" | "host" | "onIdentified">;
type OpenRequest = Client & { cookie: string | undefined };

/** The session of the gate's own page, in a cookie. */
export function wireSession(
  dependencies: SessionDependencies,
  admit: (request: Client & { authorization: string; body: undefined }) => Promise<Admission>,
) {
  /** What the gate opens for a Bearer token, for the one in the cookie. */
  const open = async ({ cookie, ...client }: OpenRequest) =>
    admit({ ...client, authorization: `Bearer ${requireSessionToken(cookie)}`, body: undefined });
  const read = withDependencies(readSession, dependencies);
  return {
    start: withDependencies(startSession, dependencies),
    read,
    renew: withDependencies(renewSession, dependencies),
    open,
    /** All of it at once, for the page as the server draws it. */
    visit: (request: OpenRequest & Pick<VisitDependencies, "requireWithinLimit">) => {
      const { requireWithinLimit, ...opened } = request;
      return readVisit(request.cookie, {
        origin: dependencies.origin,
        requireWithinLimit,
        readSession: () => read({ cookie: request.cookie }),
        open: () => open(opened),
        renderWelcome: renderWelcomeHtml,
      });
    },
  };
}
