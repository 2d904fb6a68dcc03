import { requireSameSite } from "~/gate/caller.server";
import { clearSessionCookie, writeSessionCookie } from "~/gate/session-cookie";
import { sessionBodySchema } from "~/gate/session.schema";
import type { KeptSession } from "~/gate/session.server";
import { answerJson } from "~/platform/http/answer.server";
import type { Answer } from "~/platform/http/answer.server";
import type { RequestContext } from "~/platform/http/request-context.server";
import { defineRoute } from "~/platform/http/route.server";
import { getServices } from "~/services.server";

/** Long enough for any body of this route. */
const maxBodyBytes = 4096;

export const { loader, action } = defineRoute({
  GET: {
    limit: "session",
    handle: async ({ context }) => {
      requireOwnPage(context);
      return getServices().gate.session.read({ cookie: context.headers.cookie });
    },
  },
  POST: {
    limit: "gate-access",
    body: sessionBodySchema,
    bodyOptional: true,
    maxBodyBytes,
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
      if (body?.renew) return answerKept({ kept: await session.renew({ cookie }), context });
      return answerKept({ kept: await session.start({ authorization }), context });
    },
  },
  DELETE: {
    handle: ({ context }) => {
      requireOwnPage(context);
      const cookie = clearSessionCookie({ isSecure: isSecure(context) });
      return answerJson({ body: { signedIn: false }, headers: { "Set-Cookie": cookie } });
    },
  },
});

function requireOwnPage({ headers, service }: RequestContext): void {
  requireSameSite({ headers, dependencies: service });
}

/** The cookie goes when its token does, by the server's own clock. */
function answerKept({ kept, context }: { kept: KeptSession; context: RequestContext }): Answer {
  const { token, session } = kept;
  context.accessClaim = { proof: "bearer", address: session.address, tokenId: session.tokenId };
  const maxAgeSeconds = session.secondsLeft;
  const cookie = writeSessionCookie({ token, maxAgeSeconds, isSecure: isSecure(context) });
  return answerJson({ body: session, headers: { "Set-Cookie": cookie } });
}

function isSecure({ service }: RequestContext): boolean {
  return service.origin.startsWith("https:");
}
