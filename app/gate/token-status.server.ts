import type { Address } from "viem";
import type { TokenStatus } from "./gate.schema";
import type { KeyStore } from "./keys.store.server";
import type { OwnershipReader } from "./ownership.server";
import { parseTokenId } from "./token-id";

export async function readTokenStatus({
  tokenId: input,
  dependencies,
}: {
  tokenId: unknown;
  dependencies: {
    chainId: number;
    contractAddress: Address;
    ownership: Pick<OwnershipReader, "readOwner">;
    keys: Pick<KeyStore, "findUsedKey">;
  };
}): Promise<TokenStatus> {
  const tokenId = parseTokenId(input);
  const { chainId, contractAddress, ownership, keys } = dependencies;
  const [{ exists }, used] = await Promise.all([
    ownership.readOwner({ tokenId }),
    keys.findUsedKey({ key: { chainId, contractAddress, tokenId } }),
  ]);
  // A contract that does not count its supply cannot tell; a key that was used did exist.
  if (!(exists ?? used !== null))
    return { tokenId, exists: false, count: 0, used: false, usedBy: null, usedAt: null };
  return {
    tokenId,
    exists: true,
    count: 1,
    used: used !== null,
    usedBy: used?.usedBy ?? null,
    usedAt: used ? new Date(used.usedAtMs).toISOString() : null,
  };
}
