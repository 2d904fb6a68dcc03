export type WalletLink = { name: string; href: string };

/**
 * Links that open a page in the browsers built into wallets' apps, which is where a phone's wallet speaks to pages.
 * Nothing is asked of these addresses until the person follows one.
 */
export function walletLinks(pageUrl: string): WalletLink[] {
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
export function isPhone({
  userAgent,
  maxTouchPoints,
}: {
  userAgent: string;
  maxTouchPoints: number;
}): boolean {
  return /Android|iPhone|iPad|iPod/i.test(userAgent) || (/Macintosh/.test(userAgent) && maxTouchPoints > 1);
}
