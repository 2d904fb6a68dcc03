import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { WagmiProvider, useConnection } from "wagmi";
import type { PublicSettings } from "~/platform/config/public-settings";
import type { PageKinds } from "../kinds/page-kind";
import { useWallet } from "./use-wallet";
import type { Wallet } from "./use-wallet";
import { WalletDialog } from "./wallet-dialog";
import type { WalletDialogProps } from "./wallet-dialog";
import { createWalletSetup } from "./wallet-setup";
import type { WalletAccount, WalletSetup } from "./wallet-setup";

// A wallet in this browser works offline.
const queryClient = new QueryClient({ defaultOptions: { mutations: { networkMode: "always" } } });

type LinkProps = {
  onWallet: (wallet: Wallet) => void;
  isConnected: boolean;
  onAccount: (account: WalletAccount | null) => void;
};

type WalletPartsProps = LinkProps &
  Pick<WalletDialogProps, "onClose"> & { settings: PublicSettings; kinds: PageKinds; isChoosing: boolean };

/** Loaded when somebody wants to connect. */
export function WalletParts({ settings, kinds, isChoosing, onClose, ...link }: WalletPartsProps) {
  const [setup] = useState(() => createWalletSetup({ settings, kinds, origin: window.location.origin }));
  return (
    <WagmiProvider config={setup.config} reconnectOnMount={false}>
      <QueryClientProvider client={queryClient}>
        <WalletLink setup={setup} {...link} />
        {isChoosing ? <WalletDialog setup={setup} onClose={onClose} /> : null}
      </QueryClientProvider>
    </WagmiProvider>
  );
}

/** Passes the wallet and its changes to the page. */
function WalletLink({ setup, isConnected, onWallet, onAccount }: LinkProps & { setup: WalletSetup }) {
  const wallet = useWallet(setup);
  const { status, address, chainId, connector } = useConnection();
  useEffect(() => onWallet(wallet), [wallet, onWallet]);
  useEffect(() => {
    if (!isConnected) return;
    if (status === "connected") {
      onAccount({ address, chainId, walletId: connector.id, walletName: connector.name });
    }
    if (status === "disconnected") onAccount(null);
  }, [isConnected, status, address, chainId, connector, onAccount]);
  return null;
}
