/** What is left of a form that was sent: the visitor's own copy, made of what they had before them. */
export type FormReceipt = {
  tokenId: string;
  address: string;
  /** Of the place it was sent to. */
  host: string;
  text: string;
  /** keccak256 of the text: the fingerprint that the wallet signed. */
  messageHash: string;
  sentAtMs: number;
  /** The answer was lost on the way; that the key is used by this wallet now is the proof. */
  isInferred: boolean;
};

/** The receipt as plain text, for the clipboard. */
export function receiptText(receipt: FormReceipt): string {
  const { tokenId, address, host, text, messageHash, sentAtMs } = receipt;
  return [
    `Receipt of the form sent with key #${tokenId}`,
    "",
    `Place: ${host}`,
    `Key: #${tokenId}`,
    `Wallet: ${address}`,
    `Sent: ${new Date(sentAtMs).toISOString()}`,
    `Fingerprint (keccak256): ${messageHash}`,
    "",
    text,
    "",
  ].join("\n");
}
