/** What the page may know of the configuration. All of it ends up in the HTML: nothing secret belongs here. */
export type PublicSettings = {
  mode: "demo" | "development" | "production";
  chainId: number;
  contractAddress: `0x${string}`;
  keyStandard: "erc721" | "erc1155" | "unlock";
  appName: string;
  /** A JSON-RPC address the browser may read the chain through; null means: ask the wallet. */
  rpcUrlForBrowser: string | null;
};
