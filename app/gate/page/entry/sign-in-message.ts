import type { SignedKey } from "../kinds/signed-key";

/** The sentence in the message that is signed. ASCII only: other letters are no part of the message's grammar. */
export function signInStatement(signed: SignedKey): string {
  const { kindName, isNamed, tokenId, isMembership, opensRoom, vault } = signed;
  const purpose = opensRoom ? "Open the room" : "Sign in";
  const kind = isNamed ? ` of the kind ${kindName}` : "";
  const key = isMembership ? `a membership${kind}` : `key #${tokenId}${kind}`;
  const holder = vault === null ? "" : `, held by ${vault}`;
  return `${purpose} with ${key}${holder}. This is only a signature: it costs nothing and moves nothing.`;
}

export type SignInText = { origin: string; address: string; key: SignedKey };

/** The message as the wallet will show it, with words where a fresh value comes in. */
export function signInPreview({ origin, address, key }: SignInText): string {
  return [
    `${new URL(origin).host} wants you to sign in with your Ethereum account:`,
    address,
    "",
    signInStatement(key),
    "",
    `URI: ${origin}`,
    "Version: 1",
    `Chain ID: ${key.chainId}`,
    `Nonce: ${previewNonce}`,
    `Issued At: ${previewMoment}`,
  ].join("\n");
}

export const previewNonce = "(a code from this site, valid once)";
export const previewMoment = "(the moment you sign)";
