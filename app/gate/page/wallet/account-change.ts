import type { GateState } from "../gate-state";
import { walletLeft } from "../gate-notice";
import type { WalletAccount } from "./wallet-session";

type WithAccount = Extract<GateState, { phase: "connected" | "inside" }>;

/**
 * Another account is no reason to throw anybody out: they are asked whether to go on with it. Another chain in the
 * same wallet takes nothing away either: what was proved stays proved.
 */
export function changeAccount(state: WithAccount, turn: number, account: WalletAccount | null): GateState {
  if (account === null) return loseWallet(state, turn);
  if (account.address === state.account?.address) return { ...state, account, other: null };
  return { ...state, other: { account, isAsked: true } };
}

/** They stay with the account of this page; what it signs next, the wallet has to be brought back for. */
export function keepAccount(state: WithAccount): GateState {
  return { ...state, other: state.other ? { ...state.other, isAsked: false } : null };
}

/** A room with a session needs no wallet, so a wallet that locks itself leaves it open. */
function loseWallet(state: WithAccount, turn: number): GateState {
  if (state.phase === "connected" || !state.room.session) return { phase: "away", turn, notice: walletLeft };
  const { form } = state.room;
  const lost = { ...state, account: null, other: null, notice: walletLeft };
  // What is on its way to the server goes on; what waits for the wallet does not.
  if (form.step === "sending") return lost;
  return { ...lost, turn, room: { ...state.room, form: { ...form, step: "open", askedText: null } } };
}
