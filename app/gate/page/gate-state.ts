import type { GateForm } from "./form/form-flow";
import type { Grant, Session } from "./gate-answers";
import type { GateNotice } from "./gate-notice-shape";
import type { WalletAccount, WalletChoice } from "./wallet/wallet-session";

/** The keys in the connected wallet. `unlisted`: the chain could not say, the number has to be typed. */
export type HeldKeys =
  { status: "loading" } | { status: "listed"; tokenIds: string[] } | { status: "unlisted" };

export type GateTask =
  | { kind: "mint"; step: "funds" | "wallet" | "chain" }
  | { kind: "sign-in"; step: "nonce" | "wallet" | "server" };

export type GateRoom = {
  tokenId: string;
  grant: Grant;
  /** In the cookie; null where none could be kept, or its key has been used up. */
  session: Session | null;
  form: GateForm;
  isReloading: boolean;
};

/** The account that is selected in the wallet now, where it is not the one this page works with. */
export type OtherAccount = { account: WalletAccount; isAsked: boolean };

type Connected = { account: WalletAccount; keys: HeldKeys; tokenId: string; other?: OtherAccount | null };

export type GateState = {
  /**
   * Counts the things under way. An answer that belongs to an earlier count comes too late: the visitor has
   * gone on, changed the wallet or left, and it must not change what they see.
   */
  turn: number;
  notice: GateNotice | null;
} & (
  | { phase: "away" }
  | { phase: "fetching-wallets" }
  | { phase: "choosing"; wallets: WalletChoice[]; pickedId: string | null; pairingUri?: string | null }
  | ({ phase: "connected"; task: GateTask | null } & Connected)
  /** A session that outlived a reload needs no wallet; the form does. */
  | ({ phase: "inside"; room: GateRoom; account: WalletAccount | null } & Omit<Connected, "account">)
);
