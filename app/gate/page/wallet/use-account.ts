import { useCallback, useEffect, useState } from "react";
import { endVisit, openKept } from "../entry/session-tasks";
import { accountOf } from "../gate-state";
import type { Chooser, GateState, GateTools } from "../gate-state";
import { renderWalletCookie } from "./wallet-cookie";
import type { LastWallet } from "./wallet-cookie";
import type { WalletAccount } from "./wallet-setup";

/** Choosing a wallet, and the account and the network that it shows. */
export function useAccount(tools: GateTools, state: GateState) {
  const { api, dispatch, nextTurn, run, openWallet } = tools;
  const [chooser, setChooser] = useState<Chooser>("closed");
  const { address, walletId, walletName } = accountOf(state) ?? {};

  useEffect(() => {
    if (address && walletId && walletName) storeLastWallet({ id: walletId, name: walletName, address });
  }, [address, walletId, walletName]);

  /** Null: the wallet went away. */
  const noteAccount = useCallback(
    (account: WalletAccount | null) => dispatch({ type: "account-changed", turn: nextTurn(), account }),
    [dispatch, nextTurn],
  );

  return {
    chooser,
    noteAccount,
    openWallets() {
      setChooser("loading");
      const opening = run("connect", async (turn) => {
        dispatch({ type: "wallets-requested", turn });
        await openWallet();
      });
      void opening.then((isOpen) => setChooser(isOpen ? "open" : "closed"));
    },
    /** Looks for a session once more: after a wallet was chosen, which it must belong to, or none was. */
    closeWallets(account: WalletAccount | null) {
      setChooser("closed");
      if (!account && state.phase !== "away") return;
      const turn = nextTurn();
      dispatch({ type: "look-started", turn });
      if (account) dispatch({ type: "account-connected", turn, account });
      void openKept(tools, { turn, ...(account && { address: account.address }) });
    },
    /** Continues with the wallet's new account; the former one's room is closed. */
    takeAccount() {
      dispatch({ type: "account-taken", turn: nextTurn() });
      void endVisit(api);
    },
    keepAccount: () => dispatch({ type: "account-kept" }),
    switchNetwork: (chainId: number) =>
      run("network", async (turn) => {
        dispatch({ type: "network-asked", turn });
        await (await openWallet()).ensureChain(chainId);
      }),
    async disconnect() {
      storeLastWallet(null);
      dispatch({ type: "disconnected", turn: nextTurn() });
      void endVisit(api);
      const wallet = await openWallet();
      // The page has already dropped the wallet; a failure to disconnect does not concern the visitor.
      await wallet.disconnect().catch(() => undefined);
    },
  };
}

/** Shown by the server at the next visit, and the reason to load the wallet code there; null deletes the cookie. */
function storeLastWallet(wallet: LastWallet | null): void {
  document.cookie = renderWalletCookie(wallet, window.location.protocol === "https:");
}
