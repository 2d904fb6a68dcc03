import { isAddressEqual } from "viem";
import type { Address } from "viem";
import type { Clock } from "~/platform/clock";
import { readKey, readSupply } from "./ownership.gateway.server";
import type { WalletSignature } from "./chain-probe.gateway.server";
import type { KeyContract, KeyReading } from "./ownership.gateway.server";
import { createSharedReads } from "./shared-reads.server";

/** Keys held in memory at most; the ones read longest ago go first. */
const maxEntries = 10_000;

export type Ownership =
  { owned: true } | { owned: false; reason: "not-owner" | "does-not-exist" | "expired" };
export type KeyOwner =
  /** ERC-1155 has no single owner. */
  | { exists: true; owner: Address | null }
  | { exists: false; owner: null }
  /** An ERC-1155 contract that does not count its supply cannot tell. */
  | { exists: null; owner: null };

export type OwnershipReader = ReturnType<typeof createOwnershipReader>;

type OwnershipQuestion = { tokenId: string; holder: Address; fresh?: boolean };

/** What the chain says of keys. `tokenId` is a canonical decimal string. Throws chain-unavailable, never guesses. */
export function createOwnershipReader({
  cacheSeconds,
  clock,
  ...contract
}: KeyContract & { cacheSeconds: number; clock: Clock }) {
  const cacheMs = cacheSeconds * 1_000;
  const keys = createSharedReads<KeyReading>(cacheMs, maxEntries, clock);
  const supplies = createSharedReads<Awaited<ReturnType<typeof readSupply>>>(cacheMs, maxEntries, clock);
  let notedBlock = -1n;

  function read({ tokenId, holder, fresh = false }: OwnershipQuestion): Promise<KeyReading> {
    // Only ERC-1155 is asked about a holder; elsewhere one answer serves all who ask about the key.
    const key = contract.standard === "erc1155" ? `${tokenId}:${holder.toLowerCase()}` : tokenId;
    return keys.read({ key, group: tokenId, fresh, load: () => readKey({ ...contract, tokenId, holder }) });
  }

  return {
    async readOwner({ tokenId }: { tokenId: string }): Promise<KeyOwner> {
      if (contract.standard === "erc1155") {
        const load = () => readSupply(contract, tokenId);
        const { exists } = await supplies.read({ key: tokenId, group: tokenId, fresh: false, load });
        return exists ? { exists, owner: null } : { exists, owner: null };
      }
      const { owner } = await read({ tokenId, holder: contract.contractAddress });
      return owner ? { exists: true, owner } : { exists: false, owner: null };
    },

    async readOwnership(question: OwnershipQuestion): Promise<Ownership> {
      return judge(await read(question), question.holder);
    },

    /** Ownership, and whether the wallet's own code stands behind a signature, in one round trip. */
    async readOwnershipAndSignature({ tokenId, signed }: { tokenId: string; signed: WalletSignature }) {
      const reading = await readKey({ ...contract, tokenId, holder: signed.wallet, signed });
      return { verdict: reading.verdict ?? ("invalid" as const), ownership: judge(reading, signed.wallet) };
    },

    forget(tokenIds?: ReadonlySet<string>): void {
      keys.forget(tokenIds);
      supplies.forget(tokenIds);
    },

    /** Readings from before a new block are no longer shared. */
    noteBlock(blockNumber: bigint): void {
      if (blockNumber <= notedBlock) return;
      notedBlock = blockNumber;
      keys.startBlock();
      supplies.startBlock();
    },
  };
}

export function judge(reading: KeyReading, holder: Address): Ownership {
  if (reading.balance !== null) {
    return reading.balance > 0n ? { owned: true } : { owned: false, reason: "not-owner" };
  }
  if (reading.owner === null) return { owned: false, reason: "does-not-exist" };
  if (!isAddressEqual(reading.owner, holder)) return { owned: false, reason: "not-owner" };
  return reading.hasExpired ? { owned: false, reason: "expired" } : { owned: true };
}
