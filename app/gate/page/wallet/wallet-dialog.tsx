import { useMutation } from "@tanstack/react-query";
import { Suspense, lazy, useEffect, useMemo, useRef, useState } from "react";
import { useConfig, useConnect } from "wagmi";
import { Button } from "~/ui/button";
import { Dialog } from "~/ui/dialog";
import { takeLostFocus } from "~/ui/lost-focus";
import { noticeFor } from "../gate-notice";
import { NoticeCard } from "../notice-card";
import { useFocusOnAccountAfterwards } from "./focus-on-account";
import { WalletAppLinks, WalletPrimer } from "./wallet-help";
import { WalletError } from "./wallet-notices";
import { findAccount } from "./wallet-setup";
import type { WalletAccount, WalletChoice, WalletSetup } from "./wallet-setup";

const PairingCode = lazy(() =>
  import("./pairing-code").then(({ PairingCode }) => ({ default: PairingCode })),
);

export type WalletDialogProps = {
  setup: WalletSetup;
  /** With the wallet that was chosen, or null. */
  onClose: (chosen: WalletAccount | null) => void;
};

export function WalletDialog({ setup, onClose }: WalletDialogProps) {
  const wallets = useWallets(setup);
  const { connect, unpick, pickedId, pairingUri, notice } = useChosenWallet(setup, onClose);
  const picked = wallets.find((wallet) => wallet.id === pickedId) ?? null;
  const list = useRef<HTMLUListElement>(null);
  const isPairing = picked?.kind === "walletconnect" && pairingUri !== null;
  const hasOwn = wallets.some(({ kind }) => kind === "browser");
  useFocusOnAccountAfterwards();

  useEffect(() => {
    // The first wallet, not the button that closes, is what the keyboard came for.
    list.current?.querySelector("button")?.focus();
  }, []);

  useEffect(() => {
    // The way back goes with the wait, and would take the focus along.
    if (picked === null) takeLostFocus(list.current?.querySelector("button"));
  }, [picked]);

  return (
    <Dialog
      title="Choose a wallet"
      onClose={() => {
        unpick();
        onClose(null);
      }}
    >
      {notice ? <NoticeCard notice={notice} /> : null}
      {isPairing ? (
        <Suspense fallback={<p>Drawing the code.</p>}>
          <PairingCode uri={pairingUri} />
        </Suspense>
      ) : (
        <WalletList list={list} wallets={wallets} picked={picked} onPick={connect} />
      )}
      <div role="status" className={picked ? "stack wallet-waiting" : "visually-hidden"}>
        {picked && !isPairing ? <Waiting picked={picked} /> : null}
      </div>
      {picked ? (
        <div className="row">
          <Button tone="quiet" onClick={unpick}>
            Choose another wallet
          </Button>
        </div>
      ) : (
        <>
          {hasOwn ? null : <WalletAppLinks />}
          <WalletPrimer isDemo={setup.settings.mode === "demo"} isOpen={wallets.length === 0} />
        </>
      )}
    </Dialog>
  );
}

/** Wallets may announce themselves late. */
function useWallets({ listWallets, subscribeToWallets }: WalletSetup): WalletChoice[] {
  const [wallets, setWallets] = useState(listWallets);
  useEffect(() => subscribeToWallets(setWallets), [subscribeToWallets]);
  return wallets;
}

function useChosenWallet(setup: WalletSetup, onChosen: (account: WalletAccount) => void) {
  const [pairingUri, setPairingUri] = useState<string | null>(null);
  const { mutateAsync: connectTo } = useConnect();
  const config = useConfig();
  const { mutate, reset, isPending, variables, error } = useMutation({
    mutationFn: async (walletId: string) => {
      setPairingUri(null);
      const { accounts } = await connectTo({
        connector: await setup.makeConnector(walletId, setPairingUri),
      });
      // Some locked wallets answer with nobody instead of asking.
      if (!accounts[0]) throw new WalletError("locked");
      const account = findAccount(config);
      if (!account) throw new WalletError("gone");
      return account;
    },
  });
  return {
    connect: (walletId: string) => mutate(walletId, { onSuccess: onChosen }),
    /** A later response of the wallet is ignored. */
    unpick: () => {
      setup.abandonConnect();
      reset();
    },
    pickedId: isPending ? variables : null,
    pairingUri,
    notice: useMemo(() => error && noticeFor(error, "connect"), [error]),
  };
}

const hints = {
  browser: null,
  demo: "Made in this browser, for this demo only. Holds nothing of worth.",
  walletconnect: "A wallet on your phone, by a code to scan.",
  base: "No extension needed. Opens a window of keys.coinbase.com.",
} as const satisfies Record<WalletChoice["kind"], string | null>;

type WalletListProps = {
  list: React.RefObject<HTMLUListElement>;
  wallets: WalletChoice[];
  picked: WalletChoice | null;
  onPick: (walletId: string) => void;
};

function WalletList({ list, wallets, picked, onPick }: WalletListProps) {
  if (wallets.length === 0) return <p>No wallet was found in this browser.</p>;
  return (
    <ul className="stack wallet-list" ref={list}>
      {wallets.map(({ id, name, icon, kind, origin }) => (
        <li key={id}>
          <button
            type="button"
            className="wallet-choice"
            aria-disabled={picked ? true : undefined}
            onClick={() => {
              if (!picked) onPick(id);
            }}
          >
            {icon ? (
              <img className="wallet-icon" src={icon} alt="" width="36" height="36" decoding="async" />
            ) : (
              <span className="wallet-icon wallet-icon-blank" aria-hidden="true">
                {Array.from(name.trim())[0]}
              </span>
            )}
            <span className="wallet-name">
              {/* Names are the wallets' own, and may be written in any direction. */}
              <bdi>{name}</bdi>
              {hints[kind] || origin ? <span className="wallet-hint">{hints[kind] ?? origin}</span> : null}
            </span>
            {picked?.id === id ? <span className="spinner" aria-hidden="true" /> : null}
          </button>
        </li>
      ))}
    </ul>
  );
}

function Waiting({ picked }: { picked: WalletChoice }) {
  if (picked.kind === "walletconnect") return <p>Reaching WalletConnect.</p>;
  return (
    <>
      <p>
        Waiting for <bdi>{picked.name}</bdi> to confirm.
      </p>
      {picked.kind === "browser" ? (
        <p className="soft">
          Nothing to see? The wallet may be locked, or its question hidden: open it by its icon in the
          browser.
        </p>
      ) : null}
    </>
  );
}
