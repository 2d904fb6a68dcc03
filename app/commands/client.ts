// A command-line client for API users with a private key of their own.
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import type { PrivateKeyAccount } from "viem/accounts";
import { createApiClient } from "~/api-client/api-client";
import type { ApiClient } from "~/api-client/api-client";
import { initContent } from "./content-init";
import { signForm, signLegacy, signSiwe } from "./signed-requests";
import type { Holder, Site } from "./signed-requests";
import { mintTestKey } from "../../contracts/mint-test-key";
import { CommandError, runCommand, UsageError } from "./run-command";

const usage = `Usage: latchkey client <command> [options]

Commands
  enter    sign in for a key and print what lies behind the gate
  bearer   enter again with an access token (--token)
  submit   send the one-time form (--message)
  status   show whether a key exists and whether it is used
  sign     print a signed body for POST /api/gate-access, to send with any HTTP client
  nonce    print a sign-in nonce
  mint     mint a key for a new wallet on the demo's chain
  content init
           write a commented skeleton of your content into CONTENT_DIR; what is there stays

Options
  --origin URL         the service, default http://localhost:3000
  --token-id ID        the key
  --private-key HEX    the wallet's key; default: the variable LATCHKEY_PRIVATE_KEY
  --key-file FILE      what mint printed: stands for --private-key and --token-id
  --legacy             use the older timestamped signature instead of SIWE
  --key NAME           the kind of key, where the service has several; default: the first
  --vault ADDRESS      the wallet that holds the key, where yours is its delegate
  --chain-id N         default: what the service says it uses
  --message TEXT       for submit
  --token JWT          for bearer
  --rpc URL            for mint; default: the demo's own chain

In the sources: npm run -s client -- <command> [options]
`;

function readCommandLine() {
  return parseArgs({
    allowPositionals: true,
    options: {
      origin: { type: "string", default: "http://localhost:3000" },
      "token-id": { type: "string" },
      "private-key": { type: "string" },
      "key-file": { type: "string" },
      key: { type: "string" },
      vault: { type: "string" },
      "chain-id": { type: "string" },
      legacy: { type: "boolean", default: false },
      message: { type: "string" },
      token: { type: "string" },
      rpc: { type: "string" },
      help: { type: "boolean" },
    },
  });
}

type Options = ReturnType<typeof readCommandLine>["values"];
type Client = { options: Options; origin: string; api: ApiClient };
type ApiResult<Data> = { data?: Data; error?: unknown; response: Response };

function readKeyFile(file: string | undefined): Partial<Options> {
  if (file === undefined) return {};
  try {
    const { privateKey, tokenId } = JSON.parse(readFileSync(file, "utf8")) as Record<string, string>;
    return { "private-key": privateKey, "token-id": tokenId };
  } catch {
    throw new CommandError(`${file} does not hold what \`mint\` printed.`);
  }
}

function requireOption({ options }: Client, name: "message" | "token" | "token-id"): string {
  const value = options[name];
  if (value === undefined) throw new UsageError(`--${name} is needed.`);
  return value;
}

function findAccount({ options }: Client): PrivateKeyAccount | null {
  const key = options["private-key"] ?? process.env.LATCHKEY_PRIVATE_KEY;
  if (!key) return null;
  if (!/^0x[0-9a-fA-F]{64}$/.test(key))
    throw new CommandError("The private key must be 0x and 64 hex digits.");
  return privateKeyToAccount(key as `0x${string}`);
}

function readHolder(client: Client, kind: Kind | null): Holder {
  const account = findAccount(client);
  if (account) {
    const { key: name, vault } = client.options;
    const tokenId =
      kind?.standard === "membership"
        ? BigInt(vault ?? account.address).toString()
        : requireOption(client, "token-id");
    const key = name === undefined || !kind ? undefined : { name, isFirst: kind.isFirst };
    return { account, tokenId, ...(key && { key }), ...(vault !== undefined && { vault }) };
  }
  const ways = "--private-key 0x…, --key-file, or the variable LATCHKEY_PRIVATE_KEY";
  throw new CommandError(`Give the wallet's key: ${ways}.`);
}

/** The response's data. A refusal ends the command. */
async function resultOf<Data>({ origin }: Client, call: Promise<ApiResult<Data>>): Promise<Data> {
  const { data, error, response } = await call.catch((cause: Error) => {
    throw new CommandError(`${origin} could not be reached: ${String(cause.cause ?? cause)}`);
  });
  if (response.ok && data !== undefined) return data;
  throw new CommandError(`${response.status} ${JSON.stringify(error ?? null, null, 2)}`, 2);
}

type Kind = { standard: string; chainId?: number | undefined; isFirst: boolean };

/** Null without --key. */
async function findKind(client: Client): Promise<Kind | null> {
  const { key: name } = client.options;
  if (name === undefined) return null;
  const { keys } = await resultOf(client, client.api.GET("/api/keys"));
  const index = keys.findIndex((kind) => kind.name === name);
  const kind = keys[index];
  if (kind) return { standard: kind.standard, chainId: kind.chainId, isFirst: index === 0 };
  throw new CommandError(
    `There is no kind of key called ${name}: ${keys.map((each) => each.name).join(", ")}.`,
  );
}

async function readSite(client: Client, kind: Kind | null): Promise<Site> {
  const { options, origin, api } = client;
  const given = options["chain-id"] ?? kind?.chainId;
  const chainId = given ? Number(given) : (await resultOf(client, api.GET("/api/settings"))).chainId;
  return { origin, chainId };
}

async function sign(client: Client) {
  const kind = await findKind(client);
  const holder = readHolder(client, kind);
  const site = await readSite(client, kind);
  if (client.options.legacy) return signLegacy(site, holder);
  const { nonce } = await resultOf(client, client.api.GET("/api/nonce"));
  return signSiwe({ site, holder, nonce });
}

async function mint(client: Client) {
  const { options, origin, api } = client;
  const { chainId, contractAddress, rpcUrlForBrowser } = await resultOf(client, api.GET("/api/settings"));
  if (!rpcUrlForBrowser)
    throw new CommandError("This service is not a demo: get a key where its contract sells or gives them.");
  const own = findAccount(client);
  const privateKey = generatePrivateKey();
  const account = own ?? privateKeyToAccount(privateKey);
  await resultOf(client, api.POST("/demo/faucet", { body: { address: account.address } }));
  const tokenId = await mintTestKey({
    account,
    chainId,
    contractAddress: contractAddress as `0x${string}`,
    rpcUrl: options.rpc ?? `${origin}${rpcUrlForBrowser}`,
  });
  const { address } = account;
  return own ? { tokenId, address } : { tokenId, address, privateKey, note: "A test key, worth nothing." };
}

const commands: Record<string, (client: Client) => Promise<object>> = {
  enter: async (client) =>
    resultOf(client, client.api.POST("/api/gate-access", { body: await sign(client) })),
  bearer: (client) => {
    const accessToken = requireOption(client, "token");
    return resultOf(client, createApiClient({ origin: client.origin, accessToken }).POST("/api/gate-access"));
  },
  submit: async (client) => {
    const kind = await findKind(client);
    const body = await signForm({
      site: await readSite(client, kind),
      holder: readHolder(client, kind),
      message: requireOption(client, "message"),
    });
    return resultOf(client, client.api.POST("/api/form-submission-gate", { body }));
  },
  status: (client) => {
    const path = { tokenId: requireOption(client, "token-id") };
    const { key } = client.options;
    const params = { path, ...(key !== undefined && { query: { key } }) };
    return resultOf(client, client.api.GET("/api/token-status/{tokenId}", { params }));
  },
  nonce: (client) => resultOf(client, client.api.GET("/api/nonce")),
  sign,
  mint,
  "content init": () => {
    if (existsSync(".env")) process.loadEnvFile(".env");
    return initContent(path.resolve(process.env.CONTENT_DIR || "content"));
  },
};

await runCommand(
  usage,
  async () => {
    const { values, positionals } = readCommandLine();
    const options = { ...readKeyFile(values["key-file"]), ...values };
    const name = positionals.join(" ");
    if (options.help || !Object.hasOwn(commands, name)) {
      process.stdout.write(usage);
      process.exitCode = options.help ? 0 : 1;
      return;
    }
    const { origin } = new URL(options.origin);
    const result = await commands[name]!({ options, origin, api: createApiClient({ origin }) });
    process.stdout.write(`${JSON.stringify(result, null, 2)}\n`);
  },
  1,
);
