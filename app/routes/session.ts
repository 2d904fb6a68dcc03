import { clearSessionCookie, writeSessionCookie } from "~/gate/tokens/token-locations";
import {
  endSessionOperation,
  getSessionOperation,
  keepSessionOperation,
} from "~/gate/tokens/session.openapi";
import { sessionBodySchema } from "~/gate/tokens/session.schema";
import { answerJson } from "~/platform/http/answer.server";
import type { RequestContext } from "~/platform/http/request-context.server";
import { defineRoute } from "~/platform/http/route.server";
import { getServices } from "~/services.server";

export const { loader, action } = defineRoute({
  GET: {
    operation: getSessionOperation,
    sameSite: true,
    handle: ({ context }) => getServices().gate.session.read({ cookie: context.headers.cookie }),
  },
  POST: {
    operation: keepSessionOperation,
    body: sessionBodySchema,
    sameSite: true,
    decidesAccess: true,
    handle: async ({ context, body, noteClaim }) => {
      const service = getServices().gate.session;
      const { clientId, host, headers } = context;
      const { authorization, cookie } = headers;
      if (body?.open) return service.open({ cookie, clientId, host, noteClaim });
      const kept = body?.renew ? await service.renew({ cookie }) : await service.start({ authorization });
      const { token, session } = kept;
      const { address, tokenId, secondsLeft } = session;
      noteClaim({ proof: "bearer", address, tokenId });
      // The cookie expires with its token, by the server's own clock.
      const keptCookie = writeSessionCookie(token, secondsLeft, isSecure(context));
      return answerJson({ body: session, headers: { "Set-Cookie": keptCookie } });
    },
  },
  DELETE: {
    operation: endSessionOperation,
    sameSite: true,
    handle: ({ context }) => {
      const cookie = clearSessionCookie(isSecure(context));
      return answerJson({ body: { signedIn: false }, headers: { "Set-Cookie": cookie } });
    },
  },
});

function isSecure({ service }: RequestContext): boolean {
  return service.origin.startsWith("https:");
}
