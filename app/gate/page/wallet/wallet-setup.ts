import { defineChain } from "viem";
import type { Address, Chain, Hex } from "viem";
import { createConfig, custom, injected } from "wagmi";
import type { Config, CreateConnectorFn } from "wagmi";
import { getConnection } from "wagmi/actions";
import type { PublicSettings } from "~/platform/config/public-settings";
import { createHttpChain } from "../entry/key-calls";
import type { AskChain } from "../entry/key-calls";
import { chainNameOf } from "../kinds/key-words";
import type { PageKinds } from "../kinds/page-kind";
import { discoverWallets, tellApart } from "./announced-wallets";
import type { FoundWallet } from "./announced-wallets";
import { guardProvider } from "./eip1193";
import { WalletError } from "./wallet-notices";
import type { Eip1193Provider } from "./eip1193";

export type WalletChoice = Omit<FoundWallet, "provider"> & {
  kind: "browser" | "demo" | "walletconnect" | "base";
};

export type WalletAccount = { address: Address; chainId: number; walletId: string; walletName: string };

type Setup = { settings: PublicSettings; kinds: PageKinds; origin: string };

export type WalletSetup = ReturnType<typeof createWalletSetup>;

/** Wallets in this browser, the demo's, and those that the operator enabled. */
export function createWalletSetup(setup: Setup) {
  const { settings, origin } = setup;
  const { chainId, rpcUrlForBrowser } = settings;
  const found = discoverWallets();
  let attempt = 0;
  const httpChain = rpcUrlForBrowser ? createHttpChain(new URL(rpcUrlForBrowser, origin).href) : null;
  /** Without an RPC address of its own, the page reads the chain through the wallet. */
  const ask: AskChain = async (request) =>
    httpChain ? httpChain(request) : (await getProvider(config)).request(request);
  const config = createWalletConfig({ ...setup, ask });
  const demo = settings.mode === "demo" ? createDemoWallet(chainId, new URL("/demo/rpc", origin).href) : null;

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

  return {
    ...setup,
    config,
    ask,
    readsByHttp: httpChain !== null,
    listWallets,
    subscribeToWallets: (onChange: (wallets: WalletChoice[]) => void) =>
      found.subscribe(() => onChange(listWallets())),

    /** `onPairing` receives the pairing address for a wallet on another device. */
    async makeConnector(walletId: string, onPairing?: (uri: string) => void) {
      const optional = listOptional(settings).find(({ id }) => id === walletId);
      const wallet = optional
        ? { ...optional, provider: await openOptional(optional.kind, { ...setup, onPairing }) }
        : listFound().find(({ id }) => id === walletId);
      if (!wallet) throw new WalletError("gone");
      const own = (attempt += 1);
      return toConnector(wallet, () => own !== attempt);
    },

    /** Ignores responses to pending requests. */
    abandonConnect: () => void (attempt += 1),
  };
}

type OptionalKind = "walletconnect" | "base";

function listOptional({ wallets }: PublicSettings) {
  const offered: { kind: OptionalKind; name: string; isOn: boolean }[] = [
    { kind: "walletconnect", name: "WalletConnect", isOn: wallets.walletConnect !== null },
    { kind: "base", name: "Base", isOn: wallets.base },
  ];
  return offered
    .filter(({ isOn }) => isOn)
    .map(({ kind, name }) => ({ id: kind, kind, name, icon: null, origin: null }));
}

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

/** The page's own chain first. */
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
    // `announced-wallets` trusts wallets less, and a cookie keeps the last one.
    multiInjectedProviderDiscovery: false,
    storage: null,
  });
}

/** The page knows no RPC address of other chains, so it can't add them to a wallet. */
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
      // Don't listen to a wallet before it is chosen.
      setup: () => Promise.resolve(),
      async connect(request) {
        const connection = await connector.connect.call(this, request);
        // Another wallet was chosen meanwhile, or the list closed.
        if (isAbandoned()) throw new WalletError("rejected");
        return connection as never;
      },
    };
  };
}

export function findAccount(config: Config): WalletAccount | null {
  const { status, address, chainId, connector } = getConnection(config);
  if (status !== "connected") return null;
  return { address, chainId, walletId: connector.id, walletName: connector.name };
}

export async function getProvider(config: Config): Promise<{ request: AskChain }> {
  const provider = await getConnection(config).connector?.getProvider();
  if (!provider) throw new WalletError("gone");
  return provider as { request: AskChain };
}

const storedKeyName = "latchkey.demo-wallet.test-key";

const icon =
  "data:image/svg+xml," +
  encodeURIComponent(
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="#5b4a12"/><path fill="#f3c969" d="M16 7.5a5.25 5.25 0 0 0-2.6 9.81L12 24.5h8l-1.4-7.19A5.25 5.25 0 0 0 16 7.5Z"/></svg>',
  );

/** A wallet in this page, with a key of its own in this browser. */
function createDemoWallet(chainId: number, rpcUrl: string) {
  let signer: Promise<Eip1193Provider["request"]> | null = null;
  const provider: Eip1193Provider = {
    async request(request) {
      signer ??= import("./demo-signer").then(({ createDemoSigner, makeKey }) =>
        createDemoSigner(chainId, rpcUrl, loadKey(makeKey)),
      );
      return (await signer)(request);
    },
    // Its account and chain never change.
    on: () => undefined,
    removeListener: () => undefined,
  };
  return { id: "latchkey-demo", name: "Demo wallet (test key)", icon, origin: null, provider };
}

/** Without storage the key lasts as long as the page. */
function loadKey(makeKey: () => Hex): Hex {
  try {
    const stored = window.localStorage.getItem(storedKeyName);
    if (stored && /^0x[0-9a-f]{64}$/.test(stored)) return stored as Hex;
    const created = makeKey();
    window.localStorage.setItem(storedKeyName, created);
    return created;
  } catch {
    return makeKey();
  }
}
