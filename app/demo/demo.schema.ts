import * as z from "zod";

export const rpcRequestSchema = z.object({
  jsonrpc: z.literal("2.0").optional(),
  id: z.union([z.string(), z.number(), z.null()]).optional(),
  method: z.string().min(1).max(64),
  params: z.array(z.unknown()).default([]),
});

export const faucetRequestSchema = z.object({
  address: z.string(),
  token: z
    .string()
    .optional()
    .describe("The contract of a token that the demo gives away; absent for money."),
});
export type FaucetRequest = z.infer<typeof faucetRequestSchema>;
