import { keccak256, stringToBytes } from "viem";
import type { Address } from "viem";
import { createSiweMessage } from "viem/siwe";
import { legacyEnvelopeText } from "~/gate/proofs/legacy-envelope";
import { RefusedError } from "../gate-api";
import type { FormPost, GateApi, LegacyProof, SiweProof } from "../gate-api";
import { previewMoment, signInStatement } from "./sign-in-words";
import type { WalletSession } from "../wallet/wallet-session";

type Signer = Pick<WalletSession, "signMessage">;

type ProofRequest = {
  api: Pick<GateApi, "getNonce">;
  wallet: Signer;
  address: Address;
  tokenId: string;
  chainId: number;
  /** Origin of the page; the message is bound to it. */
  origin: string;
  nowMs: number;
  /** Called when the wallet is about to ask the person. */
  onAsk: () => void;
};

/** Proves that this wallet asks for the room: with Ethereum sign-in, or with the older envelope where it is off. */
export async function proveForRoom(request: ProofRequest): Promise<SiweProof | LegacyProof> {
  const { api, wallet, address, tokenId, chainId, origin, nowMs, onAsk } = request;
  const nonce = await findNonce(api);
  onAsk();
  if (nonce === null) return signEnvelope({ ...request, path: "/api/gate-access", onAsk: undefined });
  const message = createSiweMessage({
    domain: new URL(origin).host,
    address,
    // ASCII only: other letters are no part of the message's grammar.
    statement: signInStatement(tokenId),
    uri: origin,
    version: "1",
    chainId,
    nonce,
    issuedAt: new Date(nowMs),
  });
  const signature = await wallet.signMessage({ address, message });
  return { address, signature, tokenId, message, nonce };
}

/** Signs what was written, so that nobody on the way can put other words in its place. */
export async function proveForForm({
  text,
  ...request
}: Omit<ProofRequest, "api" | "onAsk"> & {
  text: string;
  /** Called with the very text the wallet is about to show. */
  onAsk?: (askedText: string) => void;
}): Promise<FormPost> {
  const messageHash = keccak256(stringToBytes(text));
  const proof = await signEnvelope({ ...request, path: "/api/form-submission-gate", messageHash });
  return { ...proof, message: text, messageHash };
}

/** The text of the form's signature as the wallet will show it; only its moment is still to come. */
export function previewForm({
  text,
  tokenId,
  chainId,
  origin,
}: Pick<ProofRequest, "tokenId" | "chainId" | "origin"> & { text: string }): string {
  const messageHash = keccak256(stringToBytes(text));
  const path = "/api/form-submission-gate";
  return envelopeText({ tokenId, chainId, origin, path, messageHash, nowMs: 0 }).replace(
    /^Timestamp: 0$/m,
    `Timestamp: ${previewMoment}`,
  );
}

async function signEnvelope({
  wallet,
  address,
  onAsk,
  ...text
}: Omit<ProofRequest, "api" | "onAsk"> &
  EnvelopeText & {
    onAsk?: (askedText: string) => void;
  }): Promise<LegacyProof> {
  const message = envelopeText(text);
  onAsk?.(message);
  const signature = await wallet.signMessage({ address, message });
  return { address, signature, tokenId: text.tokenId, timestamp: text.nowMs };
}

type EnvelopeText = Pick<ProofRequest, "tokenId" | "chainId" | "origin" | "nowMs"> & {
  path: string;
  messageHash?: string;
};

function envelopeText({ tokenId, chainId, origin, nowMs, path, messageHash }: EnvelopeText): string {
  return legacyEnvelopeText({
    // The server rebuilds the text with the canonical number.
    tokenId: BigInt(tokenId).toString(),
    domain: new URL(origin).host,
    path,
    method: "POST",
    chainId,
    timestamp: nowMs,
    ...(messageHash ? { messageHash } : {}),
  });
}

/** Null when the server issues none because Ethereum sign-in is switched off. */
async function findNonce(api: Pick<GateApi, "getNonce">): Promise<string | null> {
  try {
    return await api.getNonce();
  } catch (error) {
    if (error instanceof RefusedError && error.refused.slug === "siwe-not-enabled") return null;
    throw error;
  }
}
