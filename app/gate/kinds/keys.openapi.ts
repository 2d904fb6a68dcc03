import type { ApiRegistry, OperationDescription } from "~/platform/openapi/api-registry";
import { jsonContent, versionHeader } from "~/platform/openapi/json-content";
import * as z from "zod";
import { problemSchema } from "~/platform/openapi/problem-answers";
import type { RequirementReport } from "./requirement-report";

const outcomeSchema = z
  .enum(["met", "unmet", "unknown"])
  .describe("`unknown`: it cannot be checked right now.");
const offerSchema = z
  .object({ url: z.string(), text: z.string() })
  .describe("Where to get what is asked for.");
const baseUnits = z.string().regex(/^\d+$/);

const secretLeafSchema = z
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

const reportNode: z.ZodType<RequirementReport> = z.lazy(() => requirementReportSchema);

export const requirementReportSchema = z
  .union([
    leafReportSchema,
    secretLeafSchema,
    z.object({ outcome: outcomeSchema, all: z.array(reportNode) }).strict(),
    z.object({ outcome: outcomeSchema, any: z.array(reportNode) }).strict(),
    z.object({ outcome: outcomeSchema, not: reportNode }).strict(),
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

const addressSchema = z.string().regex(/^0x[0-9a-f]{40}$/);
const chainIdSchema = z.int().min(1);
const notes = { label: z.string(), get: offerSchema.optional() };
const counted = {
  ...notes,
  chainId: chainIdSchema,
  atLeast: z.string().regex(/^\d+$/).describe("In base units."),
};

const leafSchema = z.union([
  z.object({ ...counted, erc721: addressSchema }).strict(),
  z.object({ ...counted, erc20: addressSchema }).strict(),
  z.object({ ...counted, erc1155: addressSchema, tokenId: z.string().regex(/^\d+$/) }).strict(),
  z.object({ ...counted, native: z.literal(true) }).strict(),
  z.object({ ...notes, chainId: chainIdSchema, unlock: addressSchema }).strict(),
  z
    .object({ ...notes, list: z.literal(true) })
    .strict()
    .describe("To be on a list of addresses, which is not told."),
  secretLeafSchema,
]);

export type PublicRequirement =
  | z.infer<typeof leafSchema>
  | { all: PublicRequirement[] }
  | { any: PublicRequirement[] }
  | { not: PublicRequirement };

const publicNode: z.ZodType<PublicRequirement> = z.lazy(() => publicRequirementSchema);

const publicRequirementSchema = z
  .union([
    leafSchema,
    z.object({ all: z.array(publicNode) }).strict(),
    z.object({ any: z.array(publicNode) }).strict(),
    z.object({ not: publicNode }).strict(),
  ])
  .meta({
    id: "Requirement",
    description: "What a wallet has to hold, as a tree.",
  }) as z.ZodType<PublicRequirement>;

const publicKindSchema = z
  .object({
    name: z.string().describe("What `key` names in a request."),
    title: z.string(),
    standard: z
      .enum(["erc721", "erc1155", "unlock", "erc4907", "membership"])
      .describe("`membership`: no token of its own; whoever meets `requires` holds it."),
    chainId: chainIdSchema.describe("The chain that a signed message names."),
    contract: addressSchema.optional().describe("Left out for memberships."),
    requires: publicRequirementSchema.optional(),
    also: publicRequirementSchema.optional(),
    opens: z.array(z.string()).describe("What is offered here, such as `room` or `tts`, or `door:<host>`."),
    get: offerSchema.optional(),
  })
  .meta({
    id: "KeyKind",
    description:
      "`requires` is what makes a wallet hold a membership; `also`, what the wallet that holds a key with a token needs besides.",
  });

export const keyListSchema = z
  .object({
    keys: z.array(publicKindSchema).describe("Never none; the first is meant where a request names none."),
  })
  .meta({ id: "KeyKinds" });

export type KeyList = z.infer<typeof keyListSchema>;

const description =
  "The name of the key's kind, where a gate has several; by default the first that `GET /api/keys` lists.";

export const documentedKeyName = z.string().optional().describe(description);
export const keyNameParameter = z
  .string()
  .optional()
  .meta({ description, param: { example: "founder" } });

export function describeKeys(api: ApiRegistry): void {
  api.describe(listKeysOperation);
}

const contract = "0x5fbdb2315678afecb367f032d93f642f64180aa3";
const coin = "0x833589fcd6edb6e08f4c7c32d4f71b54bda02913";

const exampleKeys: KeyList = {
  keys: [
    {
      name: "founder",
      title: "Founder's key",
      standard: "erc721",
      chainId: 1,
      contract,
      also: {
        any: [
          { erc20: coin, chainId: 8453, atLeast: "2500000", label: "2.5 USDC on Base" },
          { secret: true },
        ],
      },
      opens: ["room", "tts"],
      get: { url: "https://shop.example/keys", text: "Buy one" },
    },
    {
      name: "guest",
      title: "Guests",
      standard: "membership",
      chainId: 1,
      requires: { list: true, label: "On the guest list" },
      opens: ["room"],
    },
  ],
};

export const listKeysOperation: OperationDescription = {
  method: "get",
  path: "/api/keys",
  operationId: "listKeys",
  tag: "Gate",
  summary: "List the kinds of keys",
  description:
    "Which keys open this gate, what each asks for besides and what it opens. Addresses on lists, and what the operator keeps secret, are not told. A gate with one kind lists that one.",
  limit: "keys",
  parameters: versionHeader,
  answers: {
    200: {
      description: "The kinds of keys.",
      headers: ["ETag"],
      content: jsonContent({ schema: keyListSchema, example: exampleKeys }),
    },
    304: {
      description: "The version named in If-None-Match is still the current one.",
      headers: ["ETag"],
    },
  },
};
