import { parseAbi } from "viem";

/** The part of the key contract that the page calls itself. */
export const keyContractAbi = parseAbi([
  "event Transfer(address indexed from, address indexed to, uint256 indexed tokenId)",
  "function mint() payable returns (uint256 tokenId)",
  "function price() view returns (uint256)",
  "function ownerOf(uint256 tokenId) view returns (address)",
]);
