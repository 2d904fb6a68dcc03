import type { Address, Hex } from "viem";

export type WalletChoice = {
  id: string;
  name: string;
  /** A data: URI the wallet brought along; addresses of the outside world are never loaded. */
  icon: string | null;
  /** The built-in demo wallet. */
  isTestKey: boolean;
};

export type WalletAccount = { address: Address; chainId: number; walletName: string };

/** What the page asks of a wallet. The implementation is loaded only once the visitor wants to connect. */
export type WalletSession = {
  listWallets: () => WalletChoice[];
  connect: (walletId: string) => Promise<WalletAccount>;
  /** The account this browser was connected with before, without asking anything; null when there is none. */
  reconnect: () => Promise<WalletAccount | null>;
  disconnect: () => Promise<void>;
  /** Told of every change the wallet makes by itself; null means it went away. Returns the way to stop. */
  watchAccount: (onChange: (account: WalletAccount | null) => void) => () => void;
  /** Brings the wallet to the chain the keys live on, asking the person if need be. */
  ensureChain: () => Promise<void>;
  signMessage: (request: { address: Address; message: string }) => Promise<Hex>;
  /** Ids of the keys in this wallet, newest first; null when the chain cannot list them. */
  findKeys: (address: Address) => Promise<string[] | null>;
  /** Asks the wallet to send the mint; `minted` settles when the chain has it. */
  mintKey: (address: Address) => Promise<{ minted: Promise<string> }>;
};

export const demoWalletId = "app.latchkey.demo-wallet";
