import { createPublicClient, createWalletClient, defineChain, http, parseAbi } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import type { PrivateKeyAccount } from "viem/accounts";
import { signForm, signLegacy, signSiwe } from "~/commands/signed-requests";
import type { Holder } from "~/commands/signed-requests";
import { mintTestKey, waitForReceipt } from "../../contracts/mint-test-key";
import { startServer } from "~e2e/support/running-server";
import type { RunningServer } from "~e2e/support/running-server";
import { deployKeyContract, startLocalChain } from "../../contracts/local-chain.mjs";

export type Answer = { status: number; headers: Headers; body: Record<string, unknown> };
type SiweFields = Parameters<typeof signSiwe>[0]["fields"];
export type Gate = Awaited<ReturnType<typeof openGate>>;

const localChain = defineChain({
  id: 31337,
  name: "local",
  nativeCurrency: { name: "Ether", symbol: "ETH", decimals: 18 },
  rpcUrls: { default: { http: ["http://127.0.0.1"] } },
});
const keyAbi = parseAbi(["function transferFrom(address from, address to, uint256 tokenId)"]);

/** A real chain with a key contract, and the built server. */
export async function openGate({
  env = {},
  ...rest
}: Pick<
  Parameters<typeof startServer>[0],
  "env" | "nodeOptions" | "isQuiet" | "projectDir" | "dataDir" | "startLimitMs"
> = {}) {
  const chain = await startLocalChain();
  async function start() {
    const contract = await deployKeyContract({ rpcUrl: chain.rpcUrl });
    const site = { RPC_URL: chain.rpcUrl, KEY_CONTRACT_ADDRESS: contract.address, CHAIN_POLL_SECONDS: "1" };
    return { contract, server: await startServer({ env: { ...site, ...env }, ...rest }) };
  }
  const { contract, server } = await start().catch(async (error: unknown) => {
    await chain.stop();
    throw error;
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

  /** Mints a new key for a wallet, by default a new wallet. */
  async function mintKey(
    given?: PrivateKeyAccount,
  ): Promise<{ account: PrivateKeyAccount; tokenId: string }> {
    const account = given ?? (await rich());
    const { rpcUrl } = chain;
    return {
      account,
      tokenId: await mintTestKey({ account, chainId: 31337, contractAddress: contract.address, rpcUrl }),
    };
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
    await waitForReceipt(client, hash);
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

type AskOptions = {
  path: string;
  method?: string;
  json?: unknown;
  headers?: Record<string, string>;
};

/** An API client for any running server. */
export function clientOf(server: Pick<RunningServer, "origin">, chainId = 31337) {
  const { origin } = server;
  const domain = new URL(origin).host;

  async function ask({ path, method = "GET", json, headers = {} }: AskOptions): Promise<Answer> {
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

  const site = { origin, chainId };
  async function siweBody({ nonce, fields, ...holder }: Holder & { nonce?: string; fields?: SiweFields }) {
    return signSiwe({ site, holder, nonce: nonce ?? (await newNonce()), fields });
  }

  async function signIn(holder: Holder): Promise<Answer> {
    return ask({ path: "/api/gate-access", method: "POST", json: await siweBody(holder) });
  }

  const legacyBody = ({ timestamp, ...holder }: Holder & { timestamp?: number }) =>
    signLegacy(site, holder, timestamp);
  const formBody = ({
    message,
    signHash,
    timestamp,
    ...holder
  }: Holder & { message: string; signHash?: boolean; timestamp?: number }) =>
    signForm({ site, holder, message, signHash, timestamp });

  const post = (path: string, json: unknown, headers?: Record<string, string>) =>
    ask({ path, method: "POST", json, headers });
  return { origin, domain, ask, post, newNonce, siweBody, signIn, legacyBody, formBody };
}
