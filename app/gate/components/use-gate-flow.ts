import { useCallback, useEffect, useMemo, useReducer, useRef } from "react";
import type { Address } from "viem";
import type { PublicSettings } from "~/platform/public-settings";
import { createGateApi } from "./gate-api";
import { initialGateState, reduceGate } from "./gate-flow";
import type { GateState } from "./gate-flow";
import {
  connectWallet,
  disconnectWallet,
  mintKey,
  readKeys,
  reloadRoom,
  requestWallets,
  resumeConnection,
  signIn,
  submitForm,
} from "./gate-tasks";
import type { GateTools } from "./gate-tasks";
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
};

/** The visitor's way through the gate: the state, and what they can do in it. The token never leaves memory. */
export function useGateFlow(settings: PublicSettings): { state: GateState; actions: GateActions } {
  const [state, dispatch] = useReducer(reduceGate, initialGateState);
  const tools = useGateTools({ settings, dispatch });
  const account = state.phase === "connected" || state.phase === "inside" ? state.account : null;
  const address = account?.address;

  useWalletEvents({ tools, dispatch, address });

  const actions: GateActions = {
    openWallets: () => void requestWallets(tools),
    closeWallets: () => dispatch({ type: "choice-abandoned", turn: tools.nextTurn() }),
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
        void signIn(tools, { account, tokenId: state.tokenId.trim() });
    },
    leave: () => dispatch({ type: "left", turn: tools.nextTurn() }),
    reload: () => {
      if (!account || state.phase !== "inside") return;
      const { tokenId, grant } = state.room;
      void reloadRoom(tools, { account, tokenId, accessToken: grant.accessToken });
    },
    submit: (text) => {
      if (account && state.phase === "inside") {
        void submitForm(tools, { account, tokenId: state.room.tokenId, text });
      }
    },
  };
  return { state, actions };
}

/** Takes up an earlier connection, and follows what the connected wallet does by itself. */
function useWalletEvents({
  tools,
  dispatch,
  address,
}: {
  tools: GateTools;
  dispatch: GateTools["dispatch"];
  /** Of the connected wallet. Another chain in the same wallet is no other visitor. */
  address: Address | undefined;
}): void {
  useEffect(() => {
    if (readMark()) void resumeConnection(tools);
  }, [tools]);

  useEffect(() => {
    if (!address) return;
    writeMark(true);
    void readKeys(tools, address);
    let stop: (() => void) | undefined;
    let isOver = false;
    void tools.openWallet().then((wallet) => {
      if (isOver) return;
      stop = wallet.watchAccount((changed) => {
        if (changed === null) writeMark(false);
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
