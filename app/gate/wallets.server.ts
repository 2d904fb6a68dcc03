import { firstKind } from "~/gate/kinds/kind-of-key";
import type { Config } from "~/settings.server";
import type { PublicWalletSettings } from "~/platform/config/public-settings";

/** What the page is told of chain and wallets. */
export function describeWallets(config: Config, origin: string): PublicWalletSettings {
  const { wallets, mode, keys } = config;
  const isDemo = mode === "demo";
  return {
    chain: {
      name: wallets.chainName ?? (isDemo ? "Latchkey demo chain" : `Chain ${firstKind(keys).chainId}`),
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

export function findWalletReach({ wallets: { walletConnect, base } }: Config): WalletReach {
  return {
    connect: walletConnect ? [new URL(walletConnect.relayUrl).origin, walletConnectVerify] : [],
    frame: walletConnect ? [walletConnectVerify] : [],
    opensWindows: base,
  };
}
