import type { GateVisit } from "~/gate/session/visit";
import type { PublicSettings } from "~/platform/config/public-settings";
import type { FormReceipt } from "./form/receipt-card";
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

export type GateState = { notice: GateNotice | null } & (
  | { phase: "away" }
  | ({ phase: "connected"; task: GateTask | null } & Connected)
  /** A session that outlived a reload needs no wallet; the form does. */
  | ({ phase: "inside"; room: GateRoom; account: WalletAccount | null } & Omit<Connected, "account">)
);

/** The list of wallets to choose from: `loading` while the wallet code is fetched. */
export type Chooser = "closed" | "loading" | "open";

export type StateIn<Phase extends GateState["phase"]> = Extract<GateState, { phase: Phase }>;

type WithKeys = StateIn<"connected" | "inside">;

export type GatePage = ReturnType<typeof createGatePage>;

export type GateTools = {
  settings: PublicSettings;
  kinds: PageKinds;
  origin: string;
  api: GateApi;
  page: GatePage;
  /** Runs something, in a turn of its own unless one is given, and tells whether it went well: an error becomes the notice. */
  run: (activity: GateActivity, work: (turn: number) => Promise<void>, turn?: number) => Promise<boolean>;
  /** Loads the wallet code at the first call, and always answers with the same wallet. */
  openWallet: () => Promise<Wallet>;
};

/** The state as it is at this moment, for what is under way, and as it was last drawn with `show`. */
export function createGatePage(initial: GateState, show: (state: GateState) => void) {
  let state = initial;
  let turn = 0;

  /** `own`: the turn of what is under way. A late answer changes nothing: the visitor has gone on. */
  function update(change: (state: GateState) => GateState, own = turn): void {
    if (own !== turn) return;
    state = change(state);
    show(state);
  }

  function updateIn<Phase extends GateState["phase"]>(
    phase: Phase,
    change: (state: StateIn<Phase>) => GateState,
    own?: number,
  ): void {
    update((now) => (now.phase === phase ? change(now as StateIn<Phase>) : now), own);
  }

  return {
    read: () => state,
    /** Something new begins, and has this turn. */
    begin: () => (turn += 1),
    isUnderWay: (own: number) => own === turn,
    update,
    updateIn,
    updateRoom: (change: (room: GateRoom) => Partial<GateRoom>, own?: number) =>
      updateIn("inside", (now) => ({ ...now, room: { ...now.room, ...change(now.room) } }), own),
    fail: (notice: GateNotice, own?: number) => update((now) => failed(now, notice), own),
  };
}

export const openForm: GateForm = { step: "open", askedText: null, receipt: null, notice: null };

export const away: GateState = { phase: "away", notice: null };

/** The state that the server drew, so that the browser draws the same first. */
export function stateFromVisit(visit: GateVisit, nowMs: number): GateState {
  if (visit.kind === "unknown") return { ...away, notice: noticeForProblem(visit.problem) };
  const answer = readSession(visit.session, nowMs);
  if (answer.session && visit.kind === "inside") {
    return openKept(away, answer.session, { accessToken: null, content: visit.content });
  }
  const ended = answer.session ? null : answer.ended;
  return ended ? { ...away, notice: noticeForEnd(ended) } : away;
}

/** The account that the page works with; null without a wallet. */
export function accountOf(state: GateState): WalletAccount | null {
  return state.phase === "away" ? null : state.account;
}

export function isBusy(state: GateState): boolean {
  if (state.phase === "inside") return state.room.form.step !== "open" || state.room.isReloading;
  return state.phase === "connected" && state.task !== null;
}

function failed(state: GateState, notice: GateNotice): GateState {
  if (state.phase === "away") return { phase: "away", notice };
  if (state.phase === "connected") return { ...state, task: null, notice };
  const { room } = state;
  if (room.form.step === "open") return { ...state, notice, room: { ...room, isReloading: false } };
  return { ...state, room: { ...room, form: { ...openForm, notice } } };
}

/** A wallet found again after a reload joins the room that its session has opened already. */
export function connectAccount(state: GateState, account: WalletAccount): GateState {
  const connected = connectedState(account);
  // Found again by itself: why the room is closed stays on the page.
  if (state.phase === "away") return { ...connected, notice: state.notice };
  if (state.phase !== "inside") return connected;
  if (state.room.session?.address === account.address.toLowerCase()) {
    return { ...state, account, choice: { ...state.choice, findings: null } };
  }
  return { ...connected, notice: otherWallet };
}

/** Another account is no reason to throw anybody out: they are asked. On another chain, what was proved stays proved. */
export function changeAccount(state: GateState, account: WalletAccount | null): GateState {
  if (state.phase === "away") return state;
  if (account === null) return loseWallet(state);
  if (account.address === state.account?.address) return { ...state, account, other: null };
  return { ...state, other: { account, isAsked: true } };
}

/** A room with a session needs no wallet, so a wallet that locks itself leaves it open. */
function loseWallet(state: WithKeys): GateState {
  if (state.phase === "connected" || !state.room.session) return { phase: "away", notice: walletLeft };
  const { room } = state;
  // A request to the server continues; one to the wallet does not.
  const form =
    room.form.step === "sending" ? room.form : { ...room.form, step: "open" as const, askedText: null };
  return {
    ...state,
    account: null,
    other: null,
    notice: walletLeft,
    room: { ...room, form, isReloading: false },
  };
}

/** The room of a session that was found. */
export function openKept(state: GateState, session: Session, grant: Grant): GateState {
  const { key: kindName, tokenId, vault } = session;
  const room = { kindName, tokenId, vault, grant, session };
  if (state.phase === "away") {
    const choice = { ...noChoice, kindName, tokenId, vault: vault ?? "", takesDelegates: vault !== null };
    return enterRoom({ account: null, choice }, room);
  }
  if (state.phase !== "connected" || state.task) return state;
  if (state.account.address.toLowerCase() !== session.address) return { ...state, notice: otherWallet };
  return enterRoom(state, room);
}

export function enterRoom(
  { account, choice, other = null }: Pick<WithKeys, "account" | "choice" | "other">,
  opened: Omit<GateRoom, "form" | "isReloading">,
): GateState {
  const room = { ...opened, form: openForm, isReloading: false };
  return { phase: "inside", notice: null, account, choice, other, room };
}

export function leaveRoom(state: GateState, notice: GateNotice | null): GateState {
  if (state.phase === "away" || state.account === null) return { phase: "away", notice };
  const { account, choice, other = null } = state;
  return { phase: "connected", notice, account, choice, other, task: null };
}

export function connectedState(account: WalletAccount): StateIn<"connected"> {
  return { phase: "connected", notice: null, account, choice: noChoice, task: null };
}

/** Whether a session is of the key that opened the room. Where keys are of one kind, it names none. */
export function isOfRoom({ key, tokenId, vault }: Session, room: GateRoom): boolean {
  const isSameKind = key === null || room.kindName === null || key === room.kindName;
  return isSameKind && tokenId === room.tokenId && vault === room.vault;
}
