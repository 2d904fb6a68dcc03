import * as z from "zod";
import { documentedKeyName } from "~/gate/kinds/keys.openapi";
import { tokenIdSchema } from "~/gate/kinds/token-id";
import { calledByHolder } from "~/gate/admission/token-placement.openapi";
import type { ApiRegistry, OperationDescription } from "~/platform/openapi/api-registry";
import { respondsJson, jsonContent } from "~/platform/openapi/json-content";
import { errorContent } from "~/platform/openapi/problem-answers";
import { quotaResetAnswerSchema, quotaScopeSchema, quotaViewSchema } from "./quota.schema";

const tag = "Quota";

export function describeQuota(api: ApiRegistry): void {
  api.addTag({ name: tag, description: "How much a key has left." });
  api.addSecurityScheme("quotaResetSecret", {
    type: "http",
    scheme: "bearer",
    description: "The operator's AI_QUOTA_RESET_SECRET, for /api/quota-reset alone.",
  });
  const description = "The same secret in another place.";
  const alternative = { type: "apiKey", description } as const;
  api.addSecurityScheme("quotaResetHeader", { ...alternative, in: "header", name: "x-quota-reset-secret" });
  api.addSecurityScheme("quotaResetAiHeader", {
    ...alternative,
    in: "header",
    name: "x-ai-quota-reset-secret",
  });
  api.addSecurityScheme("quotaResetQuery", { ...alternative, in: "query", name: "secret" });
  api.describe(getQuotaOperation);
  api.describe(resetQuotasOperation);
}

const secret = z
  .string()
  .optional()
  .describe("The operator's secret, where it is neither in a header nor in the query.");
const addresses = z
  .array(z.string().regex(/^0x[0-9a-fA-F]{40}$/))
  .min(1)
  .max(500);
const scope = quotaScopeSchema.optional();

/** The rules that quotaResetBodySchema applies after parsing, written as shapes. */
const resetBody = z.union([
  z.object({ secret, scope, all: z.literal(true) }).meta({ id: "ResetAllQuotas" }),
  z
    .object({
      secret,
      scope: z.enum(["token", "both"]).optional(),
      tokenIds: z.array(tokenIdSchema).min(1).max(500),
      key: documentedKeyName,
    })
    .meta({ id: "ResetQuotasOfKeys" }),
  z
    .object({ secret, scope: z.enum(["crypto", "both"]).optional(), addresses })
    .meta({ id: "ResetQuotasOfWallets" }),
]);

export const getQuotaOperation = {
  method: "get",
  path: "/api/quota",
  operationId: "getQuota",
  tag,
  summary: "Ask how much is left",
  description:
    "The token is looked for in the Authorization header, the cookies `access_token` and `jwt`, and the query `jwt`, in this order; the first one present decides. Its key has to be in the wallet still.",
  limit: "quota",
  caller: calledByHolder({ scope: "chat", isRequired: true }),
  refusalContent: errorContent,
  answers: respondsJson("The quota of the key that the token was made for.", {
    schema: quotaViewSchema.meta({ id: "Quota" }),
    example: {
      active: true,
      limit: 20_000,
      used: 1280,
      reserved: 2000,
      remaining: 16_720,
      resetAt: "2026-01-16T09:30:00.000Z",
    },
  }),
} satisfies OperationDescription;

export const resetQuotasOperation: OperationDescription = {
  method: "post",
  path: "/api/quota-reset",
  operationId: "resetQuotas",
  tag,
  summary: "Reset quotas",
  description:
    "For the operator. The secret is looked for in `x-quota-reset-secret`, `x-ai-quota-reset-secret`, `Authorization: Bearer`, the body's `secret` and the query's `secret`; the first one present decides.",
  limit: "quota-reset",
  maxBodyBytes: 16 * 1024,
  caller: {
    security: ["quotaResetHeader", "quotaResetAiHeader", "quotaResetSecret", "quotaResetQuery"],
    refusals: ["quota-reset-unauthorized", "quota-reset-disabled", "state-service-inactive"],
  },
  body: {
    required: true,
    content: jsonContent({
      schema: resetBody,
      examples: {
        all: { summary: "Every window", value: { scope: "both", all: true } },
        ids: { summary: "Of two keys", value: { scope: "token", tokenIds: ["42", "43"] } },
      },
    }),
  },
  refusalContent: errorContent,
  answers: respondsJson("The windows are cleared.", {
    schema: quotaResetAnswerSchema.meta({ id: "QuotasReset" }),
    example: { ok: true, scope: "both", mode: "all", token: { deleted: 3 }, crypto: { deleted: 0 } },
  }),
};
