import { randomUUID } from "node:crypto";
import type { Page } from "@playwright/test";
import { createWalletClient, defineChain, hexToBigInt, http, isHex, numberToHex } from "viem";
import type { Hex, PrivateKeyAccount } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";

type RpcRequest = { method: string; params?: unknown[] };
type Transaction = { to: Hex; data?: Hex; value?: Hex };
type RpcAnswer = { result: unknown } | { error: { code: number; message: string } };

type WalletOptions = {
  page: Page;
  rpcUrl: string;
  chainId: number;
  name?: string;
  /** How many accounts it holds, each with a fresh key. */
  accountCount?: number;
  /** Keys to hold instead of fresh ones. */
  privateKeys?: Hex[];
  rdns?: string;
  icon?: string;
  /** How the page finds the wallet: announced, or among several in `window.ethereum`. */
  injectedAs?: "announced" | "shared";
  /** Whether it already has the keys' chain or must add it first. */
  knowsChain?: boolean;
  /** Another chain it knows. */
  otherChainId?: number;
  /** The chain it starts on. */
  startsOn?: number;
  /** The person has connected it to this site before, in another window. */
  isAuthorized?: boolean;
};

/** Errors of wallets that can't sign now, and the page's explanations. */
export const signatureErrors = [
  { code: 4100, title: "The wallet is locked", remedy: "Unlock the wallet, then try again." },
  { code: -32002, title: "The wallet is still asking", remedy: "answer that request, then try again here" },
] as const;

/** Adds the wallet to every document the page will open. Call it before the first navigation. */
export async function addWallet({
  name = "Test wallet",
  rdns = "test.latchkey.wallet",
  icon = plainIcon,
  injectedAs = "announced",
  ...options
}: WalletOptions): Promise<TestWallet> {
  const wallet = new TestWallet(name, options);
  const { channelName } = wallet;
  const bindingName = `testWallet${randomUUID().replaceAll("-", "")}`;
  await options.page.exposeBinding(bindingName, (_source, request: RpcRequest) => wallet.respond(request));
  const uuid = randomUUID();
  await options.page.addInitScript(injectProvider, {
    bindingName,
    channelName,
    name,
    icon,
    rdns,
    injectedAs,
    uuid,
  });
  return wallet;
}

/** A wallet under the test's control. The page sees only its provider, and the keys stay in this process. */
export class TestWallet {
  /** All texts to sign, in order. */
  readonly signedTexts: string[] = [];
  /** All requested methods, in order. */
  readonly asked: string[] = [];
  /** Every added chain. */
  readonly added: unknown[] = [];
  readonly channelName = `test-wallet:${randomUUID()}`;
  private readonly accounts: PrivateKeyAccount[];
  private readonly failures: { method: string; code: number; message: string }[] = [];
  private readonly holds = new Map<string, Promise<void>>();
  private readonly silent = new Map<string, Promise<void>>();
  private current = 0;
  private currentChainId: number;
  private hasChain: boolean;
  private isConnected: boolean;
  private isLocked = false;

  constructor(
    readonly name: string,
    private readonly options: WalletOptions,
  ) {
    const {
      chainId,
      accountCount = 1,
      knowsChain = true,
      startsOn = chainId,
      isAuthorized = false,
    } = options;
    const privateKeys = options.privateKeys ?? Array.from({ length: accountCount }, generatePrivateKey);
    this.accounts = privateKeys.map((privateKey) => privateKeyToAccount(privateKey));
    this.currentChainId = startsOn;
    this.hasChain = knowsChain;
    this.isConnected = isAuthorized;
  }

  address(): Hex {
    return this.account().address;
  }

  /** The person rejects the next request of this method. */
  rejectNext(method: string): void {
    this.failNext(method, { code: 4001, message: "User rejected the request." });
  }

  /** The next request of this method fails with this error. */
  failNext(method: string, error: { code: number; message: string }): void {
    this.failures.push({ method, ...error });
  }

  /** Requests of this method get no response until the returned function is called. */
  silence(method: string): () => void {
    let speak = () => {};
    this.silent.set(method, new Promise<void>((resolve) => (speak = resolve)));
    return () => {
      this.silent.delete(method);
      speak();
    };
  }

  /** The next request of this method waits until the returned function is called. */
  holdNext(method: string): () => void {
    let release = () => {};
    this.holds.set(method, new Promise((resolve) => (release = resolve)));
    return () => release();
  }

  /** The person picks another account in the wallet. */
  async switchAccount(index: number): Promise<void> {
    this.current = index;
    await this.emit("accountsChanged", [this.address()]);
  }

  /** The person picks another chain in the wallet. */
  async switchChain(chainId: number): Promise<void> {
    this.currentChainId = chainId;
    await this.emit("chainChanged", numberToHex(chainId));
  }

  /** The person locks the wallet. */
  async lock(): Promise<void> {
    this.isLocked = true;
    await this.emit("accountsChanged", []);
  }

  /** The response to the page's request. */
  async respond(request: RpcRequest): Promise<RpcAnswer> {
    try {
      return { result: await this.answer(request) };
    } catch (error) {
      if (error instanceof RpcError) return { error: { code: error.code, message: error.message } };
      return { error: { code: -32603, message: String(error) } };
    }
  }

  private async answer({ method, params = [] }: RpcRequest): Promise<unknown> {
    this.asked.push(method);
    await this.silent.get(method);
    const failing = this.failures.findIndex((failure) => failure.method === method);
    const [failure] = failing === -1 ? [] : this.failures.splice(failing, 1);
    if (failure) throw new RpcError(failure.code, failure.message);
    const held = this.holds.get(method);
    this.holds.delete(method);
    await held;
    const { chainId, rpcUrl } = this.options;
    switch (method) {
      case "eth_requestAccounts":
        this.isConnected = true;
        this.isLocked = false;
        return [this.address()];
      case "eth_accounts":
        return this.isConnected && !this.isLocked ? [this.address()] : [];
      case "eth_chainId":
        return numberToHex(this.currentChainId);
      case "wallet_switchEthereumChain": {
        const wanted = Number((params[0] as { chainId: Hex }).chainId);
        const isKnown = wanted === this.options.otherChainId || (wanted === chainId && this.hasChain);
        if (!isKnown) throw new RpcError(4902, "Unrecognized chain.");
        await this.switchChain(wanted);
        return null;
      }
      case "wallet_revokePermissions":
        this.isConnected = false;
        return null;
      case "personal_sign":
        return this.sign(params[0]);
      case "eth_sendTransaction":
        return this.sendTransaction(params[0] as Transaction);
      case "wallet_addEthereumChain":
        this.added.push(params[0]);
        this.hasChain = true;
        await this.switchChain(chainId);
        return null;
      case "wallet_requestPermissions":
        throw new RpcError(4200, "Unsupported method.");
      default:
        return forward(rpcUrl, { method, params });
    }
  }

  private sign(raw: unknown): Promise<Hex> {
    if (!isHex(raw)) throw new RpcError(-32602, "The text to sign must be hex.");
    this.signedTexts.push(Buffer.from(raw.slice(2), "hex").toString("utf8"));
    return this.account().signMessage({ message: { raw } });
  }

  private sendTransaction({ to, data, value }: Transaction): Promise<Hex> {
    const { chainId, rpcUrl } = this.options;
    const chain = defineChain({
      id: chainId,
      name: "Test chain",
      nativeCurrency: { name: "Ether", symbol: "ETH", decimals: 18 },
      rpcUrls: { default: { http: [rpcUrl] } },
    });
    const client = createWalletClient({ account: this.account(), chain, transport: http(rpcUrl) });
    return client.sendTransaction({ to, data, value: value ? hexToBigInt(value) : 0n });
  }

  private account(): PrivateKeyAccount {
    const chosen = this.accounts[this.current];
    if (!chosen) throw new Error(`This wallet has no account ${this.current}.`);
    return chosen;
  }

  private async emit(event: string, value: unknown): Promise<void> {
    await this.options.page.evaluate(
      ([channel, detail]) => window.dispatchEvent(new CustomEvent(channel as string, { detail })),
      [this.channelName, { event, value }] as const,
    );
  }
}

/** Forwards requests that aren't a wallet's business to the chain. */
async function forward(rpcUrl: string, request: RpcRequest): Promise<unknown> {
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

const plainIcon =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 8 8'%3E%3Crect width='8' height='8' fill='%23558'/%3E%3C/svg%3E";

type InjectProviderOptions = {
  bindingName: string;
  channelName: string;
  name: string;
  icon: string;
  rdns: string;
  injectedAs: "announced" | "shared";
  uuid: string;
};

/** Runs in the page. It must not refer to anything outside itself. */
function injectProvider({
  bindingName,
  channelName,
  name,
  icon,
  rdns,
  injectedAs,
  uuid,
}: InjectProviderOptions): void {
  type Listener = (value: unknown) => void;
  // The room's sandboxed frame must not find a wallet.
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
  const own = Object.assign(provider, { isMetaMask: name === "MetaMask", isRabby: name === "Rabby Wallet" });
  const page = window as unknown as { ethereum?: { providers?: unknown[] } };
  if (injectedAs === "shared") {
    const providers = [...(page.ethereum?.providers ?? []), own];
    page.ethereum = Object.assign(page.ethereum ?? own, { providers });
    return;
  }
  const info = { uuid, name, icon, rdns };
  function announce() {
    const detail = Object.freeze({ info: Object.freeze(info), provider });
    window.dispatchEvent(new CustomEvent("eip6963:announceProvider", { detail }));
  }
  window.addEventListener("eip6963:requestProvider", announce);
  announce();
}
