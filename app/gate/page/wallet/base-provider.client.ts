import { createCoinbaseWalletSDK } from "@coinbase/wallet-sdk";
import type { Eip1193Provider } from "./eip1193";

/** The wallet without an extension, which works in a window of its own at keys.coinbase.com. */
export function openBase(appName: string, chainIds: readonly number[]): Eip1193Provider {
  const sdk = createCoinbaseWalletSDK({
    appName,
    appChainIds: [...chainIds],
    // Never its other half, which speaks to a relay and draws into this page.
    preference: { options: "smartWalletOnly" },
  });
  // eslint-disable-next-line no-restricted-syntax -- The SDK types each event by itself, and EIP-1193 knows any name.
  return sdk.getProvider() as unknown as Eip1193Provider;
}
