import { parseAbi } from "viem";

/** The part of a key contract that the page and its journeys call. The page does so in bytes, see `key-calls.ts`. */
export const keyContractAbi = parseAbi([
  "event Transfer(address indexed from, address indexed to, uint256 indexed tokenId)",
  "function mint() payable returns (uint256 tokenId)",
  "function price() view returns (uint256)",
  "function transferFrom(address from, address to, uint256 tokenId)",
  "function ownerOf(uint256 tokenId) view returns (address)",
]);
