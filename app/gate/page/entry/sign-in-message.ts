/** The sentence in the message that is signed. ASCII only: other letters are no part of the message's grammar. */
export function signInStatement(tokenId: string): string {
  return `Open the room with key #${tokenId}. This is only a signature: it costs nothing and moves nothing.`;
}

export type SignInText = { origin: string; address: string; tokenId: string; chainId: number };

/** The message as the wallet will show it, with words where a fresh value comes in. */
export function signInPreview({ origin, address, tokenId, chainId }: SignInText): string {
  return [
    `${new URL(origin).host} wants you to sign in with your Ethereum account:`,
    address,
    "",
    signInStatement(tokenId),
    "",
    `URI: ${origin}`,
    "Version: 1",
    `Chain ID: ${chainId}`,
    `Nonce: ${previewNonce}`,
    `Issued At: ${previewMoment}`,
  ].join("\n");
}

export const previewNonce = "(a code from this site, valid once)";
export const previewMoment = "(the moment you sign)";
