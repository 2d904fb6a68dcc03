import type { Address } from "viem";
import type { TokenStatus } from "../gate.schema";
import type { KeyStore } from "./keys.store.server";
import type { OwnershipReader } from "../ownership/ownership.server";
import { parseTokenId } from "./token-id";

type StatusDependencies = {
  chainId: number;
  contractAddress: Address;
  ownership: Pick<OwnershipReader, "readOwner">;
  keys: Pick<KeyStore, "findUsedKey">;
};

/** `owner` is null where the key does not exist, and where the contract names no single one (ERC-1155). */
export type KeyStatus = TokenStatus & { owner: Address | null };

export async function readTokenStatus(
  tokenId: unknown,
  dependencies: StatusDependencies,
): Promise<TokenStatus> {
  const { owner: _owner, ...status } = await readKeyStatus(tokenId, dependencies);
  return status;
}

/** The same with the owner, who is public too, but no part of the token status's agreed shape. */
export async function readKeyStatus(given: unknown, dependencies: StatusDependencies): Promise<KeyStatus> {
  const tokenId = parseTokenId(given);
  const { chainId, contractAddress, ownership, keys } = dependencies;
  const [{ exists, owner }, used] = await Promise.all([
    ownership.readOwner({ tokenId }),
    keys.findUsedKey({ key: { chainId, contractAddress, tokenId } }),
  ]);
  // A contract that does not count its supply cannot tell; a key that was used did exist.
  if (!(exists ?? used !== null))
    return { tokenId, exists: false, owner: null, count: 0, used: false, usedBy: null, usedAt: null };
  const usedAt = used && new Date(used.usedAtMs).toISOString();
  return {
    tokenId,
    exists: true,
    owner,
    count: 1,
    used: used !== null,
    usedBy: used?.usedBy ?? null,
    usedAt,
  };
}
