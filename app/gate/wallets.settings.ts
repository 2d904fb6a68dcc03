import { flag, requireUrl, setting, text, url } from "~/platform/config/kinds";
import { InvalidSetting } from "~/platform/config/setting";
import type { SettingReader } from "~/platform/config/setting-reader";
import type { PublicWalletSettings } from "~/platform/config/public-settings";

/** All of these are public. */
export const walletSettings = {
  keyShopUrl: setting(
    "KEY_SHOP_URL",
    { parse: parsePage, range: "https:// or http:// address", switches: { name: "Where to get a key" } },
    "Page where a visitor without a key can get one; shown to those whose wallet holds none.",
  ),
  chainName: text(
    "CHAIN_NAME",
    { pattern: { matches: /^[^]{1,40}$/, range: "at most 40 characters long" } },
    "Name of the chain, for people and for wallets that do not know it. Default: Chain and its number.",
  ),
  // Wallets refuse another name for a chain's coin.
  currency: text(
    "CHAIN_CURRENCY",
    {
      pattern: {
        matches: /^[A-Za-z0-9]{2,11}$/,
        range: "2 to 11 letters and digits, such as ETH",
      },
      default: "ETH",
    },
    "Symbol of the chain's own coin.",
  ),
  walletRpcUrl: setting(
    "CHAIN_WALLET_RPC_URL",
    {
      parse: parseRpcUrl,
      range: "https:// address",
      switches: { name: "Chain offered to wallets that do not know it" },
    },
    "Public address of the chain for wallets that have yet to add it. Everybody can read it: never one that holds a key of yours.",
  ),
  explorerUrl: setting(
    "CHAIN_EXPLORER_URL",
    { parse: parsePage, range: "https:// or http:// address", switches: { name: "Block explorer" } },
    "Block explorer that wallets get to know with the chain.",
  ),
  projectId: text(
    "WALLETCONNECT_PROJECT_ID",
    {
      pattern: {
        matches: /^[0-9a-f]{32}$/i,
        range: "the 32 hex digits that WalletConnect's dashboard shows",
      },
      switches: { name: "WalletConnect" },
    },
    "Offers WalletConnect, as your project there. Its code and its relay are reached only by visitors who choose it.",
  ),
  relayUrl: url(
    "WALLETCONNECT_RELAY_URL",
    { protocols: ["wss:", "ws:"], default: "wss://relay.walletconnect.org", isForTests: true },
    "The relay between page and wallet.",
  ),
  base: flag(
    "BASE_WALLET",
    { default: false, switches: { name: "Base wallet" } },
    "Offers Base, a wallet without an extension, in a window of keys.coinbase.com.",
  ),
};

export function readWallets(reader: SettingReader) {
  const { projectId, relayUrl, ...values } = reader.read(walletSettings);
  if (reader.mode === "demo" && values.walletRpcUrl === null) {
    const why = "LATCHKEY_MODE is demo: they are offered the demo's own address.";
    reader.setSwitch(walletSettings.walletRpcUrl, true, why);
  }
  return { ...values, walletConnect: projectId === null ? null : { projectId, relayUrl } };
}

function parsePage(given: string): string {
  return requireUrl(given).href;
}

function parseRpcUrl(given: string): string {
  const address = requireUrl(given, ["https:"]);
  if (address.username || address.password) {
    throw new InvalidSetting("must not hold a name or a password, because every visitor can read it.");
  }
  return address.href;
}

type WalletSettings = ReturnType<typeof readWallets>;
type Site = { origin: string; chainId: number; isDemo: boolean };

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

/** Other origins that pages may reach, for enabled wallets only. */
type WalletReach = { connect: readonly string[]; frame: readonly string[]; opensWindows: boolean };

/** WalletConnect shows its verdict about this site in the visitor's wallet. */
const walletConnectVerify = "https://verify.walletconnect.org";

export function findWalletReach({ walletConnect, base }: WalletSettings): WalletReach {
  return {
    connect: walletConnect ? [new URL(walletConnect.relayUrl).origin, walletConnectVerify] : [],
    frame: walletConnect ? [walletConnectVerify] : [],
    opensWindows: base,
  };
}
