import { z } from "zod";
import { exampleAccessToken } from "~/gate/gate-examples";
import { refusalTable } from "~/platform/http/refusal";
import type { RefusalName } from "~/platform/http/refusal";
import type { ApiRegistry, RefusalContent } from "~/platform/openapi/api-registry";
import { quotaResetAnswerSchema, quotaResetBodySchema, quotaViewSchema } from "./quota.schema";

const tag = "Conversation";
const json = "application/json";

const quotaErrorSchema = z
  .object({
    error: z.string().describe("What went wrong, in words that stay the same."),
    details: z.string().optional().describe("Bodies that cannot be used only: what is wrong with them."),
    errors: z
      .array(z.object({ path: z.string(), message: z.string() }))
      .optional()
      .describe("Bodies that do not fit only: every field that is wrong."),
    maxBytes: z.int().min(1).optional().describe("Bodies that are too large only: the limit in bytes."),
    limit: z.int().min(1).optional().describe("429 only: requests the limit allows in its window."),
    remaining: z.int().min(0).optional().describe("429 only: requests that are left in the window."),
    retryAfter: z.int().min(1).optional().describe("429 only: seconds to wait, as in Retry-After."),
  })
  .meta({ id: "QuotaError", description: "How the addresses of the quota refuse." });

type QuotaError = z.infer<typeof quotaErrorSchema>;

const scopeIssue = "Must be token, crypto or both.";
const exampleMembers: Partial<Record<RefusalName, Partial<QuotaError>>> = {
  "invalid-request": {
    details: `scope: ${scopeIssue}`,
    errors: [{ path: "scope", message: scopeIssue }],
  },
  "body-too-large": {
    details: "The body is larger than the 16384 bytes this address accepts. Send less.",
    maxBytes: 16_384,
  },
  "unsupported-media-type": {
    details: "Send the body as JSON in UTF-8, with the header Content-Type: application/json.",
  },
  "too-many-requests": { limit: 5, remaining: 0, retryAfter: 12 },
};

const refusalContent: RefusalContent = ({ names }) => ({
  [json]: {
    schema: quotaErrorSchema,
    examples: Object.fromEntries(
      names.map((name) => {
        const value: QuotaError = { error: refusalTable[name].title, ...exampleMembers[name] };
        return [name, { summary: value.error, value }] as const;
      }),
    ),
  },
});

export function describeQuota(api: ApiRegistry): void {
  describeView(api);
  describeReset(api);
}

function describeView(api: ApiRegistry): void {
  api.describe({
    method: "get",
    path: "/api/quota",
    operationId: "getQuota",
    tag,
    summary: "Ask what the key has left",
    description:
      "Of the key of the access token, which is taken from the same places as in the chat, the body excepted. A window opens with the first answer and ends at `resetAt`.",
    security: ["bearerAuth"],
    parameters: {
      query: z.object({
        jwt: z
          .string()
          .optional()
          .meta({
            description: "The access token, for clients that can send it in no other way.",
            param: { example: exampleAccessToken },
          }),
      }),
    },
    refusals: ["missing-jwt", "invalid-jwt", "cross-site-request", "state-unavailable"],
    refusalContent,
    answers: {
      200: {
        description: "Where the key stands.",
        content: {
          [json]: {
            schema: quotaViewSchema.meta({ id: "Quota" }),
            examples: {
              open: {
                summary: "In an open window",
                value: {
                  ...{ active: true, limit: 20_000, used: 1_234, reserved: 2_000, remaining: 16_766 },
                  resetAt: "2026-01-16T09:30:00.000Z",
                },
              },
              fresh: {
                summary: "Before the first answer",
                value: {
                  ...{ active: true, limit: 20_000, used: 0, reserved: 0, remaining: 20_000 },
                  resetAt: null,
                },
              },
            },
          },
        },
      },
    },
  });
}

const resetDescription = `For the operator. Closes windows of the quota, so that the next answer opens a new one. Exactly one of \`all\`, \`tokenIds\` (not with the scope \`crypto\`) and \`addresses\` (not with the scope \`token\`) names them.

The secret, \`AI_QUOTA_RESET_SECRET\`, is looked for in the headers \`x-quota-reset-secret\` and \`x-ai-quota-reset-secret\`, in \`Authorization: Bearer\`, in the body's \`secret\` and in the query's. A wrong one is 401 whatever else is the case. Every reset leaves a line in the log and in the audit trail.`;

const documentedOrder = quotaResetBodySchema.in
  .extend({
    tokenIds: z
      .array(z.union([z.string().regex(/^[0-9]{1,78}$/), z.int().min(0)]))
      .min(1)
      .max(500)
      .optional(),
    secret: z.string().optional().describe("The secret, where no header holds it."),
  })
  .meta({ id: "QuotaResetOrder" });

function describeReset(api: ApiRegistry): void {
  api.addBearerScheme({
    name: "quotaResetSecret",
    description: "The operator's `AI_QUOTA_RESET_SECRET`.",
  });
  api.describe({
    method: "post",
    path: "/api/quota-reset",
    operationId: "resetQuota",
    tag,
    summary: "Close windows of the quota",
    description: resetDescription,
    limit: "quota-reset",
    security: ["quotaResetSecret", "none"],
    parameters: {
      headers: z.object({
        "x-quota-reset-secret": z
          .string()
          .optional()
          .meta({ description: "The secret.", param: { example: "correct horse battery staple" } }),
      }),
    },
    body: {
      required: true,
      content: {
        [json]: {
          schema: documentedOrder,
          examples: {
            keys: { summary: "Some keys", value: { scope: "token", tokenIds: ["42", 43] } },
            all: { summary: "Everything", value: { scope: "both", all: true } },
          },
        },
      },
    },
    refusals: [
      "quota-reset-unauthorized",
      "quota-reset-disabled",
      "state-service-inactive",
      "state-unavailable",
    ],
    refusalContent,
    answers: {
      200: {
        description: "The windows are closed.",
        content: {
          [json]: {
            schema: quotaResetAnswerSchema.meta({ id: "QuotaResetAnswer" }),
            examples: {
              keys: {
                summary: "Some keys",
                value: { ok: true, scope: "token", mode: "ids", token: { deleted: 1 } },
              },
              all: {
                summary: "Everything",
                value: {
                  ...{ ok: true, scope: "both", mode: "all" },
                  ...{ token: { deleted: 12 }, crypto: { deleted: 0 } },
                },
              },
            },
          },
        },
      },
    },
  });
}
