import { setTimeout as delay } from "node:timers/promises";
import {
  TransactionReceiptNotFoundError,
  createPublicClient,
  createTestClient,
  createWalletClient,
  http,
} from "viem";
import type { Abi, Address, Hex, PublicClient, TransactionReceipt } from "viem";
import { foundry } from "viem/chains";
import {
  deployKeyContract,
  developmentAccount,
  readArtifact,
  startLocalChain,
} from "../../../contracts/local-chain.mjs";
import { createChainClient } from "~/platform/chain/chain-client.server";
import type { ChainClient } from "~/platform/chain/chain-client.server";

export type Call = {
  address: Address;
  abi: Abi;
  functionName: string;
  args?: readonly unknown[];
  from: number;
};

/** Long enough for a busy machine, but shorter than a test's limit, so the failure says why. */
const settleWithinMs = 20_000;
const receiptPollMs = 10;

type KeyContract = Pick<Call, "address" | "abi">;
export type TestChain = Awaited<ReturnType<typeof startTestChain>>;

/** Reads from and sends to a running chain. Accounts go by number, 0 to 9. */
export function connectChain({ rpcUrl, chainId }: { rpcUrl: string; chainId: number }) {
  const viewer = createPublicClient({ transport: http(rpcUrl), pollingInterval: 20, cacheTime: 0 });
  const control = createTestClient({ mode: "anvil", chain: foundry, transport: http(rpcUrl) });
  const wallets = new Map<number, ReturnType<typeof makeWallet>>();

  function makeWallet(index: number) {
    return createWalletClient({
      account: developmentAccount(index).account,
      chain: { ...foundry, id: chainId },
      transport: http(rpcUrl),
    });
  }
  function walletOf(index: number) {
    const wallet = wallets.get(index) ?? makeWallet(index);
    wallets.set(index, wallet);
    return wallet;
  }

  /**
   * Polls for the receipt. viem polls once for each new block, and no block comes here until somebody sends a
   * transaction. After one premature answer, as from a busy node, viem would wait forever.
   */
  async function settle(hash: Hex) {
    const receipt = await findReceipt(viewer, hash);
    if (receipt.status !== "success") throw new Error(`The transaction ${hash} failed.`);
    return receipt;
  }

  /** Sends a transaction and waits until it is in a block. */
  async function send({ from, ...call }: Call & { value?: bigint }) {
    return await settle(await walletOf(from).writeContract(call));
  }

  async function deploy({ contractName, args = [] }: { contractName: string; args?: readonly unknown[] }) {
    const { abi, bytecode } = readArtifact(contractName);
    const receipt = await settle(await walletOf(0).deployContract({ abi, bytecode, args }));
    if (!receipt.contractAddress) throw new Error(`${contractName} was not deployed.`);
    return { address: receipt.contractAddress, abi };
  }

  /** Mints a key for an account and returns its id. */
  async function mintKey(from: number, contract: KeyContract): Promise<string> {
    await send({ ...contract, functionName: "mint", from });
    return String(await viewer.readContract({ ...contract, functionName: "totalSupply" }));
  }

  return { viewer, control, walletOf, send, deploy, settle, mintKey };
}

/** A real chain with the key contract on it. */
export async function startTestChain(
  options: { keyDurationSeconds?: number; blockTimeSeconds?: number; chainId?: number } = {},
) {
  const { blockTimeSeconds, chainId } = options;
  const chain = await startLocalChain({ blockTimeSeconds, chainId });
  const { rpcUrl } = chain;
  const connected = connectChain(chain);
  const { control, send } = connected;
  const key = await deployKeyContract({ rpcUrl, keyDurationSeconds: options.keyDurationSeconds });

  return {
    ...chain,
    ...connected,
    key,
    addressOf: (index: number): Address => developmentAccount(index).address,
    client: (): ChainClient => createChainClient({ rpcUrls: [rpcUrl], chainId: chain.chainId }),
    /** Mints from the key contract by default. */
    mintKey: (from: number, contract: KeyContract = key) => connected.mintKey(from, contract),
    /** Sets the time of blocks from now on, and adds an empty one. */
    async setTime(seconds: number): Promise<void> {
      await control.request({ method: "evm_setTime", params: [seconds] } as never);
      await control.mine({ blocks: 1 });
    },
    async transferKey({ tokenId, from, to }: { tokenId: string; from: number; to: Address }) {
      const args = [developmentAccount(from).address, to, BigInt(tokenId)];
      return await send({ ...key, functionName: "transferFrom", args, from });
    },
  };
}

async function findReceipt(viewer: PublicClient, hash: Hex): Promise<TransactionReceipt> {
  const giveUpAtMs = Date.now() + settleWithinMs;
  for (;;) {
    try {
      return await viewer.getTransactionReceipt({ hash });
    } catch (error) {
      if (!(error instanceof TransactionReceiptNotFoundError)) throw error;
      if (Date.now() > giveUpAtMs)
        throw new Error(`The transaction ${hash} came into no block.`, { cause: error });
    }
    await delay(receiptPollMs);
  }
}
