import { Suspense, lazy, useEffect, useRef } from "react";
import { Button } from "~/ui/button";
import { Dialog } from "~/ui/dialog";
import { takeLostFocus } from "~/ui/lost-focus";
import { accountBarId } from "./account-bar";
import { NoticeCard } from "../notice-card";
import type { GateNotice } from "../gate-notice-shape";
import { WalletAppLinks, WalletPrimer } from "./wallet-help";
import type { WalletChoice } from "./wallet-session";

const PairingCode = lazy(() =>
  import("./pairing-code").then(({ PairingCode }) => ({ default: PairingCode })),
);

type WalletDialogProps = {
  wallets: WalletChoice[];
  pickedId: string | null;
  pairingUri: string | null;
  notice: GateNotice | null;
  isDemo: boolean;
  onPick: (walletId: string) => void;
  onUnpick: () => void;
  onClose: () => void;
};

/** The wallets this browser offers; one press connects. */
export function WalletDialog(props: WalletDialogProps) {
  const { wallets, pickedId, pairingUri, notice, isDemo, onPick, onUnpick, onClose } = props;
  const picked = wallets.find((wallet) => wallet.id === pickedId) ?? null;
  const list = useRef<HTMLUListElement>(null);
  const isPairing = picked?.kind === "walletconnect" && pairingUri !== null;
  const hasOwn = wallets.some(({ kind }) => kind === "browser");

  useEffect(() => {
    // The first wallet, not the button that closes, is what the keyboard came for.
    list.current?.querySelector("button")?.focus();
    return () => {
      // Connected, the button that opened the dialog is gone, and the focus would fall back to the page's top.
      takeLostFocus(document.getElementById(accountBarId));
    };
  }, []);

  useEffect(() => {
    // The way back goes with the wait, and would take the focus along.
    if (picked === null) takeLostFocus(list.current?.querySelector("button"));
  }, [picked]);

  return (
    <Dialog title="Choose a wallet" onClose={onClose}>
      {notice ? <NoticeCard notice={notice} /> : null}
      {isPairing ? (
        <Suspense fallback={<p>Drawing the code.</p>}>
          <PairingCode uri={pairingUri} />
        </Suspense>
      ) : (
        <WalletList list={list} wallets={wallets} picked={picked} onPick={onPick} />
      )}
      <div role="status" className={picked ? "wallet-waiting" : "visually-hidden"}>
        {picked && !isPairing ? <Waiting picked={picked} /> : null}
      </div>
      {picked ? (
        <div className="row">
          <Button tone="quiet" onClick={onUnpick}>
            Choose another wallet
          </Button>
        </div>
      ) : (
        <>
          {hasOwn ? null : <WalletAppLinks />}
          <WalletPrimer isDemo={isDemo} isOpen={wallets.length === 0} />
        </>
      )}
    </Dialog>
  );
}

type WalletListProps = {
  list: React.RefObject<HTMLUListElement>;
  wallets: WalletChoice[];
  picked: WalletChoice | null;
  onPick: (walletId: string) => void;
};

function WalletList({ list, wallets, picked, onPick }: WalletListProps) {
  if (wallets.length === 0) return <p>No wallet was found in this browser.</p>;
  return (
    <ul className="wallet-list" ref={list}>
      {wallets.map((wallet) => (
        <li key={wallet.id}>
          <button
            type="button"
            className="wallet-choice"
            aria-disabled={picked ? true : undefined}
            onClick={() => {
              if (!picked) onPick(wallet.id);
            }}
          >
            <WalletIcon wallet={wallet} />
            <span className="wallet-name">
              {/* Names are the wallets' own, and may be written in any direction. */}
              <bdi>{wallet.name}</bdi>
              <WalletHint wallet={wallet} />
            </span>
            {picked?.id === wallet.id ? <span className="spinner" aria-hidden="true" /> : null}
          </button>
        </li>
      ))}
    </ul>
  );
}

const hints = {
  browser: null,
  demo: "Made in this browser, for this demo only. Holds nothing of worth.",
  walletconnect: "A wallet on your phone, by a code to scan.",
  base: "No extension needed. Opens a window of keys.coinbase.com.",
} as const satisfies Record<WalletChoice["kind"], string | null>;

function WalletHint({ wallet: { kind, origin } }: { wallet: WalletChoice }) {
  const hint = hints[kind] ?? origin;
  return hint ? <span className="wallet-hint">{hint}</span> : null;
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

/** Without a picture of its own a wallet is told by its initial. */
function WalletIcon({ wallet: { icon, name } }: { wallet: WalletChoice }) {
  return icon ? (
    <img className="wallet-icon" src={icon} alt="" width="36" height="36" decoding="async" />
  ) : (
    <span className="wallet-icon wallet-icon-blank" aria-hidden="true">
      {Array.from(name.trim())[0]}
    </span>
  );
}
