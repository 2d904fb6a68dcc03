import { keccak256, stringToHex } from "viem";
import type { PrivateKeyAccount } from "viem/accounts";
import { SiweMessage } from "siwe";
import { legacyEnvelopeText } from "~/gate/proofs/legacy-envelope";

/** Where a request goes and on which chain its key lives: what every signature is bound to. */
export type Place = { origin: string; chainId: number };
export type Holder = { account: PrivateKeyAccount; tokenId: string };

const gatePath = "/api/gate-access";
const formPath = "/api/form-submission-gate";

function domainOf(place: Place): string {
  return new URL(place.origin).host;
}

type SignSiweOptions = {
  place: Place;
  holder: Holder;
  nonce: string;
  fields?: Partial<SiweMessage>;
};

/** The body of POST /api/gate-access for SIWE. `fields` replace parts of the message. */
export async function signSiwe({ place, holder, nonce, fields = {} }: SignSiweOptions) {
  const { account, tokenId } = holder;
  const message = new SiweMessage({
    address: account.address,
    chainId: place.chainId,
    domain: domainOf(place),
    nonce,
    uri: place.origin,
    version: "1",
    statement: `Enter with key #${tokenId}.`,
    issuedAt: new Date().toISOString(),
    ...fields,
  }).prepareMessage();
  return {
    address: account.address,
    signature: await account.signMessage({ message }),
    tokenId,
    message,
    nonce,
  };
}

/** The body of POST /api/gate-access with the older timestamped signature. */
export async function signLegacy(place: Place, holder: Holder, timestamp: number = Date.now()) {
  const { account, tokenId } = holder;
  const envelope = {
    tokenId,
    domain: domainOf(place),
    path: gatePath,
    method: "POST",
    chainId: place.chainId,
    timestamp,
  };
  const signature = await account.signMessage({ message: legacyEnvelopeText(envelope) });
  return { address: account.address, signature, tokenId, timestamp };
}

type SignFormOptions = {
  place: Place;
  holder: Holder;
  message: string;
  signHash?: boolean;
  timestamp?: number;
};

/** The body of POST /api/form-submission-gate; the message is part of what is signed unless `signHash` is false. */
export async function signForm({
  place,
  holder,
  message,
  signHash = true,
  timestamp = Date.now(),
}: SignFormOptions) {
  const { account, tokenId } = holder;
  const messageHash = signHash ? keccak256(stringToHex(message)) : undefined;
  const envelope = {
    tokenId,
    domain: domainOf(place),
    path: formPath,
    method: "POST",
    chainId: place.chainId,
    timestamp,
  };
  const signature = await account.signMessage({ message: legacyEnvelopeText({ ...envelope, messageHash }) });
  return {
    tokenId,
    message,
    signature,
    address: account.address,
    timestamp,
    ...(messageHash ? { messageHash } : {}),
  };
}
