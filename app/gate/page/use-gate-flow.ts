import { useCallback, useMemo, useReducer, useRef } from "react";
import type { GateVisit } from "~/gate/visit";
import type { PublicSettings } from "~/platform/public-settings";
import { createGateApi } from "./gate-api";
import { reduceGate } from "./gate-flow";
import type { GateState } from "./gate-state";
import { refuseForm, submitForm } from "./form/form-tasks";
import { connectWallet, disconnectWallet, mintKey, reloadRoom, requestWallets, signIn } from "./gate-tasks";
import { walletNeeded } from "./gate-notice";
import type { GateTools } from "./gate-tools";
import { stateFromVisit } from "./gate-visit";
import { openKept, signOut } from "./entry/session-tasks";
import { useSessionWatch } from "./entry/use-session-watch";
import { rememberWallet, useWalletEvents } from "./wallet/use-wallet-events";
import { loadProofs } from "./entry/load-proofs";
import type { RememberedWallet } from "./wallet/wallet-cookie";
import type { WalletSession } from "./wallet/wallet-session";
import { switchNetwork, takeAccount, unpickWallet } from "./wallet/wallet-tasks";

export type GateActions = {
  openWallets: () => void;
  closeWallets: () => void;
  pickWallet: (walletId: string) => void;
  unpickWallet: () => void;
  takeAccount: () => void;
  keepAccount: () => void;
  switchNetwork: () => Promise<void>;
  disconnect: () => void;
  typeTokenId: (tokenId: string) => void;
  mint: () => void;
  signIn: () => void;
  leave: () => void;
  reload: () => void;
  submit: (text: string) => void;
  /** Waits for the wallet no longer; what it signs after that is not used. */
  stopWaiting: () => void;
  /** Why the form cannot be signed now is said beside it, before the visitor is shown anything to sign. */
  refuseForm: () => void;
};

/** The visitor's way through the gate: the state, and what they can do in it. No script can read the session. */
export function useGateFlow(
  settings: PublicSettings,
  visit: GateVisit,
  remembered: RememberedWallet | null,
): { state: GateState; returning: RememberedWallet | null; actions: GateActions } {
  const [state, dispatch] = useReducer(reduceGate, null, () => stateFromVisit(visit, Date.now()));
  const patience = useRef(new AbortController());
  const isSubmitting = useRef(false);
  const tools = useGateTools(settings, dispatch);
  const account = state.phase === "connected" || state.phase === "inside" ? state.account : null;

  const returning = useWalletEvents({ tools, state, remembered });
  useSessionWatch(tools, state.phase === "inside" ? state.room : null);

  function wait(): AbortSignal {
    patience.current = new AbortController();
    return patience.current.signal;
  }

  const actions: GateActions = {
    openWallets: () => void requestWallets(tools),
    closeWallets: () => {
      void unpickWallet(tools);
      const turn = tools.nextTurn();
      dispatch({ type: "choice-abandoned", turn });
      void openKept(tools, { turn });
    },
    pickWallet: (walletId) => void connectWallet(tools, walletId),
    unpickWallet: () => void unpickWallet(tools),
    takeAccount: () => takeAccount(tools),
    keepAccount: () => dispatch({ type: "account-kept" }),
    switchNetwork: () => switchNetwork(tools),
    disconnect: () => {
      rememberWallet(null);
      void disconnectWallet(tools);
    },
    typeTokenId: (tokenId) => dispatch({ type: "token-id-typed", tokenId }),
    mint: () => {
      if (account) void mintKey(tools, account);
    },
    signIn: () => {
      if (account && state.phase === "connected")
        void signIn(tools, { account, tokenId: state.tokenId.trim(), signal: wait() });
    },
    stopWaiting: () => {
      patience.current.abort();
      const type = state.phase === "inside" ? "form-abandoned" : "task-abandoned";
      dispatch({ type, turn: tools.nextTurn() });
    },
    leave: () => {
      dispatch({ type: "left", turn: tools.nextTurn() });
      signOut(tools.api);
    },
    reload: () => {
      if (state.phase === "inside") void reloadRoom(tools, { account, room: state.room });
    },
    submit: (text) => {
      // Two presses may come before the page has drawn what the first one changed.
      if (state.phase !== "inside" || !account || isSubmitting.current) return;
      isSubmitting.current = true;
      const order = { account, tokenId: state.room.tokenId, text, signal: wait() };
      void submitForm(tools, order).finally(() => (isSubmitting.current = false));
    },
    refuseForm: () => refuseForm(tools, walletNeeded),
  };
  return { state, returning, actions };
}

function useGateTools(settings: PublicSettings, dispatch: GateTools["dispatch"]): GateTools {
  const turn = useRef(0);
  const session = useRef<Promise<WalletSession> | null>(null);

  const openWallet = useCallback(() => {
    session.current ??= import("./wallet/wagmi-session")
      .then(({ openWalletSession }) => {
        // While the line is there: a module that could not be loaded once stays so until the page is loaded again.
        void loadProofs().catch(() => undefined);
        return openWalletSession({ settings, origin: window.location.origin });
      })
      .catch((error: unknown) => {
        // A failed download is tried again at the next press.
        session.current = null;
        throw error;
      });
    return session.current;
  }, [settings]);

  return useMemo(() => {
    const origin = typeof window === "undefined" ? "http://localhost" : window.location.origin;
    const nextTurn = () => (turn.current += 1);
    return { settings, origin, api: createGateApi(origin), dispatch, nextTurn, openWallet };
  }, [settings, dispatch, openWallet]);
}
