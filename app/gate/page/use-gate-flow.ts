import { useCallback, useEffect, useMemo, useReducer, useRef, useState } from "react";
import type { GateVisit } from "~/gate/visit";
import type { PublicSettings } from "~/platform/public-settings";
import { endVisit, lookAtSession, signOut } from "./entry/session-tasks";
import { refuseForm, submitForm } from "./form/form-tasks";
import { useSendForm } from "./form/use-send-form";
import { createGateApi } from "./gate-api";
import { reduceGate, stateFromVisit } from "./gate-flow";
import type { Chooser, GateState, GateTools } from "./gate-state";
import { disconnectWallet, getDemoToken, loadProofs, lookForSession, mintKey, readKeys } from "./gate-tasks";
import { reloadRoom, requestWallets, resumeVisit, signIn, switchNetwork, takeAccount } from "./gate-tasks";
import { chosenKey, holderOf } from "./kinds/key-choice";
import { kindNamed } from "./kinds/page-kind";
import type { PageKinds } from "./kinds/page-kind";
import { toSignedKey } from "./kinds/signed-key";
import type { WalletAccount, WalletSession } from "./wallet/wagmi-session";
import { renderWalletCookie } from "./wallet/wallet-cookie";
import type { LastWallet } from "./wallet/wallet-cookie";
import type { WalletParts } from "./wallet/wallet-parts";

const lookAtSessionEveryMs = 4_000;

export type GateActions = ReturnType<typeof useGateFlow>["actions"];

type GateFlowOptions = {
  settings: PublicSettings;
  kinds: PageKinds;
  visit: GateVisit;
  lastWallet: LastWallet | null;
};

/** The state, and what the visitor can do in it. `returning`: the last visit's wallet while it is being looked for. `look`: how far that and a session were looked for. */
export function useGateFlow({ settings, kinds, visit, lastWallet }: GateFlowOptions) {
  const [state, dispatch] = useReducer(reduceGate, null, () => stateFromVisit(visit, Date.now()));
  const patience = useRef(new AbortController());
  const isSubmitting = useRef(false);
  const { tools, wallet } = useGateTools(settings, kinds, dispatch);
  const [chooser, setChooser] = useState<Chooser>("closed");
  const account = state.phase === "connected" || state.phase === "inside" ? state.account : null;

  const { returning, look, noteLook } = useResumedVisit(tools, state, lastWallet);
  useWalletAccount(tools, state);
  useSessionPolling(tools, state);
  const leave = useLeaving(tools, state, () => noteLook("done"));

  /** Null: the wallet went away. */
  const noteAccount = useCallback(
    (changed: WalletAccount | null) =>
      dispatch({ type: "account-changed", turn: tools.nextTurn(), account: changed }),
    [tools],
  );

  function wait(): AbortSignal {
    patience.current = new AbortController();
    return patience.current.signal;
  }

  const actions = {
    openWallets: () => {
      setChooser("loading");
      void requestWallets(tools).then(setChooser);
    },
    closeWallets: (chosen: WalletAccount | null) => {
      setChooser("closed");
      if (chosen || state.phase === "away") void lookForSession(tools, chosen);
    },
    noteAccount,
    takeAccount: () => takeAccount(tools),
    keepAccount: () => dispatch({ type: "account-kept" }),
    switchNetwork: (chainId: number) => switchNetwork(tools, chainId),
    disconnect: () => {
      storeLastWallet(null);
      void disconnectWallet(tools);
    },
    chooseKind: (kindName: string) => {
      const { takesDelegates } = kindNamed(kinds, kindName);
      dispatch({ type: "kind-chosen", kindName, takesDelegates });
    },
    typeTokenId: ({ tokenId, kindName }: { tokenId: string; kindName: string }) =>
      dispatch({ type: "token-id-typed", tokenId, kindName }),
    typeVault: ({ vault, kindName }: { vault: string; kindName: string }) =>
      dispatch({ type: "vault-typed", vault, kindName }),
    /** What the wallet's own network says, once more. */
    lookAgain: () => {
      if (state.phase !== "connected") return;
      void readKeys(tools, holderOf(state.choice, state.account.address));
    },
    getDemoToken: (token: string) => {
      if (state.phase !== "connected" || state.task) return;
      const holder = holderOf(state.choice, state.account.address);
      void getDemoToken(tools, { account: state.account, token, holder });
    },
    mint: () => {
      if (account) void mintKey(tools, account);
    },
    signIn: () => {
      if (state.phase !== "connected") return;
      const key = chosenKey(kinds, state);
      void signIn(tools, { account: state.account, key, signal: wait() });
    },
    /** Waits for the wallet no longer; what it signs after that is not used. */
    stopWaiting: () => {
      patience.current.abort();
      const type = state.phase === "inside" ? "form-abandoned" : "task-abandoned";
      dispatch({ type, turn: tools.nextTurn() });
    },
    leave,
    reload: () => {
      if (state.phase === "inside") void reloadRoom(tools, { account, room: state.room });
    },
    submit: (text: string) => {
      // Two presses may come before the page has drawn what the first one changed.
      if (state.phase !== "inside" || !account || isSubmitting.current) return;
      isSubmitting.current = true;
      const order = { account, key: toSignedKey(kinds, state.room), text, signal: wait() };
      void submitForm(tools, order).finally(() => (isSubmitting.current = false));
    },
    refuseForm: () => refuseForm(tools),
  };
  return { state, chooser, wallet, returning: chooser === "closed" ? returning : null, look, actions };
}

type OpenWallet = { session: WalletSession; Parts: typeof WalletParts };

/** Signs out, once however often it is pressed. */
function useLeaving(tools: GateTools, state: GateState, onSignedOut: () => void): () => void {
  const isLeaving = useRef(false);
  return () => {
    if (isLeaving.current) return;
    if (state.phase === "inside" && state.room.session === null) {
      // Nothing that a server could fail to end.
      tools.dispatch({ type: "left", turn: tools.nextTurn() });
      void endVisit(tools.api);
      return;
    }
    isLeaving.current = true;
    void signOut(tools, state.turn)
      .then((isOut) => isOut && onSignedOut())
      .finally(() => (isLeaving.current = false));
  };
}

function useGateTools(
  settings: PublicSettings,
  kinds: PageKinds,
  dispatch: GateTools["dispatch"],
): { tools: GateTools; wallet: OpenWallet | null } {
  const turn = useRef(0);
  const sendForm = useSendForm();
  const session = useRef<Promise<WalletSession> | null>(null);
  const [wallet, setWallet] = useState<OpenWallet | null>(null);

  const openWallet = useCallback(() => {
    session.current ??= Promise.all([import("./wallet/wagmi-session"), import("./wallet/wallet-parts")])
      .then(([{ openWalletSession }, { WalletParts: Parts }]) => {
        // While the connection is up: a module that could not be loaded once stays so until the page is loaded again.
        void loadProofs().catch(() => undefined);
        const opened = openWalletSession({ settings, kinds, origin: window.location.origin });
        setWallet({ session: opened, Parts });
        return opened;
      })
      .catch((error: unknown) => {
        // A failed download is retried at the next press.
        session.current = null;
        throw error;
      });
    return session.current;
  }, [settings, kinds]);

  const tools = useMemo(() => {
    const origin = typeof window === "undefined" ? "http://localhost" : window.location.origin;
    const nextTurn = () => (turn.current += 1);
    return { settings, kinds, origin, api: createGateApi(origin), sendForm, dispatch, nextTurn, openWallet };
  }, [settings, kinds, sendForm, dispatch, openWallet]);
  return { tools, wallet };
}

/** `failed`: whether somebody is signed in could not be found out. */
export type SessionLook = "under-way" | "done" | "failed";

/** Resumes the connection of an earlier visit: once, as it was at the start, whatever a reload answers later. */
function useResumedVisit(tools: GateTools, state: GateState, lastWallet: LastWallet | null) {
  const [start] = useState({ lastWallet, openedAs: state.phase === "inside" ? state.room.session : null });
  const [look, noteLook] = useState<SessionLook>("under-way");

  useEffect(() => {
    void resumeVisit(tools, start).then((session) => noteLook(session === "unknown" ? "failed" : "done"));
  }, [tools, start]);

  const isReturning = look === "under-way" && state.phase === "away" && state.notice === null;
  return { returning: isReturning ? start.lastWallet : null, look, noteLook };
}

function useWalletAccount(tools: GateTools, state: GateState): void {
  const account = state.phase === "connected" || state.phase === "inside" ? state.account : null;
  const [address, walletId, walletName] = [account?.address, account?.walletId, account?.walletName];
  const { chainId } = account ?? {};
  // Back outside, the keys are looked up again: the room may have closed because one is gone.
  const holder = state.phase === "connected" ? holderOf(state.choice, state.account.address) : null;

  useEffect(() => {
    if (address && walletId && walletName) storeLastWallet({ id: walletId, name: walletName, address });
  }, [address, walletId, walletName]);

  useEffect(() => {
    if (holder) void readKeys(tools, holder);
  }, [tools, holder, chainId]);
}

/** Shown by the server at the next visit, and the reason to load the wallet code there; null deletes the cookie. */
function storeLastWallet(wallet: LastWallet | null): void {
  document.cookie = renderWalletCookie(wallet, window.location.protocol === "https:");
}

/** Asks for the session while its room is open, so that the room closes soon after the key has left. */
function useSessionPolling(tools: GateTools, state: GateState): void {
  const session = state.phase === "inside" ? state.room.session : null;
  const latest = useRef(session);
  latest.current = session;
  const isPolling = session !== null;

  useEffect(() => {
    if (!isPolling) return;
    let isLooking = false;
    async function look() {
      if (isLooking || !latest.current) return;
      isLooking = true;
      const isHidden = document.visibilityState === "hidden";
      await lookAtSession(tools, { session: latest.current, isHidden, nowMs: Date.now() });
      isLooking = false;
    }
    const onLook = () => void look();
    const timer = window.setInterval(onLook, lookAtSessionEveryMs);
    document.addEventListener("visibilitychange", onLook);
    return () => {
      window.clearInterval(timer);
      document.removeEventListener("visibilitychange", onLook);
    };
  }, [tools, isPolling]);
}
