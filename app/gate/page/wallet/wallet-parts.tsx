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

// A wallet in this browser works offline too.
const queryClient = new QueryClient({ defaultOptions: { mutations: { networkMode: "always" } } });

type LinkProps = {
  onWallet: (wallet: Wallet) => void;
  /** Whether the page works with an account of the wallet. */
  isConnected: boolean;
  /** Null: the wallet went away. */
  onAccount: (account: WalletAccount | null) => void;
};

type WalletPartsProps = LinkProps &
  Pick<WalletDialogProps, "onClose"> & { settings: PublicSettings; kinds: PageKinds; isChoosing: boolean };

/** Everything of the page that needs the wallet's code, which is loaded once somebody wants to connect. */
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

/** Gives the wallet to the page, which was there before it, and tells every change that the wallet makes by itself. */
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
