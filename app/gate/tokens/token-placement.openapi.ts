import { z } from "zod";
import { exampleAccessToken } from "../gate-examples";

/** The last location where an access token is looked for. */
export const accessTokenQuery = z.object({
  jwt: z
    .string()
    .optional()
    .meta({
      description: "The access token, for clients that can send it in no other way.",
      param: { example: exampleAccessToken },
    }),
});

export const accessTokenMembers = {
  jwt: z.string().nullish().describe("The access token."),
  data: z.object({ jwt: z.string().nullish() }).nullish(),
};

/** The sentence's beginning says when one is needed. */
export const tokenLocations =
  "an access token: in the Authorization header, `jwt` or `data.jwt` of the body, a cookie `access_token` or `jwt`, or the query `jwt`. The first of these that is present decides. With each use the key has to be in the wallet still: a token whose key is gone is 401 like any other bad one, and while the chain cannot be asked the answer is 503.";

export const badTokenIsNone =
  "Where none is required, whoever sends a bad one, or one that cannot be judged, is served as a stranger.";
