import { oneLine, quoted } from "~/platform/outbox/email-text";
import type { EmailRenderers, EmailText, NotificationFacts } from "~/platform/outbox/email-text";
import type { Notification } from "~/platform/outbox/outbox";

/** `key`: the name of its kind, where kinds have names. */
type KeyUsed = { chainId: number; contractAddress: string; tokenId: string; key?: string; address: string };

export function submissionReceived(data: KeyUsed & { submissionId: string; message: string }): Notification {
  return { kind: "submission.received", data };
}

export function keyUsed(data: KeyUsed): Notification {
  return { kind: "key.used", data };
}

export const keyEmails: EmailRenderers = {
  "submission.received": renderSubmission,
  "key.used": renderKeyUsed,
};

function renderSubmission({ data, at }: NotificationFacts): EmailText | null {
  const { tokenId, address, message } = data;
  if (typeof tokenId !== "string" || typeof address !== "string" || typeof message !== "string") return null;
  const lines = [
    `The holder of key #${oneLine(tokenId)} sent the one-time form. The key is now used up.`,
    "",
    ...keyLines({ data, at }),
    "",
    "Message:",
    quoted(message),
  ];
  return { subject: `Key #${tokenId} was used: new message`, text: lines.join("\n") };
}

function renderKeyUsed({ data, at }: NotificationFacts): EmailText | null {
  const { tokenId, address } = data;
  if (typeof tokenId !== "string" || typeof address !== "string") return null;
  const first = `The holder of key #${oneLine(tokenId)} used it up through a tool, without the form.`;
  return { subject: `Key #${tokenId} was used`, text: [first, "", ...keyLines({ data, at })].join("\n") };
}

function keyLines({ data, at }: NotificationFacts): string[] {
  const contract = typeof data.contractAddress === "string" ? oneLine(data.contractAddress) : "";
  // A membership has no contract, and is kept under chain 0.
  const chain = typeof data.chainId === "number" && data.chainId > 0 ? ` on chain ${data.chainId}` : "";
  const kind = typeof data.key === "string" ? oneLine(data.key) : "";
  return [
    ...(kind ? [`Kind:     ${kind}`] : []),
    `Token id: ${oneLine(String(data.tokenId))}`,
    `Address:  ${oneLine(String(data.address))}`,
    ...(contract ? [`Contract: ${contract}${chain}`] : []),
    `When:     ${at}`,
  ];
}
