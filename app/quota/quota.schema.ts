import * as z from "zod";
import { tokenIdSchema } from "~/gate/kinds/token-id";

export const quotaViewSchema = z.object({
  active: z.boolean().describe("Whether the quota is in force on this server."),
  limit: z.int().describe("Estimated tokens in each window."),
  used: z.int(),
  reserved: z.int().describe("Set aside for answers that are being given."),
  remaining: z.int(),
  resetAt: z.string().nullable().describe("ISO 8601, UTC; null while no window is open."),
});
export type QuotaView = z.infer<typeof quotaViewSchema>;

const maxNamed = 500;

const addressSchema = z
  .string("Must be a wallet address: 0x and 40 hex digits.")
  .regex(/^0x[0-9a-fA-F]{40}$/, "Must be a wallet address: 0x and 40 hex digits.");

export const quotaScopeSchema = z.enum(["token", "crypto", "both"], "Must be token, crypto or both.");

/** Exactly one of `all`, `tokenIds` and `addresses`. */
export const quotaResetBodySchema = z
  .object(
    {
      scope: quotaScopeSchema.default("both"),
      all: z.literal(true, "Must be true, or left out.").optional(),
      tokenIds: z.array(tokenIdSchema).min(1).max(maxNamed).optional(),
      // Counts only if kinds of keys have names, and is checked there.
      key: z
        .unknown()
        .optional()
        .transform((name) => (name === undefined ? undefined : String(name))),
      addresses: z.array(addressSchema).min(1).max(maxNamed).optional(),
    },
    "The body must be a JSON object.",
  )
  .transform(({ scope, all, tokenIds, key, addresses }, checks): QuotaResetOrder => {
    const named = [all, tokenIds, addresses].filter((part) => part !== undefined);
    if (named.length !== 1) {
      return refuse(checks, "Send exactly one of all: true, tokenIds and addresses.");
    }
    if (tokenIds) {
      if (scope !== "crypto") return { scope, mode: "ids", tokenIds, ...(key !== undefined && { key }) };
      return refuse(checks, "Windows of the scope crypto are named by addresses, not tokenIds.");
    }
    if (addresses) {
      if (scope !== "token") return { scope, mode: "addresses", addresses };
      return refuse(checks, "Windows of the scope token are named by tokenIds, not addresses.");
    }
    return { scope, mode: "all" };
  });

type QuotaScope = z.infer<typeof quotaScopeSchema>;
export type QuotaResetOrder = { scope: QuotaScope } & (
  | { mode: "all" }
  | { mode: "ids"; tokenIds: string[]; key?: string }
  | { mode: "addresses"; addresses: string[] }
);

const deletedSchema = z.object({ deleted: z.int().describe("How many windows were cleared.") });

export const quotaResetAnswerSchema = z.object({
  ok: z.literal(true),
  scope: quotaScopeSchema,
  mode: z.enum(["all", "ids", "addresses"]),
  token: deletedSchema.optional(),
  crypto: deletedSchema.optional(),
});
export type QuotaResetAnswer = z.infer<typeof quotaResetAnswerSchema>;

function refuse(checks: z.RefinementCtx, message: string): never {
  checks.addIssue({ code: "custom", message });
  return z.NEVER;
}
