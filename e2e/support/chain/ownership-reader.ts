import type { Clock } from "~/platform/time/clock";
import type { Address } from "viem";
import { chainUnavailable } from "~/platform/refusals/refusal";
import type { Judgement, KeyStandard as AnyStandard, NotHeld } from "~/gate/kinds/kind";
import type { WalletSignature } from "~/gate/ownership/reads/read";
import { createJudge } from "~/gate/ownership/judge.server";
import type { ChainClient } from "~/platform/chain/chain-client.server";
import { makeKind } from "../key-kinds";

/** The standards of the older settings. */
export type KeyStandard = Exclude<AnyStandard, "erc4907" | "membership">;
export type KeyContract = { client: ChainClient; contractAddress: Address; standard: KeyStandard };

export type Ownership = { owned: true } | { owned: false; reason: Exclude<NotHeld, "not-delegate"> };

export type OwnershipReader = ReturnType<typeof createOwnershipReader>;

type OwnershipQuestion = { tokenId: string; holder: Address; fresh?: boolean };

/** Reads ownership of one contract's keys with the judge. Throws chain-unavailable, never guesses. */
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
    readOwner: ({ tokenId }: { tokenId: string }) => judge.readOwner({ kind, tokenId }),

    async readOwnership({ tokenId, holder, fresh = false }: OwnershipQuestion): Promise<Ownership> {
      return toOwnership(await judge.judge({ kind, tokenId, signer: holder, vault: null, fresh }));
    },

    /** Reads ownership and checks the wallet's own signature code, in one round trip. */
    async readOwnershipAndSignature({ tokenId, signed }: { tokenId: string; signed: WalletSignature }) {
      const question = { kind, tokenId, signer: signed.wallet, vault: null, signed };
      const { verdict, judgement } = await judge.judgeSigned(question);
      return { verdict, ownership: toOwnership(judgement) };
    },

    forget: (tokenIds?: ReadonlySet<string>): void =>
      tokenIds ? judge.forget(contract, tokenIds) : judge.forgetChain(chainId),
    noteBlock: (blockNumber: bigint): void => judge.noteBlock(chainId, { blockNumber, blockSeconds: 0n }),
  };
}

export function makeOnlyKind({ client, contractAddress, standard }: KeyContract) {
  return makeKind({ chainId: client.chain.id, contract: contractAddress, standard });
}

export function toOwnership({ outcome, key, cause }: Judgement): Ownership {
  if (outcome === "unknown") throw chainUnavailable(cause);
  if (outcome === "met") return { owned: true };
  return { owned: false, reason: key!.reason as Exclude<NotHeld, "not-delegate"> };
}
