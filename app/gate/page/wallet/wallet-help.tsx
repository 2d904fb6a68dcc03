import { useState } from "react";

/** For phones whose browser holds no wallet: the same page, in a wallet's own browser. */
export function WalletAppLinks() {
  const [links] = useState(() => (isPhone(navigator) ? walletLinks(window.location.href) : []));
  if (links.length === 0) return null;
  return (
    <section className="stack-close" aria-labelledby="wallet-apps">
      <h3 id="wallet-apps" className="wallet-heading">
        Open this page in your wallet&rsquo;s app
      </h3>
      <p className="soft">
        On a phone, wallets speak to pages in their own browser. Then press Connect there.
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

export function WalletPrimer({ isDemo, isOpen }: { isDemo: boolean; isOpen: boolean }) {
  return (
    <details className="unfold wallet-primer" open={isOpen}>
      <summary>No wallet yet?</summary>
      <div className="stack-close">
        <p>
          A wallet is an app, or an extension of your browser, that keeps your keys and signs in your name.
          You make one in a few minutes, for nothing, without an e-mail address. MetaMask, Rabby, Rainbow and
          Base are widely used; get one from its maker&rsquo;s own site or your phone&rsquo;s app store.
        </p>
        <p>
          It shows you a recovery phrase once. Write it on paper and give it to nobody: whoever has it has the
          wallet. This page never asks for it, and neither does anybody honest.
        </p>
        <p>
          {isDemo
            ? "To look around first, choose the demo wallet: it is made in this browser, needs nothing, and holds nothing of worth."
            : "When you have one, come back to this page and press Connect."}
        </p>
      </div>
    </details>
  );
}

/** Links that open a page in the browsers built into wallets' apps. None is fetched before the person follows it. */
export function walletLinks(pageUrl: string) {
  const { host, pathname, search } = new URL(pageUrl);
  const whole = encodeURIComponent(pageUrl);
  const okx = encodeURIComponent(`okx://wallet/dapp/url?dappUrl=${whole}`);
  return [
    // This one wants the address as it is: encoded, it opens an empty tab.
    { name: "MetaMask", href: `https://link.metamask.io/dapp/${host}${pathname}${search}` },
    { name: "Base (Coinbase Wallet)", href: `https://go.cb-w.com/dapp?cb_url=${whole}` },
    { name: "Trust Wallet", href: `https://link.trustwallet.com/open_url?coin_id=60&url=${whole}` },
    { name: "OKX Wallet", href: `https://web3.okx.com/download?deeplink=${okx}` },
    { name: "Phantom", href: `https://phantom.app/ul/browse/${whole}?ref=${whole}` },
  ];
}

/** Whether wallets are apps here rather than extensions. An iPad says it is a Mac, with fingers. */
export function isPhone({ userAgent, maxTouchPoints }: Pick<Navigator, "userAgent" | "maxTouchPoints">) {
  return /Android|iPhone|iPad|iPod/i.test(userAgent) || (/Macintosh/.test(userAgent) && maxTouchPoints > 1);
}
