/** One key NFT: which chain, which contract (lower case), which token (canonical decimal string). */
export type KeyRef = { chainId: number; contractAddress: string; tokenId: string };
