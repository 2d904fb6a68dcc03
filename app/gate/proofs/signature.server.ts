import { recover } from "tiny-secp256k1";
import { bytesToHex, hashMessage, isAddressEqual, isErc6492Signature, parseErc6492Signature } from "viem";
import type { Address, Hex } from "viem";
import { publicKeyToAddress } from "viem/accounts";
import { authenticationFailed } from "../tokens/authentication-failed";
import type { Judgement } from "../kinds/kind";
import type { Judge, KeyQuestion } from "../ownership/judge";
import type { WalletSignature } from "../ownership/reads/read";
import { isListedFactory } from "./wallet-factories.settings";
import type { WalletFactories } from "./wallet-factories.settings";

/** Far above passkey and multi-owner wallets. */
const maxSignatureBytes = 8_192;
/** The largest s of a canonical signature: half the curve's order, rounded down. */
const halfOrder = Buffer.from("7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0", "hex");
const evenHex = /^0x(?:[0-9a-fA-F]{2})*$/;

type SignatureParts = { rs: Uint8Array; recoveryBit: 0 | 1 };

/** Null if malformed or not canonical (low s). 65 bytes, or 64 in the compact form of EIP-2098. */
export function recoverSigner(message: string, signature: string): Address | null {
  const parts = readParts(signature);
  if (!parts) return null;
  try {
    const publicKey = recover(hashMessage(message, "bytes"), parts.rs, parts.recoveryBit);
    return publicKey && publicKeyToAddress(bytesToHex(publicKey));
  } catch {
    // Numbers out of range, or a point off the curve.
    return null;
  }
}

function readParts(signature: string): SignatureParts | null {
  const isCompact = signature.length === 2 + 64 * 2;
  if (!evenHex.test(signature) || (!isCompact && signature.length !== 2 + 65 * 2)) return null;
  const bytes = Buffer.from(signature.slice(2), "hex");
  const rs = bytes.subarray(0, 64);
  // The compact form keeps the recovery bit in the highest bit of s.
  const last = isCompact ? bytes[32]! >> 7 : bytes[64]!;
  if (isCompact) rs[32] = rs[32]! & 0x7f;
  const s = rs.subarray(32);
  const isLow = s.some((byte) => byte !== 0) && s.compare(halfOrder) <= 0;
  const recoveryBit = last >= 27 ? last - 27 : last;
  return isLow && (recoveryBit === 0 || recoveryBit === 1) ? { rs, recoveryBit } : null;
}

type SignedQuestion = { message: string; signature: string; question: KeyQuestion };
export type SignatureDependencies = {
  judge: Pick<Judge, "judge" | "judgeSigned">;
  walletFactories: WalletFactories;
};
/** `isUndeployed`: the signing wallet has no code yet. */
type Proven = { judgement: Judgement; isUndeployed: boolean };

/** One request to each chain. It costs a stranger nothing, so check nonce and rate limit first. */
export async function proveAndJudge(
  { message, signature, question }: SignedQuestion,
  { judge, walletFactories }: SignatureDependencies,
): Promise<Proven> {
  const signer = recoverSigner(message, signature);
  if (signer && isAddressEqual(signer, question.signer)) {
    return { judgement: await judge.judge({ ...question, fresh: true }), isUndeployed: false };
  }
  const sent = readWalletSignature(message, signature, question.signer);
  if (sent === null) throw authenticationFailed(mismatch);
  const factory = sent.deployment?.factory;
  const isListed = !factory || isListedFactory(walletFactories, question.kind.chainId, factory);
  // The wallet may have code by now; then its factory isn't needed.
  const signed = isListed ? sent : { ...sent, deployment: null };
  const { verdict, judgement } = await judge.judgeSigned({ ...question, signed });
  if (verdict === "valid" || verdict === "valid-undeployed") {
    return { judgement, isUndeployed: verdict === "valid-undeployed" };
  }
  if (verdict === "invalid" || !factory) throw authenticationFailed(mismatch);
  const reason = isListed
    ? "this chain cannot check such signatures"
    : `this site doesn't accept wallets from the factory ${factory}`;
  throw authenticationFailed(
    `The signature is of a wallet that is not deployed yet, and ${reason}. Deploy the wallet, for instance by sending a first transaction with it, and sign in again.`,
  );
}

const mismatch = "The signature does not match the address.";

function readWalletSignature(message: string, signature: string, wallet: Address): WalletSignature | null {
  if (signature.length > 2 + maxSignatureBytes * 2 || !evenHex.test(signature)) return null;
  const hash = hashMessage(message);
  const plain = { wallet, hash, signature: signature.toLowerCase() as Hex, deployment: null };
  // Too short to be wrapped.
  if (signature.length < 2 + 32 * 2 || !isErc6492Signature(plain.signature)) return plain;
  try {
    const wrapped = parseErc6492Signature(plain.signature);
    if (!wrapped.address) return plain;
    const deployment = { factory: wrapped.address, data: wrapped.data };
    return { wallet, hash, signature: wrapped.signature, deployment };
  } catch {
    return null;
  }
}
