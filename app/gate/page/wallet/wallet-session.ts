import type { Address, Hex } from "viem";

export type WalletChoice = {
  id: string;
  /** Cleaned: wallets choose their own names. */
  name: string;
  /** A data: URI the wallet brought along; addresses of the outside world are never loaded. */
  icon: string | null;
  kind: "browser" | "demo" | "walletconnect" | "base";
  /** Tells wallets of the same name apart. */
  origin: string | null;
};

export type WalletAccount = { address: Address; chainId: number; walletId: string; walletName: string };

/** What came of looking for the wallet of an earlier visit. `asleep`: it may be asked only when the person wants it. */
export type Reconnection = WalletAccount | "gone" | "locked" | "asleep";

/** What the page asks of a wallet. The implementation is loaded only once the visitor wants to connect. */
export type WalletSession = {
  listWallets: () => WalletChoice[];
  /** Wallets may announce themselves late. Returns the way to stop. */
  watchWallets: (onChange: (wallets: WalletChoice[]) => void) => () => void;
  /** `onPairing` gets the address that a wallet on another device is paired by. */
  connect: (request: { walletId: string; onPairing: (uri: string) => void }) => Promise<WalletAccount>;
  /** Whatever is still being asked for comes too late from now on. */
  abandonConnect: () => void;
  /** The wallet this browser was connected with before, without asking anybody anything. */
  reconnect: (walletId: string) => Promise<Reconnection>;
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

export const demoWalletId = "latchkey-demo";
export const walletConnectId = "walletconnect";
export const baseWalletId = "base";
