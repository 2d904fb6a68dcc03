import { sessionOperations } from "~/gate/session/session.openapi";
import { sessionBodySchema } from "~/gate/session/session.schema";
import { jsonResponse } from "~/platform/http/responses.server";
import { defineRoute } from "~/platform/http/route.server";
import { getServices } from "~/services.server";
import { sessionProof } from "~/services/callers.server";

export const { loader, action } = defineRoute({
  GET: {
    operation: sessionOperations.getSession,
    sameSite: true,
    handle: ({ context }) => getServices().gate.session.read({ cookie: context.headers.cookie }),
  },
  POST: {
    operation: sessionOperations.keepSession,
    body: sessionBodySchema,
    sameSite: true,
    proof: sessionProof,
    decidesAccess: true,
    siteOf: (body) =>
      body?.door === undefined ? null : getServices().door.requireDestination(body.door).site.host,
    handle: async ({ body, caller }) => {
      const { gate, door } = getServices();
      const { session: service } = gate;
      if (body?.door !== undefined && body.start !== undefined) {
        const { goTo, kept } = await door.goOn({ door: body.door, start: body.start, caller });
        return jsonResponse({ body: { goTo }, headers: kept ? service.keepCookie(kept) : {} });
      }
      if (body?.open) return service.open(caller);
      const kept = await (body?.renew ? service.renew(caller) : service.start(caller));
      return jsonResponse({ body: kept.session, headers: service.keepCookie(kept) });
    },
  },
  DELETE: {
    operation: sessionOperations.endSession,
    sameSite: true,
    handle: async ({ context }) =>
      jsonResponse({
        body: { signedIn: false },
        headers: await getServices().signOut({ cookie: context.headers.cookie }),
      }),
  },
});
