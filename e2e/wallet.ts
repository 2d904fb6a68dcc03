import { randomUUID } from "node:crypto";
import type { Page } from "@playwright/test";
import { createWalletClient, defineChain, hexToBigInt, http, isHex, numberToHex } from "viem";
import type { Hex, PrivateKeyAccount } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";

type RpcRequest = { method: string; params?: unknown[] };
type Transaction = { to: Hex; data?: Hex; value?: Hex };
type RpcAnswer = { result: unknown } | { error: { code: number; message: string } };

/** A wallet the test holds in its hand: the page sees only its provider, the keys stay in this process. */
export type TestWallet = {
  name: string;
  address: () => Hex;
  /** Every text it was asked to sign, in order. */
  signedTexts: string[];
  /** The person says no to the next request of this method. */
  rejectNext: (method: string) => void;
  /** The person takes their time with the next request of this method, until the answer is called. */
  holdNext: (method: string) => () => void;
  /** The person picks another account in the wallet. */
  switchAccount: (index: number) => Promise<void>;
  /** The person picks another chain in the wallet. */
  switchChain: (chainId: number) => Promise<void>;
  /** The person locks the wallet. */
  lock: () => Promise<void>;
};

type WalletOptions = {
  page: Page;
  rpcUrl: string;
  chainId: number;
  name?: string;
  /** How many accounts it holds, each with a fresh key. */
  accountCount?: number;
  /** Keys to hold instead of fresh ones. */
  privateKeys?: Hex[];
  /** The person has let this site see it before, in another window. */
  isAuthorized?: boolean;
};

/** Adds the wallet to every document the page will open. Call it before the first navigation. */
export async function addWallet({
  page,
  rpcUrl,
  chainId,
  name = "Test wallet",
  accountCount = 1,
  privateKeys = Array.from({ length: accountCount }, generatePrivateKey),
  isAuthorized = false,
}: WalletOptions): Promise<TestWallet> {
  const accounts = privateKeys.map((privateKey) => privateKeyToAccount(privateKey));
  const rejections: string[] = [];
  const holds = new Map<string, Promise<void>>();
  const signedTexts: string[] = [];
  let current = 0;
  let walletChainId = chainId;
  let isConnected = isAuthorized;
  let isLocked = false;

  function account() {
    const chosen = accounts[current];
    if (!chosen) throw new Error(`This wallet has no account ${current}.`);
    return chosen;
  }

  async function answer({ method, params = [] }: RpcRequest): Promise<unknown> {
    const rejected = rejections.indexOf(method);
    if (rejected !== -1) {
      rejections.splice(rejected, 1);
      throw new RpcError(4001, "User rejected the request.");
    }
    const held = holds.get(method);
    holds.delete(method);
    await held;
    switch (method) {
      case "eth_requestAccounts":
        isConnected = true;
        isLocked = false;
        return [account().address];
      case "eth_accounts":
        return isConnected && !isLocked ? [account().address] : [];
      case "eth_chainId":
        return numberToHex(walletChainId);
      case "wallet_switchEthereumChain": {
        const wanted = Number((params[0] as { chainId: Hex }).chainId);
        if (wanted !== chainId) throw new RpcError(4902, "Unrecognized chain.");
        walletChainId = wanted;
        await emit("chainChanged", numberToHex(wanted));
        return null;
      }
      case "wallet_revokePermissions":
        isConnected = false;
        return null;
      case "personal_sign": {
        const raw = params[0];
        if (!isHex(raw)) throw new RpcError(-32602, "The text to sign must be hex.");
        signedTexts.push(Buffer.from(raw.slice(2), "hex").toString("utf8"));
        return account().signMessage({ message: { raw } });
      }
      case "eth_sendTransaction":
        return sendTransaction({
          account: account(),
          chainId,
          rpcUrl,
          transaction: params[0] as Transaction,
        });
      case "wallet_requestPermissions":
      case "wallet_addEthereumChain":
        throw new RpcError(4200, "Unsupported method.");
      default:
        return forward({ rpcUrl, request: { method, params } });
    }
  }

  async function emit(event: string, value: unknown): Promise<void> {
    await page.evaluate(
      ([channel, detail]) => window.dispatchEvent(new CustomEvent(channel as string, { detail })),
      [channelName, { event, value }] as const,
    );
  }

  const channelName = `test-wallet:${randomUUID()}`;
  const bindingName = `testWallet${randomUUID().replaceAll("-", "")}`;
  await page.exposeBinding(bindingName, async (_source, request: RpcRequest): Promise<RpcAnswer> => {
    try {
      return { result: await answer(request) };
    } catch (error) {
      if (error instanceof RpcError) return { error: { code: error.code, message: error.message } };
      return { error: { code: -32603, message: String(error) } };
    }
  });
  await page.addInitScript(injectProvider, { bindingName, channelName, name, uuid: randomUUID() });

  return {
    name,
    address: () => account().address,
    signedTexts,
    rejectNext: (method) => void rejections.push(method),
    holdNext(method) {
      let release = () => {};
      holds.set(method, new Promise((resolve) => (release = resolve)));
      return () => release();
    },
    async switchAccount(index) {
      current = index;
      await emit("accountsChanged", [account().address]);
    },
    async switchChain(next) {
      walletChainId = next;
      await emit("chainChanged", numberToHex(next));
    },
    async lock() {
      isLocked = true;
      await emit("accountsChanged", []);
    },
  };
}

function sendTransaction({
  account,
  chainId,
  rpcUrl,
  transaction: { to, data, value },
}: {
  account: PrivateKeyAccount;
  chainId: number;
  rpcUrl: string;
  transaction: Transaction;
}): Promise<Hex> {
  const chain = defineChain({
    id: chainId,
    name: "Test chain",
    nativeCurrency: { name: "Ether", symbol: "ETH", decimals: 18 },
    rpcUrls: { default: { http: [rpcUrl] } },
  });
  const client = createWalletClient({ account, chain, transport: http(rpcUrl) });
  return client.sendTransaction({ to, data, value: value ? hexToBigInt(value) : 0n });
}

/** What is no business of a wallet's is answered by the chain. */
async function forward({ rpcUrl, request }: { rpcUrl: string; request: RpcRequest }): Promise<unknown> {
  const response = await fetch(rpcUrl, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, ...request }),
  });
  const body = (await response.json()) as { result?: unknown; error?: { code: number; message: string } };
  if (body.error) throw new RpcError(body.error.code, body.error.message);
  return body.result;
}

class RpcError extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** Runs in the page. It must not refer to anything outside itself. */
function injectProvider({
  bindingName,
  channelName,
  name,
  uuid,
}: {
  bindingName: string;
  channelName: string;
  name: string;
  uuid: string;
}): void {
  type Listener = (value: unknown) => void;
  // The sandboxed frame of the room must not find a wallet.
  if (window.top !== window) return;
  const listeners = new Map<string, Set<Listener>>();
  const call = (window as unknown as Record<string, (request: unknown) => Promise<RpcAnswer>>)[bindingName];

  window.addEventListener(channelName, (message) => {
    const { event, value } = (message as CustomEvent<{ event: string; value: unknown }>).detail;
    for (const listener of listeners.get(event) ?? []) listener(value);
  });

  const provider = {
    async request(request: unknown): Promise<unknown> {
      const answer = await call?.(request);
      if (!answer) throw new Error("The test wallet is gone.");
      if ("error" in answer)
        throw Object.assign(new Error(answer.error.message), { code: answer.error.code });
      return answer.result;
    },
    on(event: string, listener: Listener) {
      listeners.set(event, (listeners.get(event) ?? new Set()).add(listener));
    },
    removeListener(event: string, listener: Listener) {
      listeners.get(event)?.delete(listener);
    },
  };
  const icon =
    "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 8 8'%3E%3Crect width='8' height='8' fill='%23558'/%3E%3C/svg%3E";
  const info = { uuid, name, icon, rdns: "test.latchkey.wallet" };
  function announce() {
    const detail = Object.freeze({ info: Object.freeze(info), provider });
    window.dispatchEvent(new CustomEvent("eip6963:announceProvider", { detail }));
  }
  window.addEventListener("eip6963:requestProvider", announce);
  announce();
}
