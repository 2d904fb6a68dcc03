import { useCallback, useEffect, useState } from "react";
import { endVisit, lookForSession } from "../entry/session-tasks";
import { accountOf, away, changeAccount, connectAccount, connectedState, isBusy } from "../gate-state";
import type { Chooser, GateState, GateTools } from "../gate-state";
import { renderWalletCookie } from "./wallet-cookie";
import type { LastWallet } from "./wallet-cookie";
import type { WalletAccount } from "./wallet-setup";

/** Choosing a wallet, and the account and the network that it shows. */
export function useWalletAccount(tools: GateTools, state: GateState) {
  const { api, page, run, openWallet } = tools;
  const [chooser, setChooser] = useState<Chooser>("closed");
  const { address, walletId, walletName } = accountOf(state) ?? {};

  useEffect(() => {
    if (address && walletId && walletName) storeLastWallet({ id: walletId, name: walletName, address });
  }, [address, walletId, walletName]);

  /** Null: the wallet went away. */
  const noteAccount = useCallback(
    (account: WalletAccount | null) => {
      const now = page.read();
      const isSending = now.phase === "inside" && now.room.form.step === "sending";
      // The wallet that went away answers no more.
      if (!account && !isSending) page.begin();
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
    /** Looks for a session once more: after a wallet was chosen, which it must belong to, or none was. */
    closeWallets(account: WalletAccount | null) {
      setChooser("closed");
      if (!account && state.phase !== "away") return;
      const turn = page.begin();
      if (account) page.update((before) => connectAccount(before, account));
      void lookForSession(tools, { turn, ...(account && { address: account.address }) });
    },
    /** Continues with the wallet's new account; the former one's room is closed. */
    takeAccount() {
      page.begin();
      page.update((now) => (now.phase !== "away" && now.other ? connectedState(now.other.account) : now));
      void endVisit(api);
    },
    /** Before the page's account can sign again, the wallet has to select it. */
    keepAccount() {
      page.update((now) =>
        now.phase !== "away" && now.other ? { ...now, other: { ...now.other, isAsked: false } } : now,
      );
    },
    /** A task under way goes on, and reports by itself. */
    switchNetwork(chainId: number) {
      const turn = isBusy(page.read()) ? silent : page.begin();
      return run("network", async () => (await openWallet()).ensureChain(chainId), turn);
    },
    async disconnect() {
      storeLastWallet(null);
      page.begin();
      page.update(() => away);
      void endVisit(api);
      const wallet = await openWallet();
      // The page has already dropped the wallet; a failure to disconnect does not concern the visitor.
      await wallet.disconnect().catch(() => undefined);
    },
  };
}

/** A turn that is never under way. */
const silent = -1;

/** Shown by the server at the next visit, and the reason to load the wallet code there; null deletes the cookie. */
function storeLastWallet(wallet: LastWallet | null): void {
  document.cookie = renderWalletCookie(wallet, window.location.protocol === "https:");
}
