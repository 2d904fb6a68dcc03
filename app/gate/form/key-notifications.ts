import { oneLine, quoted } from "~/platform/outbox/email-text";
import type { EmailRenderers, EmailText, NotificationFacts } from "~/platform/outbox/email-text";
import type { Notification } from "~/platform/outbox/outbox";

type KeyUsed = {
  chainId: number;
  contractAddress: string;
  tokenId: string;
  /** The kind's name, if kinds have names. */
  key?: string;
  address: string;
  /** The holder, if a delegate used the key. */
  vault?: string;
};

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
    `${whoOf(data)} of key #${oneLine(tokenId)} sent the one-time form. The key is now used up.`,
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
  const first = `${whoOf(data)} of key #${oneLine(tokenId)} used it up through a tool, without the form.`;
  return { subject: `Key #${tokenId} was used`, text: [first, "", ...keyLines({ data, at })].join("\n") };
}

function whoOf({ vault }: NotificationFacts["data"]): string {
  return typeof vault === "string" ? "A delegate of the holder" : "The holder";
}

function keyLines({ data, at }: NotificationFacts): string[] {
  const contract = typeof data.contractAddress === "string" ? oneLine(data.contractAddress) : "";
  // Memberships are kept under chain 0.
  const chain = typeof data.chainId === "number" && data.chainId > 0 ? ` on chain ${data.chainId}` : "";
  const vault = typeof data.vault === "string" ? oneLine(data.vault) : "";
  const kind = typeof data.key === "string" ? oneLine(data.key) : "";
  return [
    ...(kind ? [`Kind:     ${kind}`] : []),
    `Token id: ${oneLine(String(data.tokenId))}`,
    `Address:  ${oneLine(String(data.address))}`,
    ...(vault ? [`For:      ${vault}`] : []),
    ...(contract ? [`Contract: ${contract}${chain}`] : []),
    `When:     ${at}`,
  ];
}
