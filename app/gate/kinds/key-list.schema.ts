import * as z from "zod";
import { offerSchema, secretLeafSchema } from "./requirement-report.schema";

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

const node: z.ZodType<PublicRequirement> = z.lazy(() => publicRequirementSchema);

const publicRequirementSchema = z
  .union([
    leafSchema,
    z.object({ all: z.array(node) }).strict(),
    z.object({ any: z.array(node) }).strict(),
    z.object({ not: node }).strict(),
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
