import { formatEther } from "viem";
import { oneLine } from "~/platform/outbox/email-text";
import type { EmailRenderers, EmailText, NotificationFacts } from "~/platform/outbox/email-text";
import type { Notification } from "~/platform/outbox/outbox";
import type { Payment } from "./payments.store.server";

/** Sent once for a payment that stays open. */
export function paymentOpen(payment: Payment): Notification {
  const { recipient: address, chainId, amountWei, transactionHash, nonce, payer, createdAtMs } = payment;
  const amount = formatEther(amountWei);
  const signedAt = new Date(createdAtMs).toISOString();
  const data = { address, chainId, amount, transactionHash, nonce, payer, signedAt };
  return { kind: "payment.open", data };
}

export const paymentEmails: EmailRenderers = { "payment.open": renderPaymentOpen };

function renderPaymentOpen({ data, at }: NotificationFacts): EmailText | null {
  const { transactionHash, address, amount, nonce, chainId, payer, signedAt } = data;
  if (typeof transactionHash !== "string" || typeof address !== "string") return null;
  const lines = [
    "A payment to a holder stays open: the chain does not show how it ended. It counts in the limits until then.",
    "",
    `Transaction: ${oneLine(transactionHash)}`,
    `Amount:      ${oneLine(String(amount))} on chain ${oneLine(String(chainId))}`,
    `To:          ${oneLine(address)}`,
    `From:        ${oneLine(String(payer))}, nonce ${oneLine(String(nonce))}`,
    `Signed:      ${oneLine(String(signedAt))}`,
    `When:        ${at}`,
    "",
    'What to do is in the operator\'s guide under "Paying holders".',
  ];
  return { subject: "A payment stays open", text: lines.join("\n") };
}
