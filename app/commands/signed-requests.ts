import { keccak256, stringToHex } from "viem";
import type { LocalAccount } from "viem/accounts";
import { SiweMessage } from "siwe";
import { legacyEnvelopeText } from "~/gate/proofs/legacy-envelope";
import type { LegacyEnvelope } from "~/gate/proofs/legacy-envelope";

/** Every signature is bound to both. */
export type Site = { origin: string; chainId: number };
export type Signer = Pick<LocalAccount, "address" | "signMessage">;
/** `key`: its kind, if kinds have names. `vault`: the wallet that owns it, if the account is a delegate. */
export type Holder = { account: Signer; tokenId: string; key?: NamedKey; vault?: string };
type NamedKey = { name: string; isFirst: boolean };

function meantKey({ tokenId, key, vault }: Holder) {
  return { tokenId, ...(key && { key: key.name }), ...(vault !== undefined && { vault }) };
}

type SignSiweOptions = { site: Site; holder: Holder; nonce: string; fields?: Partial<SiweMessage> };

/** The body of POST /api/gate-access for SIWE. `fields` replace parts of the message. */
export async function signSiwe({ site, holder, nonce, fields = {} }: SignSiweOptions) {
  const { account, tokenId } = holder;
  const message = new SiweMessage({
    address: account.address,
    chainId: site.chainId,
    domain: new URL(site.origin).host,
    nonce,
    uri: site.origin,
    version: "1",
    statement: `Enter with key #${tokenId}.`,
    issuedAt: new Date().toISOString(),
    ...fields,
  }).prepareMessage();
  return {
    address: account.address,
    signature: await account.signMessage({ message }),
    ...meantKey(holder),
    message,
    nonce,
  };
}

/** The body of POST /api/gate-access with the older timestamped signature. */
export function signLegacy(site: Site, holder: Holder, timestamp = Date.now()) {
  return signEnvelope(site, holder, { path: "/api/gate-access", timestamp });
}

type SignFormOptions = {
  site: Site;
  holder: Holder;
  message: string;
  signHash?: boolean;
  timestamp?: number;
};

/** The body of POST /api/form-submission-gate. Signs the message too, unless `signHash` is false. */
export async function signForm(options: SignFormOptions) {
  const { site, holder, message, signHash = true, timestamp = Date.now() } = options;
  const messageHash = signHash ? keccak256(stringToHex(message)) : undefined;
  const signed = await signEnvelope(site, holder, {
    path: "/api/form-submission-gate",
    timestamp,
    messageHash,
  });
  return { ...signed, message, ...(messageHash ? { messageHash } : {}) };
}

type SignedParts = Pick<LegacyEnvelope, "path" | "timestamp" | "messageHash">;

async function signEnvelope({ origin, chainId }: Site, holder: Holder, parts: SignedParts) {
  const { account, tokenId, key } = holder;
  const domain = new URL(origin).host;
  const keyName = key && !key.isFirst ? key.name : undefined;
  const message = legacyEnvelopeText({ tokenId, domain, method: "POST", chainId, keyName, ...parts });
  const signature = await account.signMessage({ message });
  return { address: account.address, signature, ...meantKey(holder), timestamp: parts.timestamp };
}
