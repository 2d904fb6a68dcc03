import { z } from "zod";
import { tokenIdSchema } from "~/gate/token-id";
import { accessTokenQuery } from "~/gate/token-placement.openapi";
import type { ApiRegistry } from "~/platform/openapi/api-registry";
import { errorContent } from "~/platform/openapi/error-content";
import { quotaResetAnswerSchema, quotaScopeSchema, quotaViewSchema } from "./quota.schema";

const tag = "Quota";
const json = "application/json";

/** How much of the conversation a key has left, and the operator's way to begin anew. */
export function describeQuota(api: ApiRegistry): void {
  api.addTag({ name: tag, description: "How much of the conversation a key has left." });
  api.addBearerScheme({
    name: "quotaResetSecret",
    description: "The operator's AI_QUOTA_RESET_SECRET, for /api/quota-reset alone.",
  });
  api.describe({
    method: "get",
    path: "/api/quota",
    operationId: "getQuota",
    tag,
    summary: "Ask how much is left",
    description:
      "The token is looked for in the Authorization header, the cookies `access_token` and `jwt`, and the query `jwt`, in this order; the first one present decides.",
    security: ["bearerAuth", "sessionCookie"],
    parameters: { query: accessTokenQuery },
    refusals: ["missing-jwt", "invalid-jwt", "cross-site-request"],
    refusalContent: errorContent,
    answers: {
      200: {
        description: "The quota of the key that the token was made for.",
        content: {
          [json]: {
            schema: quotaViewSchema.meta({ id: "Quota" }),
            example: {
              active: true,
              limit: 20_000,
              used: 1280,
              reserved: 2000,
              remaining: 16_720,
              resetAt: "2026-01-16T09:30:00.000Z",
            },
          },
        },
      },
    },
  });
  describeReset(api);
}

const addresses = z
  .array(z.string().regex(/^0x[0-9a-fA-F]{40}$/))
  .min(1)
  .max(500);
const scope = quotaScopeSchema.optional();

/** The rules that quotaResetBodySchema applies after parsing, written as shapes. */
const resetBody = z.union([
  z.object({ scope, all: z.literal(true) }).meta({ id: "ResetAllQuotas" }),
  z
    .object({ scope: z.enum(["token", "both"]).optional(), tokenIds: z.array(tokenIdSchema).min(1).max(500) })
    .meta({ id: "ResetQuotasOfKeys" }),
  z.object({ scope: z.enum(["crypto", "both"]).optional(), addresses }).meta({ id: "ResetQuotasOfWallets" }),
]);

function describeReset(api: ApiRegistry): void {
  api.describe({
    method: "post",
    path: "/api/quota-reset",
    operationId: "resetQuotas",
    tag,
    summary: "Let quotas begin anew",
    description:
      "For the operator. The secret is looked for in `x-quota-reset-secret`, `x-ai-quota-reset-secret`, `Authorization: Bearer`, the body's `secret` and the query's `secret`; the first one present decides.",
    limit: "quota-reset",
    security: ["quotaResetSecret"],
    body: {
      required: true,
      content: {
        [json]: {
          schema: resetBody,
          examples: {
            all: { summary: "Every window", value: { scope: "both", all: true } },
            ids: { summary: "Of two keys", value: { scope: "token", tokenIds: ["42", "43"] } },
          },
        },
      },
    },
    refusals: ["quota-reset-unauthorized", "quota-reset-disabled", "state-service-inactive"],
    refusalContent: errorContent,
    answers: {
      200: {
        description: "The windows are cleared.",
        content: {
          [json]: {
            schema: quotaResetAnswerSchema.meta({ id: "QuotasReset" }),
            example: { ok: true, scope: "both", mode: "all", token: { deleted: 3 }, crypto: { deleted: 0 } },
          },
        },
      },
    },
  });
}
