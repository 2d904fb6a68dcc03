import { defineChain, isAddressEqual, parseEventLogs } from "viem";
import type { Address, Chain } from "viem";
import { createConfig, createStorage, custom, http, injected } from "wagmi";
import type { Config, Connector, Transport } from "wagmi";
import {
  connect,
  disconnect,
  getConnection,
  getConnectors,
  getPublicClient,
  readContract,
  reconnect,
  signMessage,
  switchChain,
  waitForTransactionReceipt,
  watchConnection,
  writeContract,
} from "wagmi/actions";
import type { PublicSettings } from "~/platform/public-settings";
import { keyContractAbi } from "./key-contract";
import { demoWalletId } from "./wallet-session";
import type { WalletAccount, WalletChoice, WalletSession } from "./wallet-session";

/** More keys than this are not checked one by one; their holder can still type an id. */
const maxListedKeys = 50;

/**
 * Wallets over wagmi: the ones that announce themselves (EIP-6963), or else the one in `window.ethereum`.
 * Lives in the browser only, so nothing of its state is ever rendered on the server.
 */
export async function openWalletSession({
  settings,
  origin,
}: {
  settings: PublicSettings;
  origin: string;
}): Promise<WalletSession> {
  if (settings.mode === "demo") {
    // Before the wallets are asked to announce themselves, so that this one is among those who answer.
    const { announceDemoWallet } = await import("./demo-wallet");
    announceDemoWallet({ chainId: settings.chainId, rpcUrl: new URL("/demo/rpc", origin).href });
  }
  const config = createWalletConfig({ settings, origin });
  const { chainId, contractAddress } = settings;

  return {
    listWallets: () => usableConnectors(config).map(toChoice),

    async connect(walletId) {
      const connector = usableConnectors(config).find((candidate) => candidate.id === walletId);
      if (!connector) throw new Error("This wallet is no longer there.");
      const { accounts, chainId: walletChainId } = await connect(config, { connector });
      return { address: accounts[0], chainId: walletChainId, walletName: connector.name };
    },

    async reconnect() {
      await reconnect(config);
      return toAccount(getConnection(config));
    },

    async disconnect() {
      await disconnect(config);
    },

    watchAccount: (onChange) =>
      watchConnection(config, {
        onChange: (connection) => {
          if (connection.status === "connected") onChange(toAccount(connection));
          if (connection.status === "disconnected") onChange(null);
        },
      }),

    async ensureChain() {
      const { connector, chainId: lastSeen } = getConnection(config);
      const current = (await connector?.getChainId()) ?? lastSeen;
      if (current !== chainId) await switchChain(config, { chainId });
    },

    signMessage: ({ address, message }) => signMessage(config, { account: address, message }),

    findKeys: (owner) =>
      settings.keyStandard === "erc1155"
        ? Promise.resolve(null)
        : findKeys({ config, contractAddress, owner }),

    async mintKey(minter) {
      const price = await readContract(config, {
        abi: keyContractAbi,
        address: contractAddress,
        functionName: "price",
        chainId,
      });
      const hash = await writeContract(config, {
        abi: keyContractAbi,
        address: contractAddress,
        functionName: "mint",
        account: minter,
        value: price,
        chainId,
      });
      return { minted: findMintedKey({ config, hash, minter }) };
    },
  };
}

function createWalletConfig({ settings, origin }: { settings: PublicSettings; origin: string }): Config {
  const rpcUrl = settings.rpcUrlForBrowser && new URL(settings.rpcUrlForBrowser, origin).href;
  const chain = defineChain({
    id: settings.chainId,
    name: settings.mode === "demo" ? "Latchkey demo chain" : `Chain ${settings.chainId}`,
    nativeCurrency: { name: "Ether", symbol: "ETH", decimals: 18 },
    rpcUrls: { default: { http: rpcUrl ? [rpcUrl] : [] } },
  }) as Chain;
  const config: Config = createConfig({
    chains: [chain],
    connectors: [injected()],
    transports: { [chain.id]: rpcUrl ? http(rpcUrl) : throughConnectedWallet() },
    storage: createStorage({ key: "latchkey.wallet", storage: window.localStorage }),
    pollingInterval: settings.mode === "demo" ? 300 : 2_000,
  });

  /** Without an address of our own the chain is read through the wallet: the page may reach nothing else. */
  function throughConnectedWallet(): Transport {
    return custom({
      async request(request: { method: string; params?: unknown }) {
        const provider = await getConnection(config).connector?.getProvider();
        return (provider as { request: (request: unknown) => Promise<unknown> }).request(request);
      },
    });
  }
  return config;
}

/** Announced wallets; `window.ethereum` stands in only where nothing announced itself. */
function usableConnectors(config: Config): Connector[] {
  const connectors = getConnectors(config);
  const announced = connectors.filter((connector) => connector.id !== "injected");
  const fallback = connectors.filter((connector) => connector.id === "injected" && "ethereum" in window);
  const foreign = announced.filter((connector) => connector.id !== demoWalletId);
  return foreign.length > 0 ? [...announced] : [...fallback, ...announced];
}

function toChoice({ id, name, icon }: Connector): WalletChoice {
  return {
    id,
    name: id === "injected" ? "Browser wallet" : name,
    icon: icon?.startsWith("data:image/") ? icon.trim() : null,
    isTestKey: id === demoWalletId,
  };
}

function toAccount(connection: ReturnType<typeof getConnection>): WalletAccount | null {
  if (connection.status !== "connected") return null;
  const { address, chainId, connector } = connection;
  return { address, chainId, walletName: connector.name };
}

async function findKeys({
  config,
  contractAddress,
  owner,
}: {
  config: Config;
  contractAddress: Address;
  owner: Address;
}): Promise<string[] | null> {
  const client = getPublicClient(config);
  if (!client) return null;
  const received = await client.getContractEvents({
    abi: keyContractAbi,
    address: contractAddress,
    eventName: "Transfer",
    args: { to: owner },
    fromBlock: 0n,
    strict: true,
  });
  const everHeld = [...new Set(received.map((log) => log.args.tokenId))].reverse().slice(0, maxListedKeys);
  const holders = await Promise.all(
    everHeld.map((tokenId) =>
      client
        .readContract({
          abi: keyContractAbi,
          address: contractAddress,
          functionName: "ownerOf",
          args: [tokenId],
        })
        // A burned key has no owner, and says so by reverting.
        .catch(() => null),
    ),
  );
  return everHeld
    .filter((_, index) => {
      const holder = holders[index];
      return holder != null && isAddressEqual(holder, owner);
    })
    .map(String);
}

async function findMintedKey({
  config,
  hash,
  minter,
}: {
  config: Config;
  hash: `0x${string}`;
  minter: Address;
}): Promise<string> {
  const receipt = await waitForTransactionReceipt(config, { hash });
  const transfers = parseEventLogs({ abi: keyContractAbi, eventName: "Transfer", logs: receipt.logs });
  const minted = transfers.find(({ args }) => isAddressEqual(args.to, minter));
  if (!minted) throw new Error("The transaction went through, but brought no key.");
  return minted.args.tokenId.toString();
}
