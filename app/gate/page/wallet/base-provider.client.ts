import { createCoinbaseWalletSDK } from "@coinbase/wallet-sdk";
import { isProvider } from "./eip1193";
import type { Eip1193Provider } from "./eip1193";
import { WalletError } from "./wallet-notices";

/** A wallet without an extension, in a window of keys.coinbase.com. */
export function openBase(appName: string, chainIds: readonly number[]): Eip1193Provider {
  const sdk = createCoinbaseWalletSDK({
    appName,
    appChainIds: [...chainIds],
    // The other option uses a relay and draws into this page.
    preference: { options: "smartWalletOnly" },
  });
  const provider: unknown = sdk.getProvider();
  if (!isProvider(provider)) throw new WalletError("gone");
  return provider;
}
