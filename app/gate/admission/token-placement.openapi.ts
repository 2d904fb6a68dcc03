import * as z from "zod";
import type { CallerDescription } from "~/platform/openapi/api-registry";
import { exampleAccessToken } from "./gate-examples";
import type { CallerRule } from "../tokens/access-token.schema";

/** The last place to look for an access token. */
export const accessTokenQuery = z.object({
  jwt: z
    .string()
    .optional()
    .meta({
      description: "The access token, for clients that can send it in no other way.",
      param: { example: exampleAccessToken },
    }),
});

/** The route's rule, with what follows from it for its description. */
export function calledByHolder<Rule extends CallerRule>(rule: Rule): Rule & CallerDescription {
  return {
    ...rule,
    security: ["bearerAuth", "sessionCookie", ...(rule.isRequired === true ? [] : ["none"])],
    query: accessTokenQuery,
    refusals: ["missing-jwt", "invalid-jwt", "cross-site-request", "chain-unavailable"],
  };
}

export const accessTokenMembers = {
  jwt: z.string().nullish().describe("The access token."),
  data: z.object({ jwt: z.string().nullish() }).nullish(),
};

export const tokenLocations =
  "an access token: in the Authorization header, `jwt` or `data.jwt` of the body, a cookie `access_token` or `jwt`, or the query `jwt`. The first of these that is present decides. With each use the key has to be in the wallet still: a token whose key is gone is 401 like any other bad one, and while the chain cannot be asked the answer is 503.";

export const badTokenIsNone =
  "Where none is required, whoever sends a bad one, or one that cannot be judged, is served as a stranger.";
