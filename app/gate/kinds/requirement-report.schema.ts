import * as z from "zod";
import { problemSchema } from "~/platform/openapi/problem-answers";
import type { RequirementReport } from "./requirement-report";

const outcomeSchema = z
  .enum(["met", "unmet", "unknown"])
  .describe("`unknown`: it cannot be checked right now.");
export const offerSchema = z
  .object({ url: z.string(), text: z.string() })
  .describe("Where to get what is asked for.");
const baseUnits = z.string().regex(/^\d+$/);

export const secretLeafSchema = z
  .object({ secret: z.literal(true) })
  .strict()
  .meta({ id: "SecretRequirement", description: "Something the operator does not tell." });

const leafReportSchema = z
  .object({
    label: z.string(),
    outcome: outcomeSchema,
    needed: z
      .union([baseUnits, z.literal("valid membership")])
      .optional()
      .describe("The amount in base units, or `valid membership`. Left out for lists of addresses."),
    held: baseUnits.optional().describe("The amount in base units, where it could be read."),
    decimals: z
      .int()
      .min(0)
      .max(255)
      .optional()
      .describe("How many of the amounts' digits are behind the point."),
    chainId: z.int().min(1).optional(),
    get: offerSchema.optional(),
  })
  .strict()
  .meta({ id: "RequirementLeafReport" });

const node: z.ZodType<RequirementReport> = z.lazy(() => requirementReportSchema);

export const requirementReportSchema = z
  .union([
    leafReportSchema,
    secretLeafSchema,
    z.object({ outcome: outcomeSchema, all: z.array(node) }).strict(),
    z.object({ outcome: outcomeSchema, any: z.array(node) }).strict(),
    z.object({ outcome: outcomeSchema, not: node }).strict(),
  ])
  .meta({
    id: "RequirementReport",
    description: "What a key asks for, as a tree, with what came out for the wallet that was proven.",
  }) as z.ZodType<RequirementReport>;

export const notHeldProblemSchema = problemSchema
  .extend({
    requirements: requirementReportSchema.optional(),
  })
  .meta({
    id: "NotHeldProblem",
    description:
      "Problem Details of a key that is not held. `requirements` is there where kinds of keys have names and the kind is not met.",
  });
