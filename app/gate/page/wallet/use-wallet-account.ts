import { useCallback, useEffect, useState } from "react";
import { endVisit, lookForSession } from "../entry/use-visit";
import { away, changeAccount, connectAccount } from "../gate-state";
import type { Chooser, GateState, GateTools } from "../gate-state";
import { renderWalletCookie } from "./wallet-cookie";
import type { LastWallet } from "./wallet-cookie";
import type { WalletAccount } from "./wallet-setup";

/** Choosing a wallet, and its account and network. */
export function useWalletAccount(tools: GateTools, state: GateState) {
  const { api, page, run, openWallet } = tools;
  const [chooser, setChooser] = useState<Chooser>("closed");
  const { address, walletId, walletName } = state.account ?? {};

  useEffect(() => {
    if (address && walletId && walletName) storeLastWallet({ id: walletId, name: walletName, address });
  }, [address, walletId, walletName]);

  /** Null if the wallet went away. */
  const noteAccount = useCallback(
    (account: WalletAccount | null) => {
      // A form that was sent continues without the wallet.
      if (!account && page.read().room?.form.step !== "sending") page.begin();
      page.update((before) => changeAccount(before, account));
    },
    [page],
  );

  return {
    chooser,
    noteAccount,
    openWallets() {
      setChooser("loading");
      const opening = run("connect", async () => void (await openWallet()));
      void opening.then((isOpen) => setChooser(isOpen ? "open" : "closed"));
    },
    /** Looks for a session again, which must belong to the chosen wallet. */
    closeWallets(account: WalletAccount | null) {
      setChooser("closed");
      if (!account && (state.account || state.room)) return;
      const turn = page.begin();
      if (account) page.update((before) => connectAccount(before, account));
      void lookForSession(tools, { turn, ...(account && { address: account.address }) });
    },
    /** Closes the former account's room. */
    takeAccount() {
      page.begin();
      page.update(({ other }) => (other ? { ...away, account: other.account } : {}));
      void endVisit(api);
    },
    keepAccount() {
      page.update(({ other }) => ({ other: other && { ...other, isAsked: false } }));
    },
    switchNetwork(chainId: number) {
      const { task, room } = page.read();
      const isBusy = task || room?.isReloading || (room && room.form.step !== "open");
      // A task in progress goes on, and reports for itself.
      const turn = isBusy ? neverUnderWay : page.begin();
      return run("network", async () => (await openWallet()).ensureChain(chainId), turn);
    },
    async disconnect() {
      storeLastWallet(null);
      page.begin();
      page.update(() => away);
      void endVisit(api);
      const wallet = await openWallet();
      // The page has dropped the wallet already.
      await wallet.disconnect().catch(() => undefined);
    },
  };
}

const neverUnderWay = -1;

/** The server shows it at the next visit. Null deletes the cookie. */
function storeLastWallet(wallet: LastWallet | null): void {
  document.cookie = renderWalletCookie(wallet, window.location.protocol === "https:");
}
