import { createCoinbaseWalletSDK } from "@coinbase/wallet-sdk";
import { isProvider } from "./eip1193";
import type { Eip1193Provider } from "./eip1193";
import { WalletError } from "./wallet-notices";

/** The wallet without an extension, which works in a window of its own at keys.coinbase.com. */
export function openBase(appName: string, chainIds: readonly number[]): Eip1193Provider {
  const sdk = createCoinbaseWalletSDK({
    appName,
    appChainIds: [...chainIds],
    // Never its other half, which speaks to a relay and draws into this page.
    preference: { options: "smartWalletOnly" },
  });
  const provider: unknown = sdk.getProvider();
  if (!isProvider(provider)) throw new WalletError("gone");
  return provider;
}
