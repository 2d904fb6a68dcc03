import { z } from "zod";
import { maxIssues } from "~/platform/http/shape-issues";

/** What every refusal of this service looks like, unless a route keeps an error shape of its own. */
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

export const rateLimitProblemSchema = problemSchema
  .omit({ errors: true, maxBytes: true })
  .extend({
    limit: z.int().min(1).describe("Requests the limit allows in its window."),
    remaining: z.int().min(0).describe("Requests that are left in the window."),
    retryAfter: z.int().min(1).describe("Seconds to wait, as in the Retry-After header."),
  })
  .meta({ id: "RateLimitProblem", description: "Problem Details of a rate limit." });

export type Problem = z.infer<typeof problemSchema>;
