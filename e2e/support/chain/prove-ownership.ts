import type { Address } from "viem";
import type { Ownership, OwnershipReader } from "~/gate/ownership/ownership.server";
import { createReaderJudge } from "~/gate/ownership/reader-judge.server";
import { proveAndJudge } from "~/gate/proofs/signature.server";
import { makeKind } from "../key-kinds";

type Claim = {
  message: string;
  signature: string;
  address: Address;
  tokenId: string;
  ownership: OwnershipReader;
};

/** What a sign-in finds out, of keys of one contract. */
export async function proveAndReadOwnership(claim: Claim): Promise<Ownership> {
  const { message, signature, address, tokenId, ownership } = claim;
  const kind = makeKind({ chainId: 31337, contract: address });
  const question = { kind, tokenId, signer: address, vault: null };
  const judge = createReaderJudge(ownership);
  const { key } = await proveAndJudge({ message, signature, question, judge });
  return key?.reason && key.reason !== "not-delegate"
    ? { owned: false, reason: key.reason }
    : { owned: true };
}
