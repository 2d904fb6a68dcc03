import type { Judgement } from "../kinds/kind";
import type { Judge } from "./judge";
import type { Ownership, OwnershipReader } from "./ownership.server";

export type ReaderJudge = Pick<Judge, "judge" | "judgeSigned" | "readOwner">;

export function createReaderJudge(reader: OwnershipReader): ReaderJudge {
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
