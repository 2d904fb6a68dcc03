import type { KeyRef } from "./key-ref";

/** A key as its columns hold it. Addresses are lowered here too: a use or a departure must not hide behind case. */
export function toKeyColumns(key: KeyRef): { chainId: bigint; contractAddress: string; tokenId: string } {
  return {
    chainId: BigInt(key.chainId),
    contractAddress: key.contractAddress.toLowerCase(),
    tokenId: key.tokenId,
  };
}
