import { useMutation } from "@tanstack/react-query";
import { Suspense, lazy, useEffect, useMemo, useRef, useState } from "react";
import { useConfig, useConnect } from "wagmi";
import { Button } from "~/ui/button";
import { Dialog } from "~/ui/dialog";
import { takeLostFocus } from "~/ui/lost-focus";
import { noticeFor } from "../gate-notice";
import { NoticeCard } from "../notice-card";
import { useFocusOnAccountAfterwards } from "./focus-on-account";
import { WalletError } from "./wallet-notices";
import { findAccount } from "./wallet-setup";
import type { WalletAccount, WalletChoice, WalletSetup } from "./wallet-setup";

const PairingCode = lazy(() =>
  import("./pairing-code").then(({ PairingCode }) => ({ default: PairingCode })),
);

export type WalletDialogProps = {
  setup: WalletSetup;
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
    // Focus the first wallet, not the close button.
    list.current?.querySelector("button")?.focus();
  }, []);

  useEffect(() => {
    // The button that had the focus is gone.
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
      // Some locked wallets return no account instead of asking.
      if (!accounts[0]) throw new WalletError("locked");
      const account = findAccount(config);
      if (!account) throw new WalletError("gone");
      return account;
    },
  });
  return {
    connect: (walletId: string) => mutate(walletId, { onSuccess: onChosen }),
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
  demo: "Made in this browser, for this demo only.",
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
              {/* Names may be written in any direction. */}
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
  if (picked.kind === "walletconnect") return <p>Connecting to WalletConnect.</p>;
  return (
    <>
      <p>
        Waiting for <bdi>{picked.name}</bdi> to confirm.
      </p>
      {picked.kind === "browser" ? (
        <p className="soft">Don&rsquo;t see a prompt? Unlock your wallet or click its icon.</p>
      ) : null}
    </>
  );
}

function WalletAppLinks() {
  const [links] = useState(() => (isPhone(navigator) ? walletLinks(window.location.href) : []));
  if (links.length === 0) return null;
  return (
    <section className="stack-close" aria-labelledby="wallet-apps">
      <h3 id="wallet-apps" className="wallet-heading">
        Open this page in your wallet&rsquo;s app
      </h3>
      <p className="soft">
        On a phone, wallets work with pages in their own browser. Open the page there and press Connect.
      </p>
      <ul className="stack wallet-list">
        {links.map(({ name, href }) => (
          <li key={name}>
            <a className="wallet-choice" href={href} rel="noreferrer">
              {name}
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}

function WalletPrimer({ isDemo, isOpen }: { isDemo: boolean; isOpen: boolean }) {
  return (
    <details className="unfold wallet-primer" open={isOpen}>
      <summary>No wallet yet?</summary>
      <div className="stack-close">
        <p>
          A wallet is an app, or an extension of your browser, that keeps your keys and signs in your name.
          Making one takes a few minutes. It is free and needs no e-mail address. MetaMask, Rabby, Rainbow and
          Base are widely used. Get one from its maker&rsquo;s own site or your phone&rsquo;s app store.
        </p>
        <p>
          It shows you a recovery phrase once. Write it on paper and keep it secret: anybody who has it can
          use the wallet. This page never asks for it.
        </p>
        <p>
          {isDemo
            ? "To look around first, choose the demo wallet. Your browser makes it, for this demo only."
            : "When you have one, come back to this page and press Connect."}
        </p>
      </div>
    </details>
  );
}

/** Links that open a page in the browsers of wallet apps. */
export function walletLinks(pageUrl: string) {
  const { host, pathname, search } = new URL(pageUrl);
  const whole = encodeURIComponent(pageUrl);
  const okx = encodeURIComponent(`okx://wallet/dapp/url?dappUrl=${whole}`);
  return [
    // An encoded address opens an empty tab.
    { name: "MetaMask", href: `https://link.metamask.io/dapp/${host}${pathname}${search}` },
    { name: "Base (Coinbase Wallet)", href: `https://go.cb-w.com/dapp?cb_url=${whole}` },
    { name: "Trust Wallet", href: `https://link.trustwallet.com/open_url?coin_id=60&url=${whole}` },
    { name: "OKX Wallet", href: `https://web3.okx.com/download?deeplink=${okx}` },
    { name: "Phantom", href: `https://phantom.app/ul/browse/${whole}?ref=${whole}` },
  ];
}

/** An iPad claims to be a Mac, but has a touch screen. */
export function isPhone({ userAgent, maxTouchPoints }: Pick<Navigator, "userAgent" | "maxTouchPoints">) {
  return /Android|iPhone|iPad|iPod/i.test(userAgent) || (/Macintosh/.test(userAgent) && maxTouchPoints > 1);
}
