import { defineChain, numberToHex } from "viem";
import type { Address, Chain, Hex } from "viem";
import { createConfig, custom, injected } from "wagmi";
import type { Config, CreateConnectorFn } from "wagmi";
import { disconnect, getConnection, reconnect, signMessage, switchChain } from "wagmi/actions";
import type { GetConnectionReturnType } from "wagmi/actions";
import type { PublicSettings } from "~/platform/public-settings";
import { createHttpChain, findMinted, keyCalls, readPrice } from "../entry/key-calls";
import type { AskChain } from "../entry/key-calls";
import type { KindFinding } from "../kinds/key-choice";
import { chainNameOf } from "../kinds/key-words";
import type { PageKinds } from "../kinds/page-kind";
import { findInWallet } from "../kinds/wallet-findings";
import { discoverWallets, tellApart } from "./announced-wallets";
import type { FoundWallet } from "./announced-wallets";
import { createDemoWallet } from "./demo-wallet";
import { guardProvider } from "./eip1193";
import { WalletError, nameWalletError } from "./wallet-notices";
import type { Fact, WalletErrorName } from "./wallet-notices";

export type WalletChoice = Omit<FoundWallet, "provider"> & {
  kind: "browser" | "demo" | "walletconnect" | "base";
};

export type WalletAccount = { address: Address; chainId: number; walletId: string; walletName: string };

/** What the page asks of a wallet. Its code is loaded only once the visitor wants to connect. */
export type WalletSession = ReturnType<typeof openWalletSession>;

type Setup = { settings: PublicSettings; kinds: PageKinds; origin: string };

/** Wallets announced (EIP-6963), or else in `window.ethereum`; the demo's; and what the operator has switched on. */
export function openWalletSession({ settings, kinds, origin }: Setup) {
  const { chainId } = settings;
  const found = discoverWallets();
  let attempt = 0;
  const config = createWalletConfig({ settings, kinds, origin, ask });
  const httpChain = settings.rpcUrlForBrowser
    ? createHttpChain(new URL(settings.rpcUrlForBrowser, origin).href)
    : null;

  const demo = settings.mode === "demo" ? createDemoWallet(chainId, new URL("/demo/rpc", origin).href) : null;

  /** Without an address of our own the chain is read through the wallet: the page may reach nothing else. */
  async function ask(request: Parameters<AskChain>[0]): Promise<unknown> {
    return httpChain ? httpChain(request) : (await getProvider(config)).request(request);
  }

  function listFound(): readonly FoundWallet[] {
    return demo ? [...found.list(), demo] : found.list();
  }

  function listWallets(): WalletChoice[] {
    const inBrowser = tellApart(listFound()).map(({ provider: _, ...wallet }): WalletChoice => ({
      ...wallet,
      kind: wallet.id === demo?.id ? "demo" : "browser",
    }));
    return [...inBrowser, ...listOptional(settings)];
  }

  async function makeConnector(walletId: string, onPairing?: (uri: string) => void) {
    const optional = listOptional(settings).find(({ id }) => id === walletId);
    const wallet = optional
      ? { ...optional, provider: await openOptional(optional.kind, { settings, kinds, origin, onPairing }) }
      : listFound().find(({ id }) => id === walletId);
    if (!wallet) throw new WalletError("gone");
    const own = (attempt += 1);
    return toConnector(wallet, () => own !== attempt);
  }

  return {
    /** For `WagmiProvider`, below which the page follows the connection. */
    config,
    listWallets,
    /** Wallets may announce themselves late. Returns the way to stop. */
    subscribeToWallets: (onChange: (wallets: WalletChoice[]) => void) =>
      found.subscribe(() => onChange(listWallets())),

    /** `onPairing` gets the address that a wallet on another device is paired by. */
    makeConnector,

    /** Answers to pending requests are ignored from now on. */
    abandonConnect: () => void (attempt += 1),

    /** The wallet of an earlier visit. `asleep`: it may be asked only when the person wants it. */
    async reconnect(walletId: string): Promise<WalletAccount | "gone" | "locked" | "asleep"> {
      // These reach out to others, or open windows: only at the person's word.
      if (walletId === "walletconnect" || walletId === "base") return "asleep";
      const connector = await makeConnector(walletId).catch(() => null);
      if (!connector) return "gone";
      await reconnect(config, { connectors: [connector] });
      return toAccount(getConnection(config)) ?? "locked";
    },

    disconnect: () => disconnect(config),

    /** Brings the wallet to the chain the key lives on, asking the person if need be. */
    ensureChain: (chainId: number) => ensureChain(config, settings, chainId),

    async signMessage({ address, message }: { address: Address; message: string }): Promise<Hex> {
      await requireAccount(config, address);
      return signMessage(config, { account: address, message });
    },

    /** What can be told of each kind of key for this wallet. The page may reach one chain: its own, or the wallet's. */
    findKeys: async (holder: Address): Promise<KindFinding[]> => {
      // With one kind the wallet is asked wherever it is: the page says beside it that the network is another one.
      const own = httpChain || kinds.length === 1 ? null : toAccount(getConnection(config));
      return findInWallet({ ask, chainId: own?.chainId ?? chainId }, kinds, holder);
    },

    /** Asks the wallet to send the mint; `minted` settles when the chain has it. */
    async mintKey(minter: Address): Promise<{ minted: Promise<string> }> {
      await requireAccount(config, minter);
      // Only a demo mints, and its first kind of key is a token.
      const contractAddress = kinds[0].contract!;
      const value = await readPrice(ask, contractAddress);
      const provider = await getProvider(config);
      const transaction = { from: minter, to: contractAddress, data: keyCalls.mint, value };
      const hash = await provider.request({ method: "eth_sendTransaction", params: [transaction] });
      return { minted: findMinted({ ask, contractAddress, hash: hash as Hex, minter }) };
    },
  };
}

type OptionalKind = "walletconnect" | "base";

/** The ways to a wallet that the operator has switched on. Naming them loads nothing. */
function listOptional({ wallets }: PublicSettings) {
  const offered: { kind: OptionalKind; name: string; isOn: boolean }[] = [
    { kind: "walletconnect", name: "WalletConnect", isOn: wallets.walletConnect !== null },
    { kind: "base", name: "Base", isOn: wallets.base },
  ];
  return offered
    .filter(({ isOn }) => isOn)
    .map(({ kind, name }) => ({ id: kind, kind, name, icon: null, origin: null }));
}

/** Loads the code of a wallet that is not in this browser, once it was chosen. */
async function openOptional(
  kind: OptionalKind,
  { settings, kinds, origin, onPairing }: Setup & { onPairing?: (uri: string) => void },
) {
  const { appName, wallets } = settings;
  const chainIds = listChainIds(settings, kinds);
  if (kind === "base") return (await import("./base-provider.client")).openBase(appName, chainIds);
  const { openWalletConnect } = await import("./wallet-connect-provider.client");
  return openWalletConnect({ ...wallets.walletConnect!, appName, origin, chainIds, onPairing });
}

/** Where messages are signed, the page's own chain first. */
function listChainIds({ chainId }: PublicSettings, kinds: PageKinds): [number, ...number[]] {
  const others = new Set(kinds.map((kind) => kind.chainId));
  others.delete(chainId);
  return [chainId, ...others];
}

function createWalletConfig({ settings, kinds, origin, ask }: Setup & { ask: AskChain }): Config {
  const own = describeChain(settings, origin);
  const [, ...others] = listChainIds(settings, kinds);
  const transport = custom({ request: ask });
  return createConfig({
    chains: [own, ...others.map(toUnknownChain)],
    transports: Object.fromEntries([own.id, ...others].map((id) => [id, transport])),
    // Wallets are found by `announced-wallets`, which trusts them less; the last wallet is in the cookie.
    multiInjectedProviderDiscovery: false,
    storage: null,
  });
}

/** Of chains besides its own the page knows the number: a wallet that lacks one cannot be given it. */
function toUnknownChain(id: number): Chain {
  const nativeCurrency = { name: "ETH", symbol: "ETH", decimals: 18 };
  return defineChain({ id, name: chainNameOf(id), nativeCurrency, rpcUrls: { default: { http: [] } } });
}

function describeChain({ chainId, wallets }: PublicSettings, origin: string): Chain {
  const { name, currency, rpcUrl, explorerUrl } = wallets.chain;
  return defineChain({
    id: chainId,
    name,
    nativeCurrency: { name: currency, symbol: currency, decimals: 18 },
    rpcUrls: { default: { http: rpcUrl ? [new URL(rpcUrl, origin).href] : [] } },
    ...(explorerUrl ? { blockExplorers: { default: { name: "Explorer", url: explorerUrl } } } : {}),
  }) as Chain;
}

function toConnector(wallet: FoundWallet, isAbandoned: () => boolean): CreateConnectorFn {
  const { id, name, icon } = wallet;
  const provider = guardProvider(wallet.provider) as never;
  const create = injected({ target: { id, name, ...(icon ? { icon } : {}), provider } });
  return (parameters) => {
    const connector = create(parameters);
    return {
      ...connector,
      // Before the person has chosen it, no wallet is listened to.
      setup: () => Promise.resolve(),
      async connect(request) {
        const connection = await connector.connect.call(this, request);
        // They have chosen another one, or closed the list, before this one answered.
        if (isAbandoned()) throw new WalletError("rejected");
        return connection as never;
      },
    };
  };
}

export function toAccount(connection: GetConnectionReturnType): WalletAccount | null {
  if (connection.status !== "connected" || !connection.address) return null;
  const { address, chainId, connector } = connection;
  return { address, chainId, walletId: connector.id, walletName: connector.name };
}

async function getProvider(config: Config): Promise<{ request: AskChain }> {
  const provider = await getConnection(config).connector?.getProvider();
  if (!provider) throw new WalletError("gone");
  return provider as { request: AskChain };
}

/** The person may have selected another account since; a wallet that is locked shows none. */
async function requireAccount(config: Config, address: Address): Promise<void> {
  const accounts = await getConnection(config).connector?.getAccounts();
  if (!accounts) throw new WalletError("gone");
  if (accounts.length === 0) throw new WalletError("locked");
  const isThere = accounts.some((account) => account.toLowerCase() === address.toLowerCase());
  if (!isThere) throw new WalletError("wrong-account", { facts: [["Account of this page", address]] });
}

/** These would be no different on the right network. */
const notOfNetwork = new Set<WalletErrorName>(["pending", "locked", "gone", "silent"]);

async function ensureChain(config: Config, settings: PublicSettings, chainId: number): Promise<void> {
  const connector = getConnection(config).connector;
  if (!connector) throw new WalletError("gone");
  if ((await connector.getChainId()) === chainId) return;
  try {
    await switchChain(config, { chainId });
  } catch (cause) {
    if (notOfNetwork.has(nameWalletError(cause))) throw cause;
    throw new WalletError("wrong-network", { cause, facts: chainFacts(settings, chainId) });
  }
}

function chainFacts({ chainId: ownId, wallets }: PublicSettings, chainId: number): Fact[] {
  const { name, currency, rpcUrl, explorerUrl } = wallets.chain;
  const number: Fact = ["Chain ID", `${chainId} (${numberToHex(chainId)})`];
  if (chainId !== ownId) return [["Network name", chainNameOf(chainId)], number];
  return [
    ["Network name", name],
    number,
    ...(rpcUrl ? ([["RPC address", rpcUrl]] as const) : []),
    ["Currency", currency],
    ...(explorerUrl ? ([["Explorer", explorerUrl]] as const) : []),
  ];
}
