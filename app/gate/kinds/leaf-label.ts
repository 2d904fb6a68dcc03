import type { Leaf } from "./requirement";

/** The operator's words, or some made from the leaf. Amounts stand beside it. */
export function labelOf(leaf: Leaf): string {
  return leaf.label ?? describe(leaf);
}

function describe(leaf: Leaf): string {
  switch (leaf.type) {
    case "erc721":
      return `NFT of ${shorten(leaf.contract)} on chain ${leaf.chainId}`;
    case "erc20":
      return `Token ${shorten(leaf.contract)} on chain ${leaf.chainId}`;
    case "erc1155":
      return `Token #${leaf.tokenId} of ${shorten(leaf.contract)} on chain ${leaf.chainId}`;
    case "native":
      return `Coin of chain ${leaf.chainId}`;
    case "unlock":
      return `Membership of ${shorten(leaf.contract)} on chain ${leaf.chainId}`;
    case "addresses":
      return "On a list of addresses";
  }
}

function shorten(address: string): string {
  return `${address.slice(0, 6)}…${address.slice(-4)}`;
}
