import type { PublicSettings, PublicWalletSettings } from "~/platform/public-settings";
import type { FoundWallet } from "./announced-wallets";
import { baseWalletId, walletConnectId } from "./wallet-session";
import type { WalletChoice } from "./wallet-session";

/** The ways to a wallet that the operator has switched on. Naming them loads nothing. */
export function optionalWallets({ walletConnect, base }: PublicWalletSettings): WalletChoice[] {
  const none = { icon: null, origin: null };
  return [
    ...(walletConnect
      ? [{ id: walletConnectId, name: "WalletConnect", kind: "walletconnect", ...none } as const]
      : []),
    ...(base ? [{ id: baseWalletId, name: "Base", kind: "base", ...none } as const] : []),
  ];
}

type OpenOptionalWalletOptions = {
  walletId: string;
  settings: PublicSettings;
  origin: string;
  onPairing?: (uri: string) => void;
};

/** Loads the code of a wallet that is not in this browser, once it was chosen; null for all the others. */
export async function openOptionalWallet({
  walletId,
  settings,
  origin,
  onPairing,
}: OpenOptionalWalletOptions): Promise<FoundWallet | null> {
  const { appName, chainId, wallets } = settings;
  if (walletId === walletConnectId && wallets.walletConnect) {
    const { openWalletConnect } = await import("./wallet-connect-provider.client");
    const provider = await openWalletConnect({
      ...wallets.walletConnect,
      appName,
      origin,
      chainId,
      onPairing,
    });
    return { id: walletId, name: "WalletConnect", icon: null, origin: null, provider };
  }
  if (walletId === baseWalletId && wallets.base) {
    const { openBase } = await import("./base-provider.client");
    return { id: walletId, name: "Base", icon: null, origin: null, provider: openBase(appName, chainId) };
  }
  return null;
}
