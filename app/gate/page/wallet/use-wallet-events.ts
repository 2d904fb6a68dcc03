import { useEffect, useState } from "react";
import type { GateState } from "../gate-state";
import { readKeys, resumeVisit } from "../gate-tasks";
import type { GateTools } from "../gate-tools";
import { renderWalletCookie } from "./wallet-cookie";
import type { RememberedWallet } from "./wallet-cookie";

type Watched = { tools: GateTools; state: GateState; remembered: RememberedWallet | null };

/**
 * Takes up the connection of an earlier visit, and follows what wallets do by themselves. Answers the wallet that
 * is still being looked for: what the server has rendered stays until it is known better.
 */
export function useWalletEvents({ tools, state, remembered }: Watched): RememberedWallet | null {
  // What was there at the start: the answer of a later reload must not start anything anew.
  const [first] = useState(remembered);
  // The session with which the server has drawn the page.
  const [openedAs] = useState(state.phase === "inside" ? state.room.session : null);
  const [returning, setReturning] = useState(remembered);
  const account = state.phase === "connected" || state.phase === "inside" ? state.account : null;
  const [address, walletId, walletName] = [account?.address, account?.walletId, account?.walletName];
  const isOutside = state.phase === "connected";
  const isChoosing = state.phase === "choosing";

  useEffect(() => {
    void resumeVisit(tools, { remembered: first, openedAs }).then(() => setReturning(null));
  }, [tools, first, openedAs]);

  useEffect(() => {
    if (!address || !walletId || !walletName) return;
    rememberWallet({ id: walletId, name: walletName, address });
  }, [address, walletId, walletName]);

  // Outside again the keys are looked for anew: the room may have closed because one is gone.
  useEffect(() => {
    if (isOutside && address) void readKeys(tools, address);
  }, [isOutside, tools, address]);

  useEffect(() => {
    if (!address) return;
    return whileOpen(tools, (wallet) =>
      wallet.watchAccount((changed) =>
        tools.dispatch({ type: "account-changed", turn: tools.nextTurn(), account: changed }),
      ),
    );
  }, [tools, address]);

  useEffect(() => {
    if (!isChoosing) return;
    return whileOpen(tools, (wallet) =>
      wallet.watchWallets((wallets) => tools.dispatch({ type: "wallets-changed", wallets })),
    );
  }, [tools, isChoosing]);

  return state.phase === "away" && state.notice === null ? returning : null;
}

/** Shown by the server at the next visit, and the reason to load the wallet code there; null forgets. */
export function rememberWallet(wallet: RememberedWallet | null): void {
  document.cookie = renderWalletCookie({ wallet, isHttps: window.location.protocol === "https:" });
}

type Opened = Awaited<ReturnType<GateTools["openWallet"]>>;

/** Watches something of the wallet code, which is loaded by then or will be; answers the way to stop. */
function whileOpen({ openWallet }: GateTools, watch: (wallet: Opened) => () => void): () => void {
  let stop: (() => void) | undefined;
  let isOver = false;
  openWallet().then(
    (wallet) => {
      if (!isOver) stop = watch(wallet);
    },
    // Whoever asked for the wallet has been told.
    () => undefined,
  );
  return () => {
    isOver = true;
    stop?.();
  };
}
