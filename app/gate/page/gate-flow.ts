import { openForm, reduceForm } from "./form/form-flow";
import type { FormEvent } from "./form/form-flow";
import type { Grant, Session } from "./gate-answers";
import { changeAccount, keepAccount } from "./wallet/account-change";
import { otherWallet } from "./gate-notice";
import type { GateNotice } from "./gate-notice-shape";
import { addKey, withKeys } from "./entry/held-keys";
import type { WalletAccount, WalletChoice } from "./wallet/wallet-session";
import type { GateState, GateTask } from "./gate-state";

export type GateEvent =
  | { type: "reconnect-started"; turn: number }
  | { type: "wallets-requested"; turn: number }
  | { type: "wallets-listed"; turn: number; wallets: WalletChoice[] }
  | { type: "wallet-picked"; turn: number; walletId: string }
  | { type: "wallets-changed"; wallets: WalletChoice[] }
  | { type: "pairing-offered"; turn: number; uri: string }
  | { type: "wallet-unpicked"; turn: number }
  | { type: "choice-abandoned"; turn: number }
  | { type: "account-connected"; turn: number; account: WalletAccount }
  | { type: "account-changed"; turn: number; account: WalletAccount | null }
  | { type: "account-taken"; turn: number }
  | { type: "account-kept" }
  | { type: "network-asked"; turn: number }
  | { type: "disconnected"; turn: number }
  | { type: "keys-read"; address: string; tokenIds: string[] | null }
  | { type: "token-id-typed"; tokenId: string }
  | { type: "task-started"; turn: number; task: GateTask }
  | { type: "task-moved"; turn: number; task: GateTask }
  | { type: "task-abandoned"; turn: number }
  | { type: "key-minted"; turn: number; tokenId: string }
  | { type: "granted"; turn: number; tokenId: string; grant: Grant }
  | { type: "session-opened"; turn: number; session: Session; grant: Grant }
  | { type: "session-kept"; session: Session }
  | { type: "session-ended"; turn: number; tokenId: string; notice: GateNotice }
  | { type: "failed"; turn: number; notice: GateNotice }
  | { type: "left"; turn: number }
  | FormEvent
  | { type: "reload-started"; turn: number }
  | { type: "reloaded"; turn: number; grant: Grant };

export const initialGateState: GateState = { phase: "away", turn: 0, notice: null };

/** Events that begin something new; all others must belong to the turn that is under way. */
const openingEvents = new Set<GateEvent["type"]>([
  ...(["reconnect-started", "wallets-requested", "wallet-picked", "wallet-unpicked"] as const),
  ...(["choice-abandoned", "account-changed", "account-taken", "network-asked", "disconnected"] as const),
  ...(["task-started", "task-abandoned", "left", "form-started", "form-abandoned"] as const),
  ...(["reload-started", "session-ended"] as const),
]);

export function reduceGate(state: GateState, event: GateEvent): GateState {
  if ("turn" in event) {
    const isTimely = openingEvents.has(event.type) ? event.turn > state.turn : event.turn === state.turn;
    if (!isTimely) return state;
  }
  switch (event.type) {
    case "reconnect-started":
      return { ...state, turn: event.turn };
    case "wallets-requested":
      return { phase: "fetching-wallets", turn: event.turn, notice: null };
    case "wallets-listed":
      if (state.phase !== "fetching-wallets") return state;
      return { ...state, phase: "choosing", wallets: event.wallets, pickedId: null };
    case "wallet-picked":
      if (state.phase !== "choosing") return state;
      return { ...state, turn: event.turn, pickedId: event.walletId, pairingUri: null, notice: null };
    case "wallet-unpicked":
      return state.phase === "choosing"
        ? { ...state, turn: event.turn, pickedId: null, pairingUri: null }
        : state;
    case "wallets-changed":
      return state.phase === "choosing" ? { ...state, wallets: event.wallets } : state;
    case "pairing-offered":
      return state.phase === "choosing" ? { ...state, pairingUri: event.uri } : state;
    case "choice-abandoned":
    case "disconnected":
      return { phase: "away", turn: event.turn, notice: null };
    case "account-connected":
      return connectAccount(state, event.account);
    case "session-opened":
      return openKept(state, event);
    case "failed":
      return fail(state, event.notice);
    default:
      return state.phase === "connected" || state.phase === "inside" ? reduceConnected(state, event) : state;
  }
}

type ConnectedState = Extract<GateState, { phase: "connected" | "inside" }>;

function reduceConnected(state: ConnectedState, event: GateEvent): GateState {
  switch (event.type) {
    case "keys-read":
      if (event.address !== state.account?.address) return state;
      return { ...state, ...withKeys(state, event.tokenIds) };
    case "token-id-typed":
      return state.phase === "connected" ? { ...state, tokenId: event.tokenId } : state;
    case "task-started":
      if (state.phase !== "connected" || state.task) return state;
      return { ...state, turn: event.turn, task: event.task, notice: null };
    case "task-moved":
      return state.phase === "connected" && state.task ? { ...state, task: event.task } : state;
    case "task-abandoned":
      return state.phase === "connected" ? { ...state, turn: event.turn, task: null } : state;
    case "key-minted":
      if (state.phase !== "connected") return state;
      return { ...state, task: null, tokenId: event.tokenId, keys: addKey(state.keys, event.tokenId) };
    case "granted":
      if (state.phase !== "connected") return state;
      return enterRoom({ state, tokenId: event.tokenId, grant: event.grant, session: null });
    case "left":
      return leaveRoom({ state, turn: event.turn, notice: null });
    case "account-changed":
      return changeAccount(state, event.turn, event.account);
    case "account-kept":
      return keepAccount(state);
    case "account-taken":
      return state.other ? connectedState({ ...state, turn: event.turn }, state.other.account) : state;
    case "network-asked":
      return isBusy(state) ? state : { ...state, turn: event.turn, notice: null };
    default:
      return state.phase === "inside" ? reduceInside(state, event) : state;
  }
}

function reduceInside(state: Extract<GateState, { phase: "inside" }>, event: GateEvent): GateState {
  const { room } = state;
  switch (event.type) {
    case "form-started":
    case "form-asked":
    case "form-sending":
    case "form-abandoned":
    case "form-accepted": {
      const form = reduceForm(room.form, event);
      if (!form) return state;
      // The key is used up with an accepted form, and the session with it.
      const session = form.receipt ? null : room.session;
      return { ...state, turn: event.turn, notice: null, room: { ...room, session, form } };
    }
    case "session-kept": {
      const isSame = event.session.tokenId === room.tokenId && !room.form.receipt;
      if (!isSame) return state;
      // From here on the cookie speaks for the visitor: the page itself holds no token.
      const grant = room.grant.accessToken === null ? room.grant : { ...room.grant, accessToken: null };
      return { ...state, room: { ...room, grant, session: event.session } };
    }
    case "session-ended": {
      const isOwnDoing = room.form.step !== "open" || room.form.receipt;
      if (isOwnDoing || event.tokenId !== room.tokenId) return state;
      return leaveRoom({ state, turn: event.turn, notice: event.notice });
    }
    case "reload-started":
      return { ...state, turn: event.turn, notice: null, room: { ...room, isReloading: true } };
    case "reloaded": {
      // A call with the token brings no new token: the one at hand goes on being used.
      const accessToken = event.grant.accessToken ?? room.grant.accessToken;
      return { ...state, room: { ...room, isReloading: false, grant: { ...event.grant, accessToken } } };
    }
    default:
      return state;
  }
}

function fail(state: GateState, notice: GateNotice): GateState {
  switch (state.phase) {
    case "fetching-wallets":
      return { phase: "away", turn: state.turn, notice };
    case "choosing":
      return { ...state, pickedId: null, pairingUri: null, notice };
    case "connected":
      return { ...state, task: null, notice };
    case "inside": {
      const { room } = state;
      if (room.form.step === "open") return { ...state, notice, room: { ...room, isReloading: false } };
      return { ...state, room: { ...room, form: { ...room.form, step: "open", askedText: null, notice } } };
    }
    case "away":
      return { ...state, notice };
  }
}

/** Back to the keys, or to the start where no wallet is connected. */
function leaveRoom({
  state: { account, keys, tokenId, other = null },
  turn,
  notice,
}: {
  state: ConnectedState;
  turn: number;
  notice: GateNotice | null;
}): GateState {
  if (account === null) return { phase: "away", turn, notice };
  return { phase: "connected", turn, notice, account, keys, tokenId, other, task: null };
}

/** A wallet found again after a reload joins the room that its session has opened already. */
function connectAccount(state: GateState, account: WalletAccount): GateState {
  // Found again by itself: why the room is closed stays on the page.
  if (state.phase === "away") return { ...connectedState(state, account), notice: state.notice };
  if (state.phase !== "inside") return connectedState(state, account);
  if (state.room.session?.address === account.address.toLowerCase()) {
    return { ...state, account, keys: { status: "loading" } };
  }
  return { ...connectedState(state, account), notice: otherWallet };
}

function openKept(state: GateState, event: Extract<GateEvent, { type: "session-opened" }>): GateState {
  const { session, grant } = event;
  const { tokenId } = session;
  if (state.phase === "away") {
    const nobody = { ...state, account: null, keys: { status: "unlisted" }, tokenId } as const;
    return enterRoom({ state: nobody, tokenId, grant, session });
  }
  if (state.phase !== "connected" || state.task) return state;
  if (state.account.address.toLowerCase() !== session.address) return { ...state, notice: otherWallet };
  return enterRoom({ state, tokenId, grant, session });
}

function connectedState(state: GateState, account: WalletAccount): GateState {
  const { turn } = state;
  return {
    phase: "connected",
    turn,
    notice: null,
    account,
    keys: { status: "loading" },
    tokenId: "",
    task: null,
  };
}

function isBusy(state: ConnectedState): boolean {
  return state.phase === "connected"
    ? state.task !== null
    : state.room.form.step !== "open" || state.room.isReloading;
}

type EnterRoomOptions = {
  state: Pick<ConnectedState, "turn" | "account" | "keys" | "other">;
  tokenId: string;
  grant: Grant;
  session: Session | null;
};

export function enterRoom({ state, tokenId, grant, session }: EnterRoomOptions): GateState {
  const { turn, account, keys, other = null } = state;
  const room = { tokenId, grant, session, form: openForm, isReloading: false };
  return { phase: "inside", turn, notice: null, account, keys, tokenId, other, room };
}
