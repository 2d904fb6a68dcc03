// A command-line client: what an API user does, step by step, with a private key of their own.
import { parseArgs } from "node:util";
import { createPublicClient, createWalletClient, http, parseAbi } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import type { PrivateKeyAccount } from "viem/accounts";
import { createSiweMessage } from "viem/siwe";
import { legacyEnvelopeText } from "~/gate/legacy-envelope";
import { keccak256, stringToHex } from "viem";

const usage = `Usage: npm run client -- <command> [options]

Commands
  enter    sign in for a key and print what lies behind the gate
  bearer   enter again with an access token (--token)
  submit   send the one-time form (--message)
  status   show whether a key exists and is used
  nonce    print a sign-in nonce
  mint     mint a key on a test chain (--rpc)

Options
  --origin URL         the service, default http://localhost:3000
  --token-id ID        the key
  --private-key HEX    the wallet's key; default: the environment variable LATCHKEY_PRIVATE_KEY
  --legacy             enter with the older timestamped signature instead of SIWE
  --chain-id N         default: what the service says it uses
  --message TEXT       for submit
  --token JWT          for bearer
  --rpc URL            for mint
`;

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    origin: { type: "string", default: "http://localhost:3000" },
    "token-id": { type: "string" },
    "private-key": { type: "string" },
    "chain-id": { type: "string" },
    legacy: { type: "boolean", default: false },
    message: { type: "string" },
    token: { type: "string" },
    rpc: { type: "string" },
    help: { type: "boolean", default: false },
  },
});
const origin = new URL(options.origin).origin;
const domain = new URL(options.origin).host;

function fail(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}

function requireOption(name: "token-id" | "message" | "token" | "rpc"): string {
  return options[name] ?? fail(`--${name} is needed.\n\n${usage}`);
}

function readAccount(): PrivateKeyAccount {
  const key = options["private-key"] ?? process.env.LATCHKEY_PRIVATE_KEY;
  if (!key) fail("Give the wallet's private key: --private-key 0x…, or the variable LATCHKEY_PRIVATE_KEY.");
  return privateKeyToAccount(key as `0x${string}`);
}

async function call({
  path,
  method = "GET",
  body,
  token,
}: {
  path: string;
  method?: string;
  body?: unknown;
  token?: string;
}): Promise<unknown> {
  const response = await fetch(`${origin}${path}`, {
    method,
    headers: {
      ...(body === undefined ? {} : { "Content-Type": "application/json" }),
      ...(token ? { Authorization: `Bearer ${token}` } : {}),
    },
    body: body === undefined ? undefined : JSON.stringify(body),
  }).catch((error: unknown) =>
    fail(`${origin} could not be reached: ${String((error as Error).cause ?? error)}`),
  );
  const answer = (await response.json()) as Record<string, unknown>;
  if (response.ok) return answer;
  process.stderr.write(`${response.status} ${JSON.stringify(answer, null, 2)}\n`);
  process.exit(2);
}

async function readPublicSettings(): Promise<{ chainId: number; contractAddress: `0x${string}` }> {
  return (await call({ path: "/api/settings" })) as { chainId: number; contractAddress: `0x${string}` };
}

async function readChainId(): Promise<number> {
  return options["chain-id"] ? Number(options["chain-id"]) : (await readPublicSettings()).chainId;
}

async function enter(): Promise<unknown> {
  const account = readAccount();
  const tokenId = requireOption("token-id");
  const chainId = await readChainId();
  if (options.legacy) {
    const timestamp = Date.now();
    const message = legacyEnvelopeText({
      tokenId,
      domain,
      path: "/api/gate-access",
      method: "POST",
      chainId,
      timestamp,
    });
    const signature = await account.signMessage({ message });
    return call({
      path: "/api/gate-access",
      method: "POST",
      body: { address: account.address, signature, tokenId, timestamp },
    });
  }
  const { nonce } = (await call({ path: "/api/nonce" })) as { nonce: string };
  const message = createSiweMessage({
    address: account.address,
    chainId,
    domain,
    nonce,
    uri: origin,
    version: "1",
    statement: `Enter with key #${tokenId}.`,
  });
  const signature = await account.signMessage({ message });
  return call({
    path: "/api/gate-access",
    method: "POST",
    body: { address: account.address, signature, tokenId, message, nonce },
  });
}

async function submitForm(): Promise<unknown> {
  const account = readAccount();
  const tokenId = requireOption("token-id");
  const message = requireOption("message");
  const timestamp = Date.now();
  const messageHash = keccak256(stringToHex(message));
  const path = "/api/form-submission-gate";
  const text = legacyEnvelopeText({
    tokenId,
    domain,
    path,
    method: "POST",
    chainId: await readChainId(),
    timestamp,
    messageHash,
  });
  const signature = await account.signMessage({ message: text });
  return call({
    path,
    method: "POST",
    body: { tokenId, message, signature, address: account.address, timestamp, messageHash },
  });
}

const keyAbi = parseAbi([
  "function mint() payable returns (uint256)",
  "event Transfer(address indexed from, address indexed to, uint256 indexed tokenId)",
]);

/** On a test chain: a fresh wallet (unless one is given), test money, a key. */
async function mint(): Promise<unknown> {
  const transport = http(requireOption("rpc"));
  const { chainId, contractAddress } = await readPublicSettings();
  const privateKey = (options["private-key"] ??
    process.env.LATCHKEY_PRIVATE_KEY ??
    generatePrivateKey()) as `0x${string}`;
  const account = privateKeyToAccount(privateKey);
  await call({ path: "/demo/faucet", method: "POST", body: { address: account.address } });
  const chain = {
    id: chainId,
    name: "test chain",
    nativeCurrency: { name: "Test money", symbol: "TEST", decimals: 18 },
    rpcUrls: { default: { http: [requireOption("rpc")] } },
  };
  const wallet = createWalletClient({ account, chain, transport });
  const client = createPublicClient({ chain, transport, pollingInterval: 100 });
  const hash = await wallet.writeContract({ address: contractAddress, abi: keyAbi, functionName: "mint" });
  const receipt = await client.waitForTransactionReceipt({ hash });
  const tokenId = BigInt(
    receipt.logs[0]?.topics[3] ?? fail("The contract did not say which key it made."),
  ).toString();
  return {
    tokenId,
    address: account.address,
    privateKey,
    note: "A test key, worth nothing. Never send real money to it.",
  };
}

const commands: Record<string, () => Promise<unknown>> = {
  enter,
  submit: submitForm,
  mint,
  nonce: () => call({ path: "/api/nonce" }),
  status: () => call({ path: `/api/token-status/${requireOption("token-id")}` }),
  bearer: () => call({ path: "/api/gate-access", method: "POST", token: requireOption("token") }),
};
const command = commands[positionals[0] ?? ""];
if (!command || options.help) {
  process.stdout.write(usage);
  process.exit(command || options.help ? 0 : 1);
}
process.stdout.write(`${JSON.stringify(await command(), null, 2)}\n`);
