import { isAddress } from "viem";
import type { Address } from "viem";
import { isLocalChain } from "~/platform/chain/chain.settings";
import { splitList } from "~/platform/config/kinds";
import { InvalidSetting } from "~/platform/config/setting";

/** In lower case. */
export type WalletFactories = ReadonlySet<string> | "any";

/** None calls code of its caller's choice. docs/security.md names their sources. */
export const defaultWalletFactories: WalletFactories = new Set([
  // Coinbase Smart Wallet 1 and 1.1
  "0x0ba5ed0c6aa8c49038f819e587e2633c4a9f428a",
  "0xba5ed110efdba3d005bfc882d75358acbbb85842",
  // Alchemy Light Account 1.1 and 2, Modular Account 2
  "0x00004ec70002a32400f8ae005a26081065620d20",
  "0x0000000000400cdfef5e2714e63d8040b700bc24",
  "0x00000000000017c61b5bee81050ec8efc9c6fecd",
  // Sequence 1 and 2
  "0xf9d09d634fb818b05149329c1dccfaea53639d96",
  "0xfaa5c0b14d1bed5c888ca655b9a8a5911f78ef4a",
]);

export function parseWalletFactories(given: string): WalletFactories {
  const entries = splitList(given);
  if (entries.length === 1 && entries[0] === "*") return "any";
  if (entries.length > 0 && entries.every((entry) => isAddress(entry))) {
    return new Set(entries.map((entry) => entry.toLowerCase()));
  }
  throw new InvalidSetting(
    "must be * alone, or list addresses: 0x and 40 hex digits, with a right checksum if mixed case.",
  );
}

/** Local chains accept any factory. */
export function isListedFactory(factories: WalletFactories, chainId: number, factory: Address): boolean {
  return factories === "any" || isLocalChain(chainId) || factories.has(factory.toLowerCase());
}
