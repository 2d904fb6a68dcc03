import type { GateVisit } from "~/gate/session/visit";
import { readSession } from "./gate-api";
import type { Grant, Session } from "./gate-api";
import { noticeForEnd, noticeForProblem, otherWallet, walletLeft } from "./gate-notice";
import type { FormEvent, GateEvent, GateForm, GateRoom, GateState, StateIn } from "./gate-state";
import type { GateNotice } from "./wallet/wallet-notices";
import { noChoice, reduceChoice } from "./kinds/key-choice";
import type { WalletAccount } from "./wallet/wallet-setup";

type WithKeys = StateIn<"connected" | "inside">;

export const initialGateState: GateState = { phase: "away", turn: 0, notice: null };
const openForm: GateForm = { step: "open", askedText: null, receipt: null, notice: null };

/** Where the visitor stands when the page arrives: as the server drew it, so that both draw the same. */
export function stateFromVisit(visit: GateVisit, nowMs: number): GateState {
  if (visit.kind === "unknown") return { ...initialGateState, notice: noticeForProblem(visit.problem) };
  const answer = readSession(visit.session, nowMs);
  if (answer.session && visit.kind === "inside") {
    return openKept(initialGateState, answer.session, { accessToken: null, content: visit.content });
  }
  const ended = answer.session ? null : answer.ended;
  return ended ? { ...initialGateState, notice: noticeForEnd(ended) } : initialGateState;
}

/** Events that begin something new; all others must belong to the turn that is under way. */
const openingEvents = new Set<GateEvent["type"]>([
  ...(["look-started", "wallets-requested", "account-changed", "account-taken"] as const),
  ...(["network-asked", "disconnected"] as const),
  ...(["task-started", "task-abandoned", "left", "form-started", "form-abandoned"] as const),
  ...(["reload-started", "session-ended"] as const),
]);

export function reduceGate(state: GateState, event: GateEvent): GateState {
  if ("turn" in event) {
    const isTimely = openingEvents.has(event.type) ? event.turn > state.turn : event.turn === state.turn;
    if (!isTimely) return state;
  }
  switch (event.type) {
    case "look-started":
      return { ...state, turn: event.turn };
    case "wallets-requested":
      return { ...state, turn: event.turn, notice: null };
    case "disconnected":
      return { phase: "away", turn: event.turn, notice: null };
    case "account-connected":
      return connectAccount(state, event.account);
    case "session-opened":
      return openKept(state, event.session, event.grant);
    case "failed":
      return fail(state, event.notice);
    default:
      return state.phase === "connected" || state.phase === "inside" ? reduceWithKeys(state, event) : state;
  }
}

function reduceWithKeys(state: WithKeys, event: GateEvent): GateState {
  switch (event.type) {
    case "keys-read":
      if (!state.account) return state;
      return { ...state, choice: reduceChoice(state.choice, event, state.account.address) };
    case "left":
      return leaveRoom(state, event.turn, null);
    case "account-changed":
      return changeAccount(state, event.turn, event.account);
    case "account-kept":
      // Before the page's account can sign again, the wallet has to select it.
      return { ...state, other: state.other ? { ...state.other, isAsked: false } : null };
    case "account-taken":
      return state.other ? connectedState(event.turn, state.other.account) : state;
    case "network-asked":
      return isBusy(state) ? state : { ...state, turn: event.turn, notice: null };
    default:
      return state.phase === "inside" ? reduceInside(state, event) : reduceConnected(state, event);
  }
}

function reduceConnected(state: StateIn<"connected">, event: GateEvent): GateState {
  switch (event.type) {
    case "kind-chosen":
    case "vault-typed":
      if (state.task) return state;
      return { ...state, notice: null, choice: reduceChoice(state.choice, event, state.account.address) };
    case "token-id-typed":
      return { ...state, choice: reduceChoice(state.choice, event, state.account.address) };
    case "task-started":
      return state.task ? state : { ...state, turn: event.turn, task: event.task, notice: null };
    case "task-moved":
      return state.task ? { ...state, task: event.task } : state;
    case "task-done":
      return { ...state, task: null };
    case "task-abandoned":
      return { ...state, turn: event.turn, task: null };
    case "key-minted":
      return { ...state, task: null, choice: reduceChoice(state.choice, event, state.account.address) };
    case "granted": {
      const { kindName, tokenId, vault, grant } = event;
      return enterRoom(state, { kindName, tokenId, vault, grant, session: null });
    }
    default:
      return state;
  }
}

function reduceInside(state: StateIn<"inside">, event: GateEvent): GateState {
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
      if (!isOfRoom(event.session, room) || room.form.receipt) return state;
      // From here on the cookie speaks for the visitor: the page itself holds no token.
      const grant = room.grant.accessToken === null ? room.grant : { ...room.grant, accessToken: null };
      return { ...state, room: { ...room, grant, session: event.session } };
    }
    case "session-ended": {
      const isEndedByForm = room.form.step !== "open" || room.form.receipt;
      if (isEndedByForm || event.tokenId !== room.tokenId) return state;
      return leaveRoom(state, event.turn, event.notice);
    }
    case "reload-started":
      return { ...state, turn: event.turn, notice: null, room: { ...room, isReloading: true } };
    case "reloaded": {
      // A call with the token brings no new token: the present one stays in use.
      const accessToken = event.grant.accessToken ?? room.grant.accessToken;
      return { ...state, room: { ...room, isReloading: false, grant: { ...event.grant, accessToken } } };
    }
    default:
      return state;
  }
}

/** Null where the event means nothing to a form in this state, and nothing may change. */
function reduceForm(form: GateForm, event: FormEvent): GateForm | null {
  switch (event.type) {
    case "form-started":
      return form.step !== "open" || form.receipt ? null : { ...openForm, step: "signing" };
    case "form-asked":
      return form.step === "signing" ? { ...form, askedText: event.askedText } : null;
    case "form-sending":
      return form.step === "signing" ? { ...form, step: "sending" } : null;
    case "form-abandoned":
      // A request that was sent cannot be recalled.
      return form.step === "signing" ? openForm : null;
    case "form-accepted":
      return { ...openForm, receipt: event.receipt };
  }
}

function fail(state: GateState, notice: GateNotice): GateState {
  switch (state.phase) {
    case "away":
      return { phase: "away", turn: state.turn, notice };
    case "connected":
      return { ...state, task: null, notice };
    case "inside": {
      const { room } = state;
      if (room.form.step === "open") return { ...state, notice, room: { ...room, isReloading: false } };
      return { ...state, room: { ...room, form: { ...room.form, step: "open", askedText: null, notice } } };
    }
  }
}

/** A wallet found again after a reload joins the room that its session has opened already. */
function connectAccount(state: GateState, account: WalletAccount): GateState {
  const connected = connectedState(state.turn, account);
  // Found again by itself: why the room is closed stays on the page.
  if (state.phase === "away") return { ...connected, notice: state.notice };
  if (state.phase !== "inside") return connected;
  if (state.room.session?.address === account.address.toLowerCase()) {
    return { ...state, account, choice: { ...state.choice, findings: null } };
  }
  return { ...connected, notice: otherWallet };
}

/** Another account is no reason to throw anybody out: they are asked. On another chain, what was proved stays proved. */
function changeAccount(state: WithKeys, turn: number, account: WalletAccount | null): GateState {
  if (account === null) return loseWallet(state, turn);
  if (account.address === state.account?.address) return { ...state, account, other: null };
  return { ...state, other: { account, isAsked: true } };
}

/** A room with a session needs no wallet, so a wallet that locks itself leaves it open. */
function loseWallet(state: WithKeys, turn: number): GateState {
  if (state.phase === "connected" || !state.room.session) return { phase: "away", turn, notice: walletLeft };
  const { form } = state.room;
  const lost = { ...state, account: null, other: null, notice: walletLeft };
  // A request to the server continues; one to the wallet does not.
  if (form.step === "sending") return lost;
  return { ...lost, turn, room: { ...state.room, form: { ...form, step: "open", askedText: null } } };
}

function openKept(state: GateState, session: Session, grant: Grant): GateState {
  const { key: kindName, tokenId, vault } = session;
  const room = { kindName, tokenId, vault, grant, session };
  if (state.phase === "away") {
    const choice = { ...noChoice, kindName, tokenId, vault: vault ?? "", takesDelegates: vault !== null };
    return enterRoom({ turn: state.turn, account: null, choice }, room);
  }
  if (state.phase !== "connected" || state.task) return state;
  if (state.account.address.toLowerCase() !== session.address) return { ...state, notice: otherWallet };
  return enterRoom(state, room);
}

function enterRoom(
  { turn, account, choice, other = null }: Pick<WithKeys, "turn" | "account" | "choice" | "other">,
  opened: Omit<GateRoom, "form" | "isReloading">,
): GateState {
  const room = { ...opened, form: openForm, isReloading: false };
  return { phase: "inside", turn, notice: null, account, choice, other, room };
}

function leaveRoom(state: WithKeys, turn: number, notice: GateNotice | null): GateState {
  const { account, choice, other = null } = state;
  if (account === null) return { phase: "away", turn, notice };
  return { phase: "connected", turn, notice, account, choice, other, task: null };
}

function connectedState(turn: number, account: WalletAccount): StateIn<"connected"> {
  return { phase: "connected", turn, notice: null, account, choice: noChoice, task: null };
}

/** Whether a session is of the key that opened the room. Where keys are of one kind, it names none. */
export function isOfRoom({ key, tokenId, vault }: Session, room: GateRoom): boolean {
  const isSameKind = key === null || room.kindName === null || key === room.kindName;
  return isSameKind && tokenId === room.tokenId && vault === room.vault;
}

function isBusy(state: WithKeys): boolean {
  if (state.phase === "connected") return state.task !== null;
  return state.room.form.step !== "open" || state.room.isReloading;
}
