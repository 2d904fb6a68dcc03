// A command-line client: what an API user does, step by step, with a private key of their own.
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import type { PrivateKeyAccount } from "viem/accounts";
import { signForm, signLegacy, signSiwe } from "./client/signed-requests";
import type { Holder, Place } from "./client/signed-requests";
import { mintTestKey } from "./client/test-key";

const usage = `Usage: npm run -s client -- <command> [options]

Commands
  enter    sign in for a key and print what lies behind the gate
  bearer   enter again with an access token (--token)
  submit   send the one-time form (--message)
  status   show whether a key exists and whether it is used
  sign     print a signed body for POST /api/gate-access, to send with any HTTP client
  nonce    print a sign-in nonce
  mint     mint a key for a new wallet on the demo's chain

Options
  --origin URL         the service, default http://localhost:3000
  --token-id ID        the key
  --private-key HEX    the wallet's key; default: the variable LATCHKEY_PRIVATE_KEY
  --key-file FILE      what mint printed: stands for --private-key and --token-id
  --legacy             use the older timestamped signature instead of SIWE
  --chain-id N         default: what the service says it uses
  --message TEXT       for submit
  --token JWT          for bearer
  --rpc URL            for mint; default: the demo's own chain
`;

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    origin: { type: "string", default: "http://localhost:3000" },
    "token-id": { type: "string" },
    "private-key": { type: "string" },
    "key-file": { type: "string" },
    "chain-id": { type: "string" },
    legacy: { type: "boolean", default: false },
    message: { type: "string" },
    token: { type: "string" },
    rpc: { type: "string" },
    help: { type: "boolean", default: false },
  },
});
const { origin } = new URL(options.origin);

type PublicSettings = { chainId: number; contractAddress: `0x${string}`; rpcUrlForBrowser: string | null };
type Call = { path: string; method?: string; body?: unknown; token?: string };

function fail(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}

function requireOption(name: "message" | "token"): string {
  return options[name] ?? fail(`--${name} is needed.\n\n${usage}`);
}

function readKeyFile(): { privateKey?: string; tokenId?: string } {
  const file = options["key-file"];
  if (!file) return {};
  try {
    return JSON.parse(readFileSync(file, "utf8")) as { privateKey?: string; tokenId?: string };
  } catch {
    return fail(`${file} does not hold what \`mint\` printed.`);
  }
}

function readTokenId(): string {
  return options["token-id"] ?? readKeyFile().tokenId ?? fail(`--token-id is needed.\n\n${usage}`);
}

function findAccount(): PrivateKeyAccount | null {
  const key = options["private-key"] ?? readKeyFile().privateKey ?? process.env.LATCHKEY_PRIVATE_KEY;
  if (!key) return null;
  if (!/^0x[0-9a-fA-F]{64}$/.test(key)) fail("The private key must be 0x and 64 hex digits.");
  return privateKeyToAccount(key as `0x${string}`);
}

function readHolder(): Holder {
  const account = findAccount();
  if (!account)
    fail("Give the wallet's key: --private-key 0x…, --key-file, or the variable LATCHKEY_PRIVATE_KEY.");
  return { account, tokenId: readTokenId() };
}

async function call({ path, method = "GET", body, token }: Call): Promise<Record<string, unknown>> {
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

async function readSettings(): Promise<PublicSettings> {
  return (await call({ path: "/api/settings" })) as PublicSettings;
}

async function readPlace(): Promise<Place> {
  return {
    origin,
    chainId: options["chain-id"] ? Number(options["chain-id"]) : (await readSettings()).chainId,
  };
}

async function sign(): Promise<Record<string, unknown>> {
  const holder = readHolder();
  const place = await readPlace();
  if (options.legacy) return signLegacy({ place, holder });
  const { nonce } = await call({ path: "/api/nonce" });
  return signSiwe({ place, holder, nonce: String(nonce) });
}

async function submit(): Promise<Record<string, unknown>> {
  const body = await signForm({
    place: await readPlace(),
    holder: readHolder(),
    message: requireOption("message"),
  });
  return call({ path: "/api/form-submission-gate", method: "POST", body });
}

async function mint(): Promise<Record<string, unknown>> {
  const { chainId, contractAddress, rpcUrlForBrowser } = await readSettings();
  if (!rpcUrlForBrowser)
    fail("This service is not a demo: get a key where its contract sells or gives them.");
  const privateKey = generatePrivateKey();
  const account = findAccount() ?? privateKeyToAccount(privateKey);
  await call({ path: "/demo/faucet", method: "POST", body: { address: account.address } });
  const rpcUrl = options.rpc ?? `${origin}${rpcUrlForBrowser}`;
  const tokenId = await mintTestKey({ account, chainId, contractAddress, rpcUrl });
  const isNew = !findAccount();
  return {
    tokenId,
    address: account.address,
    ...(isNew ? { privateKey, note: "A test key, worth nothing." } : {}),
  };
}

const commands: Record<string, () => Promise<Record<string, unknown>>> = {
  enter: async () => call({ path: "/api/gate-access", method: "POST", body: await sign() }),
  bearer: () => call({ path: "/api/gate-access", method: "POST", token: requireOption("token") }),
  status: () => call({ path: `/api/token-status/${encodeURIComponent(readTokenId())}` }),
  nonce: () => call({ path: "/api/nonce" }),
  submit,
  sign,
  mint,
};
const command = Object.hasOwn(commands, positionals[0] ?? "") ? commands[positionals[0]!] : undefined;
if (!command || options.help) {
  process.stdout.write(usage);
  process.exit(options.help ? 0 : 1);
}
process.stdout.write(`${JSON.stringify(await command(), null, 2)}\n`);
