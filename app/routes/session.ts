import { requireSameSite } from "~/gate/caller.server";
import { clearSessionCookie, writeSessionCookie } from "~/gate/tokens/token-locations";
import {
  endSessionOperation,
  getSessionOperation,
  keepSessionOperation,
} from "~/gate/tokens/session.openapi";
import { sessionBodySchema } from "~/gate/tokens/session.schema";
import type { KeptSession } from "~/gate/tokens/session.server";
import { answerJson } from "~/platform/http/answer.server";
import type { Answer } from "~/platform/http/answer.server";
import type { RequestContext } from "~/platform/http/request-context.server";
import { defineRoute } from "~/platform/http/route.server";
import { getServices } from "~/services.server";

export const { loader, action } = defineRoute({
  GET: {
    operation: getSessionOperation,
    handle: async ({ context }) => {
      requireOwnPage(context);
      return getServices().gate.session.read({ cookie: context.headers.cookie });
    },
  },
  POST: {
    operation: keepSessionOperation,
    body: sessionBodySchema,
    decidesAccess: true,
    handle: async ({ context, body }) => {
      requireOwnPage(context);
      const { session } = getServices().gate;
      const { authorization, cookie } = context.headers;
      if (body?.open) {
        return session.open({
          cookie,
          clientId: context.clientId,
          host: context.host,
          onIdentified: ({ kind, address, tokenId }) => {
            context.accessClaim = { proof: kind, address, tokenId };
          },
        });
      }
      if (body?.renew) return answerKept(await session.renew({ cookie }), context);
      return answerKept(await session.start({ authorization }), context);
    },
  },
  DELETE: {
    operation: endSessionOperation,
    handle: ({ context }) => {
      requireOwnPage(context);
      const cookie = clearSessionCookie(isSecure(context));
      return answerJson({ body: { signedIn: false }, headers: { "Set-Cookie": cookie } });
    },
  },
});

function requireOwnPage({ headers, service }: RequestContext): void {
  requireSameSite(headers, service);
}

/** The cookie goes when its token does, by the server's own clock. */
function answerKept(kept: KeptSession, context: RequestContext): Answer {
  const { token, session } = kept;
  context.accessClaim = { proof: "bearer", address: session.address, tokenId: session.tokenId };
  const cookie = writeSessionCookie(token, session.secondsLeft, isSecure(context));
  return answerJson({ body: session, headers: { "Set-Cookie": cookie } });
}

function isSecure({ service }: RequestContext): boolean {
  return service.origin.startsWith("https:");
}
