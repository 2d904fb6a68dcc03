import { expect, test } from "vitest";
import { renderEmail } from "~/platform/outbox/email-text";
import { paymentEmails } from "./payment-notifications.server";

test("a notification about an open payment names transaction, amount, recipient and time", () => {
  const open = {
    address: "0xf39f",
    chainId: 1,
    amount: "0.0005",
    transactionHash: "0x12\nTo: me",
    nonce: 7,
    payer: "0xaa",
    signedAt: "2026-03-04T04:30:00.000Z",
  };
  const payload = JSON.stringify({ type: "payment.open", data: open });
  const { subject, text } = renderEmail(
    { notificationId: "n-1", kind: "payment.open", payload, createdAtMs: 0 },
    paymentEmails,
  );
  expect(subject).toBe("A payment stays open");
  expect(text).toContain("Amount:      0.0005 on chain 1\nTo:          0xf39f\nFrom:        0xaa, nonce 7\n");
  expect(text).toContain("Signed:      2026-03-04T04:30:00.000Z\n");
  expect(text.match(/^To:/gm)).toHaveLength(1);
});
