import type { ResponseConfig } from "@asteasolutions/zod-to-openapi";
import * as z from "zod";
import { maxIssues } from "~/platform/shapes/shape-issues";
import { refusalTable } from "~/platform/refusals/refusal";
import type { RefusalName } from "~/platform/refusals/refusal";
import { rateLimitHeaders } from "./answer-headers";
import type { ResponseHeaderName } from "./answer-headers";

export type Contents = NonNullable<ResponseConfig["content"]>;
export type RefusalContent = (refused: { names: readonly RefusalName[]; status: number }) => Contents;

/** The shape of every refusal, unless a route has its own. */
export const problemSchema = z
  .object({
    type: z.url().describe("Names the kind of problem. The address opens a page that explains it."),
    title: z
      .string()
      .describe("The kind of problem in a few words; the same for every problem of this type."),
    status: z.int().min(400).max(599).describe("The HTTP status."),
    detail: z.string().describe("What was wrong with this request, and what to do about it."),
    instance: z
      .string()
      .regex(/^[A-Za-z0-9._-]{8,64}$/)
      .describe("The id of the request, as in X-Request-Id. Name it when you report a problem."),
    errors: z
      .array(
        z.object({
          path: z.string().describe("The field, with dots between levels; empty for the body as a whole."),
          message: z.string(),
        }),
      )
      .max(maxIssues)
      .optional()
      .describe("Bodies that do not fit only: what is wrong with which field; of very much the first."),
    maxBytes: z.int().min(1).optional().describe("Bodies that are too large only: the limit in bytes."),
  })
  .meta({ id: "Problem", description: "Problem Details (RFC 9457)." });

const rateLimitProblemSchema = problemSchema
  .omit({ errors: true, maxBytes: true })
  .extend({
    limit: z.int().min(1).describe("Requests the limit allows in its window."),
    remaining: z.int().min(0).describe("Requests that are left in the window."),
    retryAfter: z.int().min(1).describe("Seconds to wait, as in the Retry-After header."),
  })
  .meta({ id: "RateLimitProblem", description: "Problem Details of a rate limit." });

type Problem = z.infer<typeof problemSchema>;

const exampleRequestId = "0b9f3a52-7c41-4f0e-9d38-2a6a1d7c5e90";

const exampleMembers: Partial<Record<RefusalName, Partial<Problem> & Record<string, unknown>>> = {
  "invalid-request": {
    detail: "signature: Must be a signature in hex, beginning with 0x.",
    errors: [{ path: "signature", message: "Must be a signature in hex, beginning with 0x." }],
  },
  "method-not-allowed": { detail: "PUT is not possible here. Use GET, HEAD, OPTIONS." },
  "body-too-large": {
    detail: "The body is larger than the 65536 bytes this address accepts. Send less.",
    maxBytes: 65_536,
  },
  "too-many-requests": {
    detail: "More than 60 requests in 60 seconds came from you. Wait 12 seconds, then try again.",
    limit: 60,
    remaining: 0,
    retryAfter: 12,
  },
  "site-cookie-not-kept": { limit: 5, remaining: 0, retryAfter: 24 },
};

export function problemExample(name: RefusalName, origin: string): Problem {
  const { slug, title, status, meaning } = refusalTable[name];
  const type = `${origin}/problems/${slug}`;
  return { type, title, status, detail: meaning, instance: exampleRequestId, ...exampleMembers[name] };
}

export function problemSchemaOf(status: number) {
  return status === 429 ? rateLimitProblemSchema : problemSchema;
}

/** Worth a retry, unlike a 503 of something that is switched off. */
const outages: readonly RefusalName[] = ["chain-unavailable", "state-unavailable"];

type RefusalGroup = { names: readonly RefusalName[]; status: number; hasLimit: boolean };

/** A limit counts after method, media type and size were checked. A starting server refuses with 503 before. */
export function refusalHeaders({ names, status, hasLimit }: RefusalGroup) {
  const always: ResponseHeaderName[] = ["X-Request-Id", "X-Problem", "Cache-Control"];
  const sometimes: ResponseHeaderName[] = [];
  if (status === 401) always.push("WWW-Authenticate");
  if (status === 405) always.push("Allow");
  if (status === 409 || status === 429) always.push("Retry-After");
  if (status === 503) {
    (names.every((name) => outages.includes(name)) ? always : sometimes).push("Retry-After");
    if (hasLimit) sometimes.push(...rateLimitHeaders);
  }
  if (hasLimit && [401, 403, 409, 429, 501].includes(status)) always.push(...rateLimitHeaders);
  return { always, sometimes };
}

export function describeRefusals(names: readonly RefusalName[], origin: string): string {
  const lines = names.map((name) => {
    const { slug, title, meaning } = refusalTable[name];
    return `**${title}** ([${slug}](${origin}/problems/${slug})): ${meaning}`;
  });
  return lines.length === 1 ? lines.join("") : lines.map((line) => `- ${line}`).join("\n");
}

/** Refusals of chat, speech and quota; the counterpart of `errorResponse`. */
const errorSchema = z
  .looseObject({
    error: z.string().describe("What was refused, in a few words."),
    details: z.string().optional().describe("Where the body was at fault: what is wrong with it."),
  })
  .meta({ id: "ErrorAnswer", type: "object", additionalProperties: true });

const statusesWithDetails = [400, 413, 415];

export const errorContent: RefusalContent = ({ names, status }) => ({
  "application/json": {
    schema: errorSchema,
    examples: Object.fromEntries(
      names.map((name) => {
        const { title, meaning } = refusalTable[name];
        const details = statusesWithDetails.includes(status) ? { details: meaning } : {};
        return [name, { summary: title, value: { error: title, ...details } }];
      }),
    ),
  },
});
