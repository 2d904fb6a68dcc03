import * as z from "zod";
import type { TokenHolder } from "~/gate/tokens/access-token.schema";
import { etherPattern } from "~/payments/ether";
import { PaymentRefused } from "~/payments/payment-refused";
import { defineTool, requireToolHolder, ToolFailure } from "./tool";
import type { Tool } from "./tool";

/** Longer than the wait for a payment. */
const timeoutMs = 60_000;

export type PayHolder = (call: {
  holder: TokenHolder;
  amount: string;
  idempotencyKey: string;
  signal: AbortSignal;
}) => Promise<unknown>;

/** Irreversible. Pays only the token's address. */
export function createSendCryptoTool(pay: PayHolder): Tool {
  return defineTool({
    name: "send_crypto_to_signed_in_user",
    description:
      "Pays the signed-in holder, from the service's own wallet to the very address that signed in, within the operator's limits. Only when the person has clearly asked for it. Call again with the same idempotencyKey and amount to learn how it ended: it is paid once.",
    inputSchema: z.strictObject({
      amount: z
        .string()
        .regex(etherPattern)
        .describe('In the chain\'s coin, as a decimal text, for example "0.0005".'),
      idempotencyKey: z
        .string()
        .regex(/^[\w.:-]{8,100}$/)
        .describe("Names this one payment: 8 to 100 letters, digits and . : _ -, new for each payment."),
    }),
    requires: "holder",
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
    timeoutMs,
    run: async ({ input, caller, signal }) => {
      try {
        return await pay({ ...input, holder: requireToolHolder(caller), signal });
      } catch (error) {
        if (error instanceof PaymentRefused) throw new ToolFailure(error.message, { cause: error });
        throw error;
      }
    },
  });
}
