import { useCallback, useEffect, useMemo, useReducer, useRef } from "react";
import type { RefObject } from "react";
import type { Address } from "viem";
import type { GateVisit } from "~/gate/visit";
import type { PublicSettings } from "~/platform/public-settings";
import type { Session } from "./gate-answers";
import { createGateApi } from "./gate-api";
import { reduceGate } from "./gate-flow";
import type { GateState } from "./gate-flow";
import { refuseForm, submitForm } from "./form-tasks";
import {
  connectWallet,
  disconnectWallet,
  mintKey,
  readKeys,
  reloadRoom,
  requestWallets,
  resumeVisit,
  signIn,
} from "./gate-tasks";
import { walletNeeded } from "./gate-notice";
import type { GateTools } from "./gate-tasks";
import { stateFromVisit } from "./gate-visit";
import { endQuietly, openKept } from "./session-tasks";
import { useSessionWatch } from "./use-session-watch";
import type { WalletSession } from "./wallet-session";

/** Set while a wallet is connected, so that a reload takes it up again, and only then loads the wallet code. */
const connectedMark = "latchkey.wallet.connected";

export type GateActions = {
  openWallets: () => void;
  closeWallets: () => void;
  pickWallet: (walletId: string) => void;
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
export function useGateFlow({ settings, visit }: { settings: PublicSettings; visit: GateVisit }): {
  state: GateState;
  actions: GateActions;
} {
  const [state, dispatch] = useReducer(reduceGate, null, () => stateFromVisit({ visit, nowMs: Date.now() }));
  const patience = useRef(new AbortController());
  const isSubmitting = useRef(false);
  const tools = useGateTools({ settings, dispatch });
  const account = state.phase === "connected" || state.phase === "inside" ? state.account : null;
  const address = account?.address;

  const openedAs = useRef(state.phase === "inside" ? state.room.session : null);
  useWalletEvents({ tools, dispatch, address, openedAs });
  useSessionWatch({ tools, room: state.phase === "inside" ? state.room : null });
  // Outside again the keys are looked for anew: the room may have closed because one is gone.
  const isOutside = state.phase === "connected";
  useEffect(() => {
    if (isOutside && address) void readKeys(tools, address);
  }, [isOutside, tools, address]);

  function wait(): AbortSignal {
    patience.current = new AbortController();
    return patience.current.signal;
  }

  const actions: GateActions = {
    openWallets: () => void requestWallets(tools),
    closeWallets: () => {
      const turn = tools.nextTurn();
      dispatch({ type: "choice-abandoned", turn });
      void openKept(tools, { turn });
    },
    pickWallet: (walletId) => void connectWallet(tools, walletId),
    disconnect: () => {
      writeMark(false);
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
      void endQuietly(tools.api);
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
  return { state, actions };
}

/** Takes up an earlier connection, and follows what the connected wallet does by itself. */
function useWalletEvents({
  tools,
  dispatch,
  address,
  openedAs,
}: {
  tools: GateTools;
  dispatch: GateTools["dispatch"];
  /** The session with which the server drew the page. */
  openedAs: RefObject<Session | null>;
  /** Of the connected wallet. Another chain in the same wallet is no other visitor. */
  address: Address | undefined;
}): void {
  useEffect(() => {
    void resumeVisit(tools, { hadWallet: readMark(), openedAs: openedAs.current });
  }, [tools, openedAs]);

  useEffect(() => {
    if (!address) return;
    writeMark(true);
    let stop: (() => void) | undefined;
    let isOver = false;
    void tools.openWallet().then((wallet) => {
      if (isOver) return;
      stop = wallet.watchAccount((changed) => {
        if (changed === null) writeMark(false);
        // What one wallet has opened is not left open to the next.
        if (changed?.address !== address) void endQuietly(tools.api);
        dispatch({ type: "account-changed", turn: tools.nextTurn(), account: changed });
      });
    });
    return () => {
      isOver = true;
      stop?.();
    };
  }, [tools, dispatch, address]);
}

function useGateTools({
  settings,
  dispatch,
}: {
  settings: PublicSettings;
  dispatch: GateTools["dispatch"];
}): GateTools {
  const turn = useRef(0);
  const session = useRef<Promise<WalletSession> | null>(null);

  const openWallet = useCallback(() => {
    session.current ??= import("./wagmi-session")
      .then(({ openWalletSession }) => openWalletSession({ settings, origin: window.location.origin }))
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
    return { settings, origin, api: createGateApi({ origin }), dispatch, nextTurn, openWallet };
  }, [settings, dispatch, openWallet]);
}

/** Storage may be closed to us; then a reload simply starts from the beginning. */
function readMark(): boolean {
  try {
    return window.localStorage.getItem(connectedMark) !== null;
  } catch {
    return false;
  }
}

function writeMark(isConnected: boolean): void {
  try {
    if (isConnected) window.localStorage.setItem(connectedMark, "1");
    else window.localStorage.removeItem(connectedMark);
  } catch {
    // Nothing to forget where nothing can be kept.
  }
}
