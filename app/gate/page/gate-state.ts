import type { GateVisit } from "~/gate/session/visit";
import type { PublicSettings } from "~/platform/config/public-settings";
import { readSession } from "./gate-api";
import type { GateApi, Grant, Session } from "./gate-api";
import { noticeForEnd, noticeForProblem, otherWallet, walletLeft } from "./gate-notice";
import { noChoice } from "./kinds/key-choice";
import type { KeyChoice } from "./kinds/key-choice";
import type { PageKinds } from "./kinds/page-kind";
import type { Wallet } from "./wallet/use-wallet";
import type { GateActivity, GateNotice } from "./wallet/wallet-notices";
import type { WalletAccount } from "./wallet/wallet-setup";

export type GateTask =
  | { kind: "mint"; step: "funds" | "wallet" | "chain" }
  | { kind: "token"; step: "faucet" }
  | { kind: "sign-in"; step: "nonce" | "wallet" | "server" };

/** The visitor's copy of a form that was sent. */
export type FormReceipt = {
  /** "key #7" */
  keyWords: string;
  address: string;
  host: string;
  text: string;
  /** The fingerprint that the wallet signed. */
  messageHash: string;
  sentAtMs: number;
  /** The response was lost. The key is used by this wallet now, which is the proof. */
  isInferred: boolean;
};

export type GateForm = {
  step: "open" | "signing" | "sending";
  /** The text that the wallet shows now. */
  askedText: string | null;
  /** With a receipt, the form has been accepted and is closed. */
  receipt: FormReceipt | null;
  notice: GateNotice | null;
};

export type GateRoom = {
  /** Null if the session names no kind. */
  kindName: string | null;
  tokenId: string;
  /** The wallet that holds the key, if the visitor is its delegate. */
  vault: string | null;
  grant: Grant;
  /** Null if the browser keeps no cookie, or the key is used up. */
  session: Session | null;
  form: GateForm;
  isReloading: boolean;
};

export type GateState = {
  /** The wallet in use. A session's room needs none; its form does. */
  account: WalletAccount | null;
  /** The account now selected in the wallet, if it is not the one in use. */
  other: { account: WalletAccount; isAsked: boolean } | null;
  choice: KeyChoice;
  task: GateTask | null;
  room: GateRoom | null;
  notice: GateNotice | null;
};
export type Connected = GateState & { account: WalletAccount };
export type Inside = GateState & { room: GateRoom };

/** The list of wallets; `loading` while the wallet code is fetched. */
export type Chooser = "closed" | "loading" | "open";

export type GatePage = ReturnType<typeof createGatePage>;

export type GateTools = {
  settings: PublicSettings;
  kinds: PageKinds;
  origin: string;
  api: GateApi;
  page: GatePage;
  /** Turns an error into the notice, and returns whether the work succeeded. Begins a turn by default. */
  run: (activity: GateActivity, work: (turn: number) => Promise<void>, turn?: number) => Promise<boolean>;
  /** Loads the wallet code once. */
  openWallet: () => Promise<Wallet>;
};

/** The current state, for work in progress. Each action begins a turn; late results of an earlier one are dropped. */
export function createGatePage(initial: GateState, show: (state: GateState) => void) {
  let state = initial;
  let turn = 0;

  function update(change: (state: GateState) => Partial<GateState>, own = turn): void {
    if (own !== turn) return;
    state = { ...state, ...change(state) };
    show(state);
  }

  return {
    read: () => state,
    begin: () => (turn += 1),
    isUnderWay: (own: number) => own === turn,
    update,
    updateRoom: (change: (room: GateRoom) => Partial<GateRoom>, own?: number) =>
      update(({ room }) => (room ? { room: { ...room, ...change(room) } } : {}), own),
    fail: (notice: GateNotice, own?: number) => update((now) => failed(now, notice), own),
  };
}

export const openForm: GateForm = { step: "open", askedText: null, receipt: null, notice: null };

export const away: GateState = {
  account: null,
  other: null,
  choice: noChoice,
  task: null,
  room: null,
  notice: null,
};

/** The server's state, so that the browser renders the same first. */
export function stateFromVisit(visit: GateVisit, nowMs: number): GateState {
  if (visit.kind === "unknown") return { ...away, notice: noticeForProblem(visit.problem) };
  const found = readSession(visit.session, nowMs);
  if (!found.session) return { ...away, notice: found.ended && noticeForEnd(found.ended) };
  if (visit.kind !== "inside") return away;
  return { ...away, ...openKept(away, found.session, { accessToken: null, content: visit.content }) };
}

function failed({ room }: GateState, notice: GateNotice): Partial<GateState> {
  if (room && room.form.step !== "open") return { room: { ...room, form: { ...openForm, notice } } };
  return { task: null, notice, room: room && { ...room, isReloading: false } };
}

/** After a reload, the wallet joins the room that its session has opened already. */
export function connectAccount({ room, ...state }: GateState, account: WalletAccount): Partial<GateState> {
  if (room?.session?.address === account.address.toLowerCase()) {
    return { account, choice: { ...state.choice, findings: null } };
  }
  // A wallet reconnected by itself keeps the reason why the room is closed.
  return { ...away, account, notice: room ? otherWallet : state.account ? null : state.notice };
}

/** The visitor is asked before another account is used. A room without a session can't outlast its wallet. */
export function changeAccount(state: GateState, account: WalletAccount | null): Partial<GateState> {
  const { room } = state;
  if (!state.account && !room) return {};
  if (account?.address === state.account?.address && account) return { account, other: null };
  if (account) return { other: { account, isAsked: true } };
  if (!room?.session) return { ...away, notice: walletLeft };
  // A request to the server continues; one to the wallet does not.
  const form =
    room.form.step === "sending" ? room.form : { ...room.form, step: "open" as const, askedText: null };
  return { account: null, other: null, notice: walletLeft, room: { ...room, form, isReloading: false } };
}

/** Opens the room of a session that was found. */
export function openKept(
  { account, room, task }: GateState,
  session: Session,
  grant: Grant,
): Partial<GateState> {
  const { key: kindName, tokenId, vault } = session;
  if (room || task) return {};
  if (account && account.address.toLowerCase() !== session.address) return { notice: otherWallet };
  const choice = { ...noChoice, kindName, tokenId, vault: vault ?? "", takesDelegates: vault !== null };
  return { ...(account ? {} : { choice }), ...enterRoom({ kindName, tokenId, vault, grant, session }) };
}

export function enterRoom(opened: Omit<GateRoom, "form" | "isReloading">): Partial<GateState> {
  return { task: null, notice: null, room: { ...opened, form: openForm, isReloading: false } };
}

export function leaveRoom({ account }: GateState, notice: GateNotice | null): Partial<GateState> {
  return account ? { task: null, room: null, notice } : { ...away, notice };
}
