/** What the page may know of the configuration. All of it ends up in the HTML: nothing secret belongs here. */
export type PublicSettings = {
  mode: "demo" | "development" | "production";
  chainId: number;
  /** Of the first kind of key; null for a membership, which has none. */
  contractAddress: `0x${string}` | null;
  keyStandard: "erc721" | "erc1155" | "unlock" | "erc4907" | "membership";
  appName: string;
  /** A JSON-RPC address the browser may read the chain through; null means: ask the wallet. */
  rpcUrlForBrowser: string | null;
  wallets: PublicWalletSettings;
};

/** What the page tells wallets, and which ways to a wallet it offers besides those in the browser. */
export type PublicWalletSettings = {
  /** How the chain is described to a wallet that does not know it. Without an address it cannot be added. */
  chain: { name: string; currency: string; rpcUrl: string | null; explorerUrl: string | null };
  /** Where to get a key; null where the operator names no such place. */
  keyShopUrl: string | null;
  walletConnect: { projectId: string; relayUrl: string } | null;
  base: boolean;
};
