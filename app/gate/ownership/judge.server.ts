import type { Address } from "viem";
import type { Judgement, KeyKind } from "../kinds/kind";
import type { SignatureVerdict, WalletSignature } from "./chain-probe.gateway.server";
import type { KeyOwner, Ownership, OwnershipReader } from "./ownership.server";

/** `vault`: the holder, where the signer is only a delegate. */
export type KeyQuestion = { kind: KeyKind; tokenId: string; signer: Address; vault: Address | null };

export type Judge = {
  judge: (question: KeyQuestion & { fresh?: boolean }) => Promise<Judgement>;
  judgeSigned: (
    question: KeyQuestion & { signed: WalletSignature },
  ) => Promise<{ verdict: SignatureVerdict; judgement: Judgement }>;
  readOwner: (question: { kind: KeyKind; tokenId: string }) => Promise<KeyOwner>;
};

export function createJudge(reader: OwnershipReader): Judge {
  return {
    judge: async ({ tokenId, signer, fresh = false }) =>
      toJudgement(await reader.readOwnership({ tokenId, holder: signer, fresh })),
    async judgeSigned({ tokenId, signed }) {
      const { verdict, ownership } = await reader.readOwnershipAndSignature({ tokenId, signed });
      return { verdict, judgement: toJudgement(ownership) };
    },
    readOwner: ({ tokenId }) => reader.readOwner({ tokenId }),
  };
}

export function toJudgement(answer: Ownership): Judgement {
  const outcome = answer.owned ? "met" : "unmet";
  const reason = answer.owned ? null : answer.reason;
  return { outcome, key: { outcome, reason }, requirement: null, blocks: [], cause: null };
}
