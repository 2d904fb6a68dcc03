import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { useEffect } from "react";
import { WagmiProvider, useConnection } from "wagmi";
import type { WalletAccount } from "./wagmi-session";
import { WalletDialog } from "./wallet-dialog";
import type { WalletDialogProps } from "./wallet-dialog";

// A wallet in this browser works offline too.
const queryClient = new QueryClient({ defaultOptions: { mutations: { networkMode: "always" } } });

type WalletPartsProps = WalletDialogProps & {
  /** Whether the page works with an account of the wallet. */
  isConnected: boolean;
  isChoosing: boolean;
  /** Null: the wallet went away. */
  onAccount: (account: WalletAccount | null) => void;
};

/** Everything of the page that needs the wallet's code to be drawn. */
export function WalletParts({ session, isConnected, isChoosing, onAccount, ...dialog }: WalletPartsProps) {
  return (
    <WagmiProvider config={session.config} reconnectOnMount={false}>
      <QueryClientProvider client={queryClient}>
        {isConnected ? <AccountWatch onAccount={onAccount} /> : null}
        {isChoosing ? <WalletDialog session={session} {...dialog} /> : null}
      </QueryClientProvider>
    </WagmiProvider>
  );
}

/** Tells what the wallet's account is, and every change that the wallet makes by itself. */
function AccountWatch({ onAccount }: Pick<WalletPartsProps, "onAccount">) {
  const { status, address, chainId, connector } = useConnection();
  useEffect(() => {
    if (status === "connected") {
      onAccount({ address, chainId, walletId: connector.id, walletName: connector.name });
    }
    if (status === "disconnected") onAccount(null);
  }, [status, address, chainId, connector, onAccount]);
  return null;
}
