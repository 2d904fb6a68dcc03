import type { Address } from "viem";
import type { WatchedBlock } from "~/platform/chain/seen-block";
import type { Clock } from "~/platform/time/clock";
import { requireMet } from "~/gate/tokens/require-met";
import type { KeyStore } from "~/gate/ownership/keys.store.server";
import { createJudge } from "~/gate/ownership/judge.server";
import { makeOnlyKind } from "./ownership-reader";
import type { KeyContract } from "./ownership-reader";
import { createSettledJudgements } from "~/gate/ownership/settled-judgement.server";

export type SettledHoldingDependencies = KeyContract & {
  keyUseConfirmations: number;
  keys: Pick<KeyStore, "findKeyState">;
  cursors: {
    findCursor: (contract: { chainId: number; contractAddress: string }) => Promise<WatchedBlock | null>;
  };
  clock: Clock;
};

export type RequireSettledHolding = (tokenId: string, holder: Address) => Promise<void>;

export function createSettledHoldings(dependencies: SettledHoldingDependencies): RequireSettledHolding {
  const { client, contractAddress, keyUseConfirmations, keys, cursors, clock } = dependencies;
  const kind = makeOnlyKind(dependencies);
  const clientOf = () => client;
  const judge = createJudge({ clientOf, confirmationsOf: () => keyUseConfirmations, cacheSeconds: 0, clock });
  const requireSettled = createSettledJudgements({
    judge,
    clientOf,
    keys,
    findWatchedBlock: (chainId) => cursors.findCursor({ chainId, contractAddress }),
    requireHeld: (judgement, question) => requireMet(question, judgement, { areNamed: false }),
    clock,
  });
  return (tokenId, holder) =>
    requireSettled({ kind, tokenId, signer: holder, vault: null, isUndeployed: false });
}
