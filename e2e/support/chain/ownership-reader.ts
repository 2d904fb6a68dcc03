import type { Clock } from "~/platform/clock";
import type { Address } from "viem";
import { chainUnavailable } from "~/platform/http/refusal";
import type { Judgement, KeyKind, NotHeld } from "~/gate/kinds/kind";
import type { WalletSignature } from "~/gate/ownership/reads/chain-answers";
import type { KeyOwner } from "~/gate/ownership/judge";
import { createJudge } from "~/gate/ownership/judge.server";
import type { KeyContract } from "~/gate/ownership/balances.gateway.server";

export type Ownership = { owned: true } | { owned: false; reason: Exclude<NotHeld, "not-delegate"> };

export type OwnershipReader = ReturnType<typeof createOwnershipReader>;

type OwnershipQuestion = { tokenId: string; holder: Address; fresh?: boolean };

/** What the judge says of the keys of one contract. Throws chain-unavailable, never guesses. */
export function createOwnershipReader({
  cacheSeconds,
  clock,
  client,
  contractAddress,
  standard,
}: KeyContract & { cacheSeconds: number; clock: Clock }) {
  const chainId = client.chain.id;
  const contract = { chainId, contractAddress };
  const kind = makeOnlyKind({ client, contractAddress, standard });
  const judge = createJudge({ clientOf: () => client, confirmationsOf: () => 0, cacheSeconds, clock });

  return {
    readOwner: ({ tokenId }: { tokenId: string }): Promise<KeyOwner> => judge.readOwner({ kind, tokenId }),

    async readOwnership({ tokenId, holder, fresh = false }: OwnershipQuestion): Promise<Ownership> {
      return toOwnership(await judge.judge({ kind, tokenId, signer: holder, vault: null, fresh }));
    },

    /** Ownership, and whether the wallet's own code stands behind a signature, in one round trip. */
    async readOwnershipAndSignature({ tokenId, signed }: { tokenId: string; signed: WalletSignature }) {
      const question = { kind, tokenId, signer: signed.wallet, vault: null, signed };
      const { verdict, judgement } = await judge.judgeSigned(question);
      return { verdict, ownership: toOwnership(judgement) };
    },

    forget: (tokenIds?: ReadonlySet<string>): void => judge.forget(contract, tokenIds),
    noteBlock: (blockNumber: bigint): void => judge.noteBlock(chainId, blockNumber),
  };
}

export function makeOnlyKind({ client, contractAddress, standard }: KeyContract): KeyKind {
  const chainId = client.chain.id;
  return {
    name: "key",
    title: "",
    standard,
    chainId,
    contract: contractAddress,
    keptUnder: { chainId, contractAddress },
    delegation: "none",
    delegatesMayUse: false,
    requirement: null,
    opens: ["room", "chat", "tts", "tools"],
  };
}

export function toOwnership({ outcome, key, cause }: Judgement): Ownership {
  if (outcome === "unknown") throw chainUnavailable(cause);
  if (outcome === "met") return { owned: true };
  return { owned: false, reason: key!.reason as Exclude<NotHeld, "not-delegate"> };
}
