import type { SignedKey } from "../kinds/page-kind";

/** The message's grammar allows ASCII only. */
export function signInStatement(signed: SignedKey): string {
  const { kindName, isNamed, tokenId, isMembership, opensRoom, vault } = signed;
  const purpose = opensRoom ? "Open the room" : "Sign in";
  const kind = isNamed ? ` of the kind ${kindName}` : "";
  const key = isMembership ? `a membership${kind}` : `key #${tokenId}${kind}`;
  const holder = vault === null ? "" : `, held by ${vault}`;
  return `${purpose} with ${key}${holder}. This is only a signature: it costs nothing and moves nothing.`;
}

type SignInText = { origin: string; address: string; key: SignedKey };

/** The message as the wallet shows it, with placeholders for fresh values. */
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
