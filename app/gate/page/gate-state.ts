import type { PublicSettings } from "~/platform/config/public-settings";
import type { FormReceipt } from "./form/receipt-card";
import type { GateApi, Grant, Session } from "./gate-api";
import type { ChoiceEvent, KeyChoice } from "./kinds/key-choice";
import type { PageKinds } from "./kinds/page-kind";
import type { Wallet } from "./wallet/use-wallet";
import type { GateActivity, GateNotice } from "./wallet/wallet-notices";
import type { WalletAccount } from "./wallet/wallet-setup";

export type GateTask =
  | { kind: "mint"; step: "funds" | "wallet" | "chain" }
  | { kind: "token"; step: "faucet" }
  | { kind: "sign-in"; step: "nonce" | "wallet" | "server" };

export type GateForm = {
  step: "open" | "signing" | "sending";
  /** The very text the wallet shows while it asks; null until it does. */
  askedText: string | null;
  /** Once there is one, the form has been accepted and is closed. */
  receipt: FormReceipt | null;
  notice: GateNotice | null;
};

export type GateRoom = {
  /** The kind of its key; null where the session names none. */
  kindName: string | null;
  tokenId: string;
  /** The wallet that holds the key, where somebody is in for another one. */
  vault: string | null;
  grant: Grant;
  /** In the cookie; null where none could be kept, or its key has been used up. */
  session: Session | null;
  form: GateForm;
  isReloading: boolean;
};

type Connected = {
  account: WalletAccount;
  choice: KeyChoice;
  /** The account that is selected in the wallet now, where it is not the one this page works with. */
  other?: { account: WalletAccount; isAsked: boolean } | null;
};

export type GateState = {
  /** Counts the things under way. An answer to an earlier one is late: the visitor has gone on, and sees none of it. */
  turn: number;
  notice: GateNotice | null;
} & (
  | { phase: "away" }
  | ({ phase: "connected"; task: GateTask | null } & Connected)
  /** A session that outlived a reload needs no wallet; the form does. */
  | ({ phase: "inside"; room: GateRoom; account: WalletAccount | null } & Omit<Connected, "account">)
);

/** The list of wallets to choose from: `loading` while the wallet code is fetched. */
export type Chooser = "closed" | "loading" | "open";

export type StateIn<Phase extends GateState["phase"]> = Extract<GateState, { phase: Phase }>;

export type FormEvent =
  | { type: "form-started"; turn: number }
  | { type: "form-asked"; turn: number; askedText: string }
  | { type: "form-sending"; turn: number }
  | { type: "form-abandoned"; turn: number }
  | { type: "form-accepted"; turn: number; receipt: FormReceipt };

export type GateEvent =
  | { type: "look-started"; turn: number }
  | { type: "wallets-requested"; turn: number }
  | { type: "account-connected"; turn: number; account: WalletAccount }
  | { type: "account-changed"; turn: number; account: WalletAccount | null }
  | { type: "account-taken"; turn: number }
  | { type: "account-kept" }
  | { type: "network-asked"; turn: number }
  | { type: "disconnected"; turn: number }
  | ChoiceEvent
  | { type: "task-started"; turn: number; task: GateTask }
  | { type: "task-moved"; turn: number; task: GateTask }
  | { type: "task-done"; turn: number }
  | { type: "task-abandoned"; turn: number }
  | ({ type: "granted"; turn: number; grant: Grant } & Pick<GateRoom, "kindName" | "tokenId" | "vault">)
  | { type: "session-opened"; turn: number; session: Session; grant: Grant }
  | { type: "session-kept"; session: Session }
  | { type: "session-ended"; turn: number; tokenId: string; notice: GateNotice }
  | { type: "failed"; turn: number; notice: GateNotice }
  | { type: "left"; turn: number }
  | FormEvent
  | { type: "reload-started"; turn: number }
  | { type: "reloaded"; turn: number; grant: Grant };

export type GateTools = {
  settings: PublicSettings;
  kinds: PageKinds;
  origin: string;
  api: GateApi;
  dispatch: (event: GateEvent) => void;
  /** A number greater than every one before; see `turn` in the state. */
  nextTurn: () => number;
  /** Runs something in a new turn; an error becomes a notice about the activity. Whether there was none. */
  run: (activity: GateActivity, work: (turn: number) => Promise<void>) => Promise<boolean>;
  /** Loads the wallet code at the first call, and always answers with the same wallet. */
  openWallet: () => Promise<Wallet>;
};

/** The account that the page works with; null without a wallet. */
export function accountOf(state: GateState): WalletAccount | null {
  return state.phase === "away" ? null : state.account;
}
