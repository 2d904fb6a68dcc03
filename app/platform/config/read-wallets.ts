import type { SettingReader } from "./setting-reader";
import type { SettingName } from "./settings";

/** Everything here is told to every visitor. */
export function readWallets(reader: SettingReader) {
  return {
    keyShopUrl: readPage({ reader, name: "KEY_SHOP_URL" }),
    chainName: readChainName(reader),
    currency: readCurrency(reader),
    walletRpcUrl: readWalletRpcUrl(reader),
    explorerUrl: readPage({ reader, name: "CHAIN_EXPLORER_URL" }),
    walletConnect: readWalletConnect(reader),
    base: reader.getBoolean("BASE_WALLET"),
  };
}

function readPage({ reader, name }: { reader: SettingReader; name: SettingName }): string | null {
  const text = reader.findUrl({ name, protocols: ["https:", "http:"] });
  return text === null ? null : new URL(text).href;
}

function readChainName(reader: SettingReader): string | null {
  const text = reader.findText("CHAIN_NAME");
  if (text !== null && text.length > 40) reader.report("CHAIN_NAME", "must be at most 40 characters long.");
  return text;
}

function readCurrency(reader: SettingReader): string {
  const text = reader.getText("CHAIN_CURRENCY");
  // Wallets refuse to add a chain whose coin is named otherwise.
  if (!/^[A-Za-z0-9]{2,11}$/.test(text))
    reader.report("CHAIN_CURRENCY", "must be 2 to 11 letters and digits, such as ETH.");
  return text;
}

function readWalletRpcUrl(reader: SettingReader): string | null {
  const text = reader.findUrl({ name: "CHAIN_WALLET_RPC_URL", protocols: ["https:"] });
  if (text === null) return null;
  const url = new URL(text);
  if (url.username || url.password) {
    reader.report("CHAIN_WALLET_RPC_URL", "must not hold a name or a password: every visitor can read it.");
  }
  return url.href;
}

function readWalletConnect(reader: SettingReader): { projectId: string; relayUrl: string } | null {
  const relay = reader.findUrl({ name: "WALLETCONNECT_RELAY_URL", protocols: ["wss:", "ws:"] });
  const projectId = reader.findText("WALLETCONNECT_PROJECT_ID");
  if (projectId === null || relay === null) return null;
  if (!/^[0-9a-f]{32}$/i.test(projectId)) {
    reader.report(
      "WALLETCONNECT_PROJECT_ID",
      "must be the 32 hex digits that WalletConnect's dashboard shows.",
    );
  }
  return { projectId, relayUrl: relay };
}
