import { defineChain } from "viem";
import type { Address, Chain } from "viem";
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
import { createDemoWallet } from "./demo-wallet";
import { guardProvider } from "./eip1193";
import { WalletError } from "./wallet-notices";

export type WalletChoice = Omit<FoundWallet, "provider"> & {
  kind: "browser" | "demo" | "walletconnect" | "base";
};

export type WalletAccount = { address: Address; chainId: number; walletId: string; walletName: string };

type Setup = { settings: PublicSettings; kinds: PageKinds; origin: string };

export type WalletSetup = ReturnType<typeof createWalletSetup>;

/** Wallets announced (EIP-6963), or else in `window.ethereum`; the demo's; and what the operator has switched on. */
export function createWalletSetup(setup: Setup) {
  const { settings, origin } = setup;
  const { chainId, rpcUrlForBrowser } = settings;
  const found = discoverWallets();
  let attempt = 0;
  const httpChain = rpcUrlForBrowser ? createHttpChain(new URL(rpcUrlForBrowser, origin).href) : null;
  /** Without an address of our own the chain is read through the wallet: the page may reach nothing else. */
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
    /** Whether the page has an address of its own to read the chain by. */
    readsByHttp: httpChain !== null,
    listWallets,
    /** Wallets may announce themselves late. Returns the way to stop. */
    subscribeToWallets: (onChange: (wallets: WalletChoice[]) => void) =>
      found.subscribe(() => onChange(listWallets())),

    /** `onPairing` gets the address that a wallet on another device is paired by. */
    async makeConnector(walletId: string, onPairing?: (uri: string) => void) {
      const optional = listOptional(settings).find(({ id }) => id === walletId);
      const wallet = optional
        ? { ...optional, provider: await openOptional(optional.kind, { ...setup, onPairing }) }
        : listFound().find(({ id }) => id === walletId);
      if (!wallet) throw new WalletError("gone");
      const own = (attempt += 1);
      return toConnector(wallet, () => own !== attempt);
    },

    /** Answers to pending requests are ignored from now on. */
    abandonConnect: () => void (attempt += 1),
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

/** Chains on which messages are signed, the page's own first. */
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

/** The page knows only the number of other chains, so it cannot add one to a wallet. */
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

/** The account that is selected in the wallet now; null while none is connected. */
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
