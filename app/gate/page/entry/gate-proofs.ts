import { keccak256, stringToBytes } from "viem";
import type { Address, Hex } from "viem";
import { createSiweMessage } from "viem/siwe";
import { legacyEnvelopeText } from "~/gate/proofs/legacy-envelope";
import { RefusedError } from "../gate-api";
import type { EnvelopeProof, FormPost, GateApi, RoomProof } from "../gate-api";
import type { SignedKey } from "../kinds/page-kind";
import { previewMoment, signInStatement } from "./sign-in-message";

/** `origin` is the page's own. */
type SignedText = { key: SignedKey; origin: string; nowMs: number };
type Signer = { signMessage: (request: { address: Address; message: string }) => Promise<Hex> };
type ProofRequest = SignedText & { wallet: Signer; address: Address };
type NonceSource = Pick<GateApi, "getNonce">;

const formPath = "/api/form-submission-gate";

/** Uses Ethereum sign-in, or the older envelope if that is off. Calls `onAsk` before the wallet's prompt. */
export async function proveForRoom(
  request: ProofRequest & { api: NonceSource; onAsk: () => void },
): Promise<RoomProof> {
  const { api, wallet, address, key, origin, nowMs, onAsk } = request;
  const nonce = await findNonce(api);
  onAsk();
  if (nonce === null) return signEnvelope(request, envelopeText(request, "/api/gate-access"));
  const message = createSiweMessage({
    domain: new URL(origin).host,
    address,
    // The message's grammar allows ASCII only.
    statement: signInStatement(key),
    uri: origin,
    version: "1",
    chainId: key.chainId,
    nonce,
    issuedAt: new Date(nowMs),
  });
  const signature = await wallet.signMessage({ address, message });
  return { address, signature, ...bodyMembers(key), message, nonce };
}

/** Calls `onAsk` with the text that the wallet shows. */
export async function proveForForm(
  request: ProofRequest & { text: string; onAsk?: (askedText: string) => void },
): Promise<FormPost> {
  const messageHash = keccak256(stringToBytes(request.text));
  const askedText = envelopeText(request, formPath, messageHash);
  request.onAsk?.(askedText);
  const proof = await signEnvelope(request, askedText);
  return { ...proof, message: request.text, messageHash };
}

/** The text that the wallet will show, without its time. */
export function previewForm({ text, ...signed }: Omit<SignedText, "nowMs"> & { text: string }): string {
  const preview = envelopeText({ ...signed, nowMs: 0 }, formPath, keccak256(stringToBytes(text)));
  return preview.replace(/^Timestamp: 0$/m, `Timestamp: ${previewMoment}`);
}

async function signEnvelope(request: ProofRequest, message: string): Promise<EnvelopeProof> {
  const { wallet, address, key, nowMs } = request;
  const signature = await wallet.signMessage({ address, message });
  return { address, signature, ...bodyMembers(key), timestamp: nowMs };
}

function bodyMembers({ tokenId, kindName, isNamed, vault }: SignedKey) {
  return { tokenId, ...(isNamed && { key: kindName }), ...(vault !== null && { vault }) };
}

function envelopeText(signed: SignedText, path: string, messageHash?: string): string {
  return legacyEnvelopeText({
    // The server rebuilds the text with the canonical ID.
    tokenId: BigInt(signed.key.tokenId).toString(),
    domain: new URL(signed.origin).host,
    path,
    method: "POST",
    chainId: signed.key.chainId,
    timestamp: signed.nowMs,
    ...(messageHash ? { messageHash } : {}),
    ...(signed.key.isNamed && { keyName: signed.key.kindName }),
  });
}

/** Null if Ethereum sign-in is off. */
async function findNonce(api: NonceSource): Promise<string | null> {
  try {
    return await api.getNonce();
  } catch (error) {
    if (error instanceof RefusedError && error.refused.slug === "siwe-not-enabled") return null;
    throw error;
  }
}
