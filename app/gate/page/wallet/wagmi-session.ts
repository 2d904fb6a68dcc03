import { defineChain, numberToHex } from "viem";
import type { Address, Chain, Hex } from "viem";
import { createConfig, custom, injected } from "wagmi";
import type { Config, CreateConnectorFn } from "wagmi";
import {
  connect,
  disconnect,
  getConnection,
  reconnect,
  signMessage,
  switchChain,
  watchConnection,
} from "wagmi/actions";
import type { PublicSettings } from "~/platform/public-settings";
import { discoverWallets, tellApart } from "./announced-wallets";
import type { FoundWallet } from "./announced-wallets";
import { createHttpChain } from "./chain-request";
import { createDemoWallet } from "./demo-wallet";
import { guardProvider } from "./eip1193";
import { findHeldKeys, findMinted, keyCalls, readPrice } from "../entry/key-calls";
import type { AskChain } from "../entry/key-calls";
import { openOptionalWallet, optionalWallets } from "./optional-wallets";
import { baseWalletId, demoWalletId, walletConnectId } from "./wallet-session";
import type { Reconnection, WalletAccount, WalletChoice, WalletSession } from "./wallet-session";
import { WalletTrouble, findTrouble } from "./wallet-trouble";
import type { TroubleName } from "./wallet-trouble";

type Setup = { settings: PublicSettings; origin: string };

/**
 * Wallets over wagmi: the ones that announce themselves (EIP-6963), or else those in `window.ethereum`, the demo's,
 * and what the operator has switched on. Lives in the browser only.
 */
export function openWalletSession({ settings, origin }: Setup): WalletSession {
  const { chainId, contractAddress } = settings;
  const found = discoverWallets();
  let attempt = 0;
  const config = createWalletConfig({ settings, origin, ask });
  const httpChain = settings.rpcUrlForBrowser
    ? createHttpChain(new URL(settings.rpcUrlForBrowser, origin).href)
    : null;

  const demo = settings.mode === "demo" ? createDemoWallet(chainId, new URL("/demo/rpc", origin).href) : null;

  /** Without an address of our own the chain is read through the wallet: the page may reach nothing else. */
  async function ask(request: Parameters<AskChain>[0]): Promise<unknown> {
    if (httpChain) return httpChain(request);
    const provider = (await getConnection(config).connector?.getProvider()) as
      { request: AskChain } | undefined;
    if (!provider) throw new WalletTrouble("gone");
    return provider.request(request);
  }

  function listFound(): readonly FoundWallet[] {
    return demo ? [...found.list(), demo] : found.list();
  }

  function listWallets(): WalletChoice[] {
    return [...tellApart(listFound()).map(toChoice), ...optionalWallets(settings.wallets)];
  }

  async function makeConnector(walletId: string, onPairing?: (uri: string) => void) {
    const optional = await openOptionalWallet({ walletId, settings, origin, onPairing });
    const wallet = optional ?? listFound().find(({ id }) => id === walletId);
    if (!wallet) throw new WalletTrouble("gone");
    const own = (attempt += 1);
    return toConnector({ wallet, isAbandoned: () => own !== attempt });
  }

  return {
    listWallets,
    watchWallets: (onChange) => found.watch(() => onChange(listWallets())),

    async connect({ walletId, onPairing }) {
      const connector = await makeConnector(walletId, onPairing);
      const { accounts } = await connect(config, { connector });
      // Some locked wallets answer with nobody instead of asking.
      if (!accounts[0]) throw new WalletTrouble("locked");
      const account = toAccount(config);
      if (!account) throw new WalletTrouble("gone");
      return account;
    },

    abandonConnect: () => void (attempt += 1),

    async reconnect(walletId): Promise<Reconnection> {
      // These reach out to others, or open windows: only at the person's word.
      if (walletId === walletConnectId || walletId === baseWalletId) return "asleep";
      const connector = await makeConnector(walletId).catch(() => null);
      if (!connector) return "gone";
      await reconnect(config, { connectors: [connector] });
      return toAccount(config) ?? "locked";
    },

    async disconnect() {
      await disconnect(config);
    },

    watchAccount: (onChange) =>
      watchConnection(config, {
        onChange: ({ status }) => {
          if (status === "connected") onChange(toAccount(config));
          if (status === "disconnected") onChange(null);
        },
      }),

    ensureChain: () => ensureChain(config, settings),

    async signMessage({ address, message }) {
      await requireAccount(config, address);
      return signMessage(config, { account: address, message });
    },

    findKeys: (owner) =>
      settings.keyStandard === "erc1155" ? Promise.resolve(null) : findHeldKeys(ask, contractAddress, owner),

    async mintKey(minter) {
      await requireAccount(config, minter);
      const value = await readPrice(ask, contractAddress);
      const provider = (await getConnection(config).connector?.getProvider()) as { request: AskChain };
      const transaction = { from: minter, to: contractAddress, data: keyCalls.mint, value };
      const hash = await provider.request({ method: "eth_sendTransaction", params: [transaction] });
      return { minted: findMinted({ ask, contractAddress, hash: hash as Hex, minter }) };
    },
  };
}

function createWalletConfig({ settings, origin, ask }: Setup & { ask: AskChain }): Config {
  const { name, currency, rpcUrl, explorerUrl } = settings.wallets.chain;
  const chain = defineChain({
    id: settings.chainId,
    name,
    nativeCurrency: { name: currency, symbol: currency, decimals: 18 },
    rpcUrls: { default: { http: rpcUrl ? [new URL(rpcUrl, origin).href] : [] } },
    ...(explorerUrl ? { blockExplorers: { default: { name: "Explorer", url: explorerUrl } } } : {}),
  }) as Chain;
  return createConfig({
    chains: [chain],
    transports: { [chain.id]: custom({ request: ask }) },
    // Wallets are found by `announced-wallets`, which trusts them less; what is remembered is the cookie's.
    multiInjectedProviderDiscovery: false,
    storage: null,
  });
}

function toConnector({
  wallet: { id, name, icon, provider },
  isAbandoned,
}: {
  wallet: FoundWallet;
  isAbandoned: () => boolean;
}): CreateConnectorFn {
  const guarded = guardProvider(provider);
  const create = injected({ target: { id, name, ...(icon ? { icon } : {}), provider: guarded as never } });
  return (parameters) => {
    const connector = create(parameters);
    return {
      ...connector,
      // Before the person has chosen it, no wallet is listened to.
      setup: () => Promise.resolve(),
      async connect(request) {
        const connection = await connector.connect.call(this, request);
        // They have chosen another one, or closed the list, before this one answered.
        if (isAbandoned()) throw new WalletTrouble("rejected");
        return connection as never;
      },
    };
  };
}

function toChoice({ id, name, icon, origin }: FoundWallet): WalletChoice {
  return { id, name, icon, origin, kind: id === demoWalletId ? "demo" : "browser" };
}

function toAccount(config: Config): WalletAccount | null {
  const connection = getConnection(config);
  if (connection.status !== "connected" || !connection.address) return null;
  const { address, chainId, connector } = connection;
  return { address, chainId, walletId: connector.id, walletName: connector.name };
}

/** The person may have selected another account since; a wallet that is locked shows none. */
async function requireAccount(config: Config, address: Address): Promise<void> {
  const accounts = await getConnection(config).connector?.getAccounts();
  if (!accounts) throw new WalletTrouble("gone");
  if (accounts.length === 0) throw new WalletTrouble("locked");
  const isThere = accounts.some((account) => account.toLowerCase() === address.toLowerCase());
  if (!isThere) throw new WalletTrouble("wrong-account", { facts: [["Account of this page", address]] });
}

/** These would be no different on the right network. */
const notOfNetwork = new Set<TroubleName>(["pending", "locked", "gone", "silent"]);

async function ensureChain(config: Config, settings: PublicSettings): Promise<void> {
  const { chainId } = settings;
  const connector = getConnection(config).connector;
  if (!connector) throw new WalletTrouble("gone");
  if ((await connector.getChainId()) === chainId) return;
  try {
    await switchChain(config, { chainId });
  } catch (cause) {
    if (notOfNetwork.has(findTrouble(cause))) throw cause;
    const { name, currency, rpcUrl, explorerUrl } = settings.wallets.chain;
    const facts = [
      ["Network name", name],
      ["Chain ID", `${chainId} (${numberToHex(chainId)})`],
      ...(rpcUrl ? ([["RPC address", rpcUrl]] as const) : []),
      ["Currency", currency],
      ...(explorerUrl ? ([["Explorer", explorerUrl]] as const) : []),
    ] as const;
    throw new WalletTrouble("wrong-network", { cause, facts });
  }
}
