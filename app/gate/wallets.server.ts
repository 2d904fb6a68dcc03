import type { PublicWalletSettings } from "~/platform/config/public-settings";
import type { readWallets } from "./wallets.settings";

type WalletSettings = ReturnType<typeof readWallets>;
type Site = { origin: string; chainId: number; isDemo: boolean };

/** What the page is told of chain and wallets. */
export function describeWallets(
  wallets: WalletSettings,
  { origin, chainId, isDemo }: Site,
): PublicWalletSettings {
  return {
    chain: {
      name: wallets.chainName ?? (isDemo ? "Latchkey demo chain" : `Chain ${chainId}`),
      currency: wallets.currency,
      rpcUrl: wallets.walletRpcUrl ?? (isDemo ? new URL("/demo/rpc", origin).href : null),
      explorerUrl: wallets.explorerUrl,
    },
    keyShopUrl: wallets.keyShopUrl,
    walletConnect: wallets.walletConnect,
    base: wallets.base,
  };
}

/** What pages may reach beyond this site, for the wallets the operator has switched on, and only for these. */
export type WalletReach = { connect: readonly string[]; frame: readonly string[]; opensWindows: boolean };

/** Tells people who is asking; WalletConnect shows its verdict in the visitor's wallet. */
const walletConnectVerify = "https://verify.walletconnect.org";

export function findWalletReach({ walletConnect, base }: WalletSettings): WalletReach {
  return {
    connect: walletConnect ? [new URL(walletConnect.relayUrl).origin, walletConnectVerify] : [],
    frame: walletConnect ? [walletConnectVerify] : [],
    opensWindows: base,
  };
}
