import { numberToHex } from "viem";
import type { Address, Hex } from "viem";
import { useMemo } from "react";
import { useConfig, useDisconnect, useReconnect, useSignMessage, useSwitchChain } from "wagmi";
import type { Config } from "wagmi";
import { getConnection } from "wagmi/actions";
import type { PublicSettings } from "~/platform/config/public-settings";
import { proveForForm, proveForRoom } from "../entry/gate-proofs";
import { findMinted, keyCalls, readPrice } from "../entry/key-calls";
import type { KindFinding } from "../kinds/key-choice";
import { chainNameOf } from "../kinds/key-words";
import { findInWallet } from "../kinds/wallet-findings";
import { WalletError, nameWalletError } from "./wallet-notices";
import type { Fact, WalletErrorName } from "./wallet-notices";
import { findAccount, getProvider } from "./wallet-setup";
import type { WalletAccount, WalletSetup } from "./wallet-setup";

export type Wallet = ReturnType<typeof useWallet>;

export function useWallet({ settings, kinds, ask, readsByHttp, makeConnector }: WalletSetup) {
  const config = useConfig();
  const { mutateAsync: reconnect } = useReconnect();
  const { mutateAsync: disconnect } = useDisconnect();
  const { mutateAsync: switchChain } = useSwitchChain();
  const { mutateAsync: signMessage } = useSignMessage();

  return useMemo(
    () => ({
      /** The wallet of an earlier visit. `asleep`: connect it only when asked to. */
      async reconnect(walletId: string): Promise<WalletAccount | "gone" | "locked" | "asleep"> {
        // These contact other servers or open windows.
        if (walletId === "walletconnect" || walletId === "base") return "asleep";
        const connector = await makeConnector(walletId).catch(() => null);
        if (!connector) return "gone";
        await reconnect({ connectors: [connector] });
        return findAccount(config) ?? "locked";
      },

      disconnect: () => disconnect(),

      /** Switches the wallet to the key's chain if necessary. */
      async ensureChain(chainId: number): Promise<void> {
        const { connector } = getConnection(config);
        if (!connector) throw new WalletError("gone");
        if ((await connector.getChainId()) === chainId) return;
        try {
          await switchChain({ chainId });
        } catch (cause) {
          if (notOfNetwork.has(nameWalletError(cause))) throw cause;
          throw new WalletError("wrong-network", { cause, facts: chainFacts(settings, chainId) });
        }
      },

      async signMessage({ address, message }: { address: Address; message: string }): Promise<Hex> {
        await requireAccount(config, address);
        return signMessage({ account: address, message });
      },
      proveForRoom,
      proveForForm,

      /** The page can reach one chain: its own, or the wallet's. */
      async findKeys(holder: Address): Promise<KindFinding[]> {
        // With one kind, the page itself shows that the network is another one.
        const own = readsByHttp || kinds.length === 1 ? null : findAccount(config);
        return findInWallet({ ask, chainId: own?.chainId ?? settings.chainId }, kinds, holder);
      },

      /** `minted` settles when the chain has recorded it. */
      async mintKey(minter: Address): Promise<{ minted: Promise<string> }> {
        await requireAccount(config, minter);
        // Only the demo mints, and its first kind has a contract.
        const contractAddress = kinds[0].contract!;
        const value = await readPrice(ask, contractAddress);
        const provider = await getProvider(config);
        const transaction = { from: minter, to: contractAddress, data: keyCalls.mint, value };
        const hash = await provider.request({ method: "eth_sendTransaction", params: [transaction] });
        return { minted: findMinted({ ask, contractAddress, hash: hash as Hex, minter }) };
      },
    }),
    [
      config,
      settings,
      kinds,
      ask,
      readsByHttp,
      makeConnector,
      reconnect,
      disconnect,
      switchChain,
      signMessage,
    ],
  );
}

/** Another account may be selected. A locked wallet shows none. */
async function requireAccount(config: Config, address: Address): Promise<void> {
  const accounts = await getConnection(config).connector?.getAccounts();
  if (!accounts) throw new WalletError("gone");
  if (accounts.length === 0) throw new WalletError("locked");
  const isThere = accounts.some((account) => account.toLowerCase() === address.toLowerCase());
  if (!isThere) throw new WalletError("wrong-account", { facts: [["Account of this page", address]] });
}

/** The network is not the cause of these. */
const notOfNetwork = new Set<WalletErrorName>(["pending", "locked", "gone", "silent"]);

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
