import type { Address } from "viem";
import { toOwnership } from "./ownership-reader";
import type { Ownership, OwnershipReader } from "./ownership-reader";
import { proveAndJudge } from "~/gate/proofs/signature.server";
import { held, makeKind, notHeld } from "../key-kinds";

type Claim = {
  message: string;
  signature: string;
  address: Address;
  tokenId: string;
  ownership: OwnershipReader;
};

/** Signs in with keys of one contract. */
export async function proveAndReadOwnership(claim: Claim): Promise<Ownership> {
  const { message, signature, address, tokenId, ownership } = claim;
  const kind = makeKind({ chainId: 31337, contract: address });
  const question = { kind, tokenId, signer: address, vault: null };
  const toJudgement = (answer: Ownership) => (answer.owned ? held : notHeld(answer.reason));
  const { judgement } = await proveAndJudge(
    { message, signature, question },
    {
      walletFactories: "any",
      judge: {
        judge: async () =>
          toJudgement(await ownership.readOwnership({ tokenId, holder: address, fresh: true })),
        async judgeSigned({ signed }) {
          const proof = await ownership.readOwnershipAndSignature({ tokenId, signed });
          return { verdict: proof.verdict, judgement: toJudgement(proof.ownership) };
        },
      },
    },
  );
  return toOwnership(judgement);
}
