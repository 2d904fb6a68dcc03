/** All of it ends up in the HTML: nothing secret belongs here. */
export type PublicSettings = {
  mode: "demo" | "development" | "production";
  chainId: number;
  /** For the first kind of key; null for a membership. */
  contractAddress: `0x${string}` | null;
  keyStandard: "erc721" | "erc1155" | "unlock" | "erc4907" | "membership";
  appName: string;
  /** null: use the wallet. */
  rpcUrlForBrowser: string | null;
  wallets: PublicWalletSettings;
};

export type PublicWalletSettings = {
  /** For a wallet that does not know the chain. Without an address it can't add it. */
  chain: { name: string; currency: string; rpcUrl: string | null; explorerUrl: string | null };
  /** A page that offers keys; null if the operator names none. */
  keyShopUrl: string | null;
  walletConnect: { projectId: string; relayUrl: string } | null;
  base: boolean;
};
