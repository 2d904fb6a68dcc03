import {
  createPublicClient,
  createWalletClient,
  defineChain,
  http,
  keccak256,
  parseAbi,
  stringToHex,
} from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import type { PrivateKeyAccount } from "viem/accounts";
import { createSiweMessage } from "viem/siwe";
import { legacyEnvelopeText } from "~/gate/legacy-envelope";
import { startServer } from "~/testing/running-server";
import type { RunningServer } from "~/testing/running-server";
import { deployKeyContract, startLocalChain } from "../../contracts/local-chain.mjs";

export type Answer = { status: number; headers: Headers; body: Record<string, unknown> };
export type Gate = Awaited<ReturnType<typeof openGate>>;

const localChain = defineChain({
  id: 31337,
  name: "local",
  nativeCurrency: { name: "Ether", symbol: "ETH", decimals: 18 },
  rpcUrls: { default: { http: ["http://127.0.0.1"] } },
});
const keyAbi = parseAbi([
  "function mint() payable returns (uint256)",
  "function transferFrom(address from, address to, uint256 tokenId)",
]);

/** A real chain, a real key contract and the built server in front of them. */
export async function openGate({ env = {} }: { env?: Record<string, string | undefined> } = {}) {
  const chain = await startLocalChain();
  const contract = await deployKeyContract({ rpcUrl: chain.rpcUrl });
  const server = await startServer({
    env: { RPC_URL: chain.rpcUrl, KEY_CONTRACT_ADDRESS: contract.address, CHAIN_POLL_SECONDS: "1", ...env },
  });
  const transport = http(chain.rpcUrl);
  const client = createPublicClient({ chain: localChain, transport, pollingInterval: 50 });

  async function rich(): Promise<PrivateKeyAccount> {
    const account = privateKeyToAccount(generatePrivateKey());
    await client.request({
      method: "anvil_setBalance" as never,
      params: [account.address, "0xde0b6b3a7640000"] as never,
    });
    return account;
  }

  /** A new wallet with a key of its own. */
  async function mintKey(): Promise<{ account: PrivateKeyAccount; tokenId: string }> {
    const account = await rich();
    const wallet = createWalletClient({ account, chain: localChain, transport });
    const hash = await wallet.writeContract({ address: contract.address, abi: keyAbi, functionName: "mint" });
    const receipt = await client.waitForTransactionReceipt({ hash });
    return { account, tokenId: BigInt(receipt.logs[0]!.topics[3]!).toString() };
  }

  async function transferKey({
    from,
    to,
    tokenId,
  }: {
    from: PrivateKeyAccount;
    to: string;
    tokenId: string;
  }): Promise<void> {
    const wallet = createWalletClient({ account: from, chain: localChain, transport });
    const hash = await wallet.writeContract({
      address: contract.address,
      abi: keyAbi,
      functionName: "transferFrom",
      args: [from.address, to as `0x${string}`, BigInt(tokenId)],
    });
    await client.waitForTransactionReceipt({ hash });
  }

  return {
    chain,
    server,
    contract: contract.address,
    ...clientOf(server),
    rich,
    mintKey,
    transferKey,
    close: async () => {
      await server.stop();
      await chain.stop();
    },
  };
}

/** What an API client does, against any running server. */
export function clientOf(server: Pick<RunningServer, "origin">) {
  const { origin } = server;
  const domain = new URL(origin).host;

  async function ask({
    path,
    method = "GET",
    json,
    headers = {},
  }: {
    path: string;
    method?: string;
    json?: unknown;
    headers?: Record<string, string>;
  }): Promise<Answer> {
    const response = await fetch(`${origin}${path}`, {
      method,
      headers: { ...(json === undefined ? {} : { "Content-Type": "application/json" }), ...headers },
      body: json === undefined ? undefined : JSON.stringify(json),
    });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      body: text.startsWith("{") ? (JSON.parse(text) as Record<string, unknown>) : { text },
    };
  }

  async function newNonce(): Promise<string> {
    return (await ask({ path: "/api/nonce" })).body.nonce as string;
  }

  async function siweBody({
    account,
    tokenId,
    ...changes
  }: { account: PrivateKeyAccount; tokenId: string } & Record<string, unknown>) {
    const nonce = (changes.nonce as string | undefined) ?? (await newNonce());
    const message = createSiweMessage({
      address: account.address,
      chainId: 31337,
      domain,
      nonce,
      uri: origin,
      version: "1",
      ...(changes.fields as object | undefined),
    });
    return {
      address: account.address,
      signature: await account.signMessage({ message }),
      tokenId,
      message,
      nonce,
    };
  }

  async function signIn(holder: { account: PrivateKeyAccount; tokenId: string }): Promise<Answer> {
    return ask({ path: "/api/gate-access", method: "POST", json: await siweBody(holder) });
  }

  async function legacyBody({
    account,
    tokenId,
    timestamp = Date.now(),
  }: {
    account: PrivateKeyAccount;
    tokenId: string;
    timestamp?: number;
  }) {
    const message = legacyEnvelopeText({
      tokenId,
      domain,
      path: "/api/gate-access",
      method: "POST",
      chainId: 31337,
      timestamp,
    });
    return {
      address: account.address,
      signature: await account.signMessage({ message }),
      tokenId,
      timestamp,
    };
  }

  async function formBody({
    account,
    tokenId,
    message,
    signHash = true,
  }: {
    account: PrivateKeyAccount;
    tokenId: string;
    message: string;
    signHash?: boolean;
  }) {
    const timestamp = Date.now();
    const messageHash = signHash ? keccak256(stringToHex(message)) : undefined;
    const path = "/api/form-submission-gate";
    const text = legacyEnvelopeText({
      tokenId,
      domain,
      path,
      method: "POST",
      chainId: 31337,
      timestamp,
      messageHash,
    });
    const signature = await account.signMessage({ message: text });
    return {
      tokenId,
      message,
      signature,
      address: account.address,
      timestamp,
      ...(messageHash ? { messageHash } : {}),
    };
  }

  const post = (path: string, json: unknown, headers?: Record<string, string>) =>
    ask({ path, method: "POST", json, headers });
  return { origin, domain, ask, post, newNonce, siweBody, signIn, legacyBody, formBody };
}
