import * as z from "zod";

/** A SHA-256 as base64url. */
export const digestShape = /^[A-Za-z0-9_-]{43}$/;

/** Without a member, the token in the Authorization header becomes the session. */
export const sessionBodySchema = z
  .strictObject(
    {
      open: z
        .literal(true)
        .optional()
        .describe("Get what the key opens, as `POST /api/gate-access` answers it."),
      renew: z.literal(true).optional().describe("Get a younger token into the cookie, without a signature."),
      door: z
        .string()
        .max(8192)
        .optional()
        .describe("Go on to this address, on a site that this gate opens; with `start`."),
      start: z
        .string()
        .regex(digestShape)
        .optional()
        .describe("The digest of the cookie that the site gave the browser, as the site wrote it."),
    },
    { error: (issue) => (issue.code === "invalid_type" ? "The body must be a JSON object." : undefined) },
  )
  .refine(({ open, renew, door }) => [open, renew, door].filter((asked) => asked !== undefined).length < 2, {
    error: "Ask for one thing: open, renew, or door.",
  })
  .refine(({ door, start }) => (door === undefined) === (start === undefined), {
    error: "door and start go together.",
  });

export const signedInSchema = z
  .object({
    signedIn: z.literal(true),
    tokenId: z.string().describe("The key."),
    address: z.string().describe("The wallet, in lower case."),
    key: z.string().optional().describe("The name of the key's kind; absent where kinds have no names."),
    vault: z
      .string()
      .optional()
      .describe("The wallet that holds the key, in lower case, where the session is a delegate's."),
    expiresAt: z.string().describe("When the token in the cookie ends. ISO 8601, UTC."),
    secondsLeft: z.number().int().describe("Seconds until then, by the server's clock."),
    renewableUntil: z
      .string()
      .describe(
        "No token lasts beyond this without a new signature, and in the last 300 seconds none is renewed. ISO 8601, UTC.",
      ),
    isRenewable: z.boolean().describe("Whether a renewal now would make the session last longer."),
  })
  .meta({ id: "SignedIn" });

export const signedOutSchema = z
  .object({
    signedIn: z.literal(false),
    ended: z
      .object({ type: z.string(), title: z.string(), status: z.number().int(), detail: z.string() })
      .optional()
      .describe(
        "Why the session in the cookie is over, as the members of a Problem; absent without a cookie.",
      ),
  })
  .meta({ id: "SignedOut" });

export const goToSchema = z
  .object({ goTo: z.string().describe("Where the browser goes on to. Good once, for a minute.") })
  .meta({ id: "GoTo" });

export type SessionOrder = z.infer<typeof sessionBodySchema>;
export type SignedIn = z.infer<typeof signedInSchema>;
export type SignedOut = z.infer<typeof signedOutSchema>;
