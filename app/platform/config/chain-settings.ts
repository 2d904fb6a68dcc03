import type { Setting } from "./setting";

/** The part of the list of settings that is about the chain and the key. */
export const chainSettings = [
  {
    name: "CHAIN_ID",
    group: "Chain and key",
    effect: "Chain the key contract lives on. Outside production: 31337.",
  },
  {
    name: "RPC_URL",
    group: "Chain and key",
    secret: true,
    effect: "Comma-separated JSON-RPC addresses, tried in turn. Outside production: http://127.0.0.1:8545.",
  },
  { name: "KEY_CONTRACT_ADDRESS", group: "Chain and key", effect: "Address of the key NFT's contract." },
  {
    name: "KEY_STANDARD",
    group: "Chain and key",
    default: "erc721",
    effect: "`erc721`, `erc1155` or `unlock` (memberships that expire).",
  },
  {
    name: "OWNERSHIP_CACHE_SECONDS",
    group: "Chain and key",
    default: "4",
    effect:
      "How long one reading of the chain may serve Bearer calls within the same block; 0 reads every time.",
  },
  {
    name: "CHAIN_POLL_SECONDS",
    group: "Chain and key",
    default: "4",
    effect: "How often the watcher asks the chain for transfers of keys.",
  },
] as const satisfies readonly Setting[];
