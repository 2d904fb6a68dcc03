// A command-line client: what an API user does, step by step, with a private key of their own.
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import type { PrivateKeyAccount } from "viem/accounts";
import { createApiClient } from "~/api-client/api-client";
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

const api = createApiClient({ origin });

type Answered<Data> = { data?: Data; error?: unknown; response: Response };

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

/** The answer, or the end of the command with what the service said instead. */
async function answerOf<Data>(call: Promise<Answered<Data>>): Promise<Data> {
  const { data, error, response } = await call.catch((cause: unknown) =>
    fail(`${origin} could not be reached: ${String((cause as Error).cause ?? cause)}`),
  );
  if (response.ok && data !== undefined) return data;
  process.stderr.write(`${response.status} ${JSON.stringify(error ?? null, null, 2)}\n`);
  process.exit(2);
}

function readSettings() {
  return answerOf(api.GET("/api/settings"));
}

async function readPlace(): Promise<Place> {
  return {
    origin,
    chainId: options["chain-id"] ? Number(options["chain-id"]) : (await readSettings()).chainId,
  };
}

async function sign() {
  const holder = readHolder();
  const place = await readPlace();
  if (options.legacy) return signLegacy(place, holder);
  const { nonce } = await answerOf(api.GET("/api/nonce"));
  return signSiwe({ place, holder, nonce });
}

async function enter() {
  return answerOf(api.POST("/api/gate-access", { body: await sign() }));
}

function enterAgain() {
  const withToken = createApiClient({ origin, accessToken: requireOption("token") });
  return answerOf(withToken.POST("/api/gate-access"));
}

async function submit() {
  const body = await signForm({
    place: await readPlace(),
    holder: readHolder(),
    message: requireOption("message"),
  });
  return answerOf(api.POST("/api/form-submission-gate", { body }));
}

async function mint() {
  const { chainId, contractAddress, rpcUrlForBrowser } = await readSettings();
  if (!rpcUrlForBrowser)
    fail("This service is not a demo: get a key where its contract sells or gives them.");
  const privateKey = generatePrivateKey();
  const account = findAccount() ?? privateKeyToAccount(privateKey);
  await answerOf(api.POST("/demo/faucet", { body: { address: account.address } }));
  const tokenId = await mintTestKey({
    account,
    chainId,
    contractAddress: contractAddress as `0x${string}`,
    rpcUrl: options.rpc ?? `${origin}${rpcUrlForBrowser}`,
  });
  const isNew = !findAccount();
  return {
    tokenId,
    address: account.address,
    ...(isNew ? { privateKey, note: "A test key, worth nothing." } : {}),
  };
}

const commands: Record<string, () => Promise<object>> = {
  enter,
  bearer: enterAgain,
  status: () =>
    answerOf(api.GET("/api/token-status/{tokenId}", { params: { path: { tokenId: readTokenId() } } })),
  nonce: () => answerOf(api.GET("/api/nonce")),
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
