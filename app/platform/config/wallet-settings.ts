import type { Setting } from "./setting";

/** The part of the list of settings that is about visitors' wallets. */
export const walletSettings = [
  {
    name: "KEY_SHOP_URL",
    group: "Wallets",
    effect: "Page where a visitor without a key can get one; shown to those whose wallet holds none.",
  },
  {
    name: "CHAIN_NAME",
    group: "Wallets",
    effect:
      "Name of the chain, for people and for wallets that do not know it. Default: Chain and its number.",
  },
  {
    name: "CHAIN_CURRENCY",
    group: "Wallets",
    default: "ETH",
    effect: "Symbol of the chain's own coin, 2 to 11 letters and digits.",
  },
  {
    name: "CHAIN_WALLET_RPC_URL",
    group: "Wallets",
    effect:
      "Public https:// address of the chain for wallets that have yet to add it. Everybody can read it: never one that holds a key of yours.",
  },
  {
    name: "CHAIN_EXPLORER_URL",
    group: "Wallets",
    effect: "Block explorer that wallets get to know with the chain.",
  },
  {
    name: "WALLETCONNECT_PROJECT_ID",
    group: "Wallets",
    effect:
      "Offers WalletConnect: the 32 hex digits of your project there. Its code and its relay are reached only by visitors who choose it.",
  },
  {
    name: "WALLETCONNECT_RELAY_URL",
    group: "Wallets",
    default: "wss://relay.walletconnect.org",
    effect: "The relay between page and wallet.",
  },
  {
    name: "BASE_WALLET",
    group: "Wallets",
    default: "false",
    effect: "Offers Base, a wallet without an extension, in a window of keys.coinbase.com.",
  },
] as const satisfies readonly Setting[];
