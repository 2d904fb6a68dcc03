import { mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { onTestFinished } from "vitest";
import { signForm, signLegacy, signSiwe } from "~/commands/signed-requests";
import type { Holder, Signer } from "~/commands/signed-requests";
import { developmentAccount } from "../../contracts/local-chain.mjs";
import { deployCoin, mintCoins, placeDelegateRegistry } from "~e2e/support/chain/key-kinds";
import { openTwoChains } from "~e2e/support/chain/two-chains";
import { startServer } from "~e2e/support/running-server";
import { clientOf } from "./gate-fixture";

/** In the order of the file. */
export const kindNames = [
  "founder",
  "patron",
  "silent",
  "lent",
  "trusted",
  "abroad",
  "either",
  "both",
] as const;
export type KindName = (typeof kindNames)[number];

type KeysServerOptions = {
  /** The text of KEYS_FILE. */
  text: string;
  /** Address files beside it. */
  lists?: Record<string, readonly string[]>;
  /** By chain. */
  rpcUrls: Record<number, string>;
  env?: Record<string, string>;
  /** This folder survives the server. */
  dataDir?: string;
};

/** A server with the kinds of a file, and its client. */
export async function startKeysServer(options: KeysServerOptions) {
  const { text, lists = {}, rpcUrls, env = {}, dataDir } = options;
  const folder = await mkdtemp(path.join(os.tmpdir(), "latchkey-keys-"));
  const file = path.join(folder, "keys.json");
  await writeFile(file, text);
  for (const [name, listed] of Object.entries(lists))
    await writeFile(path.join(folder, name), listed.join("\n"));
  const server = await startServer({
    startLimitMs: 60_000,
    ...(dataDir && { dataDir }),
    env: {
      CHAIN_ID: undefined,
      KEYS_FILE: file,
      ...Object.fromEntries(Object.entries(rpcUrls).map(([chainId, url]) => [`RPC_URL_${chainId}`, url])),
      CHAIN_POLL_SECONDS: "1",
      ...env,
    },
  });
  const { keys, chains } = JSON.parse(text) as {
    keys: { name: string; chainId?: number }[];
    chains: object;
  };
  const onlyChain = Number(Object.keys(chains)[0]);
  const client = clientOf(server);

  function holderOf(name: string, account: Signer, rest: NamedHolder): Holder {
    const tokenId = rest.tokenId ?? BigInt(rest.vault ?? account.address).toString();
    return { account, key: { name, isFirst: name === keys[0]?.name }, ...rest, tokenId };
  }
  const siteOf = (name: string) => {
    const { chainId = onlyChain } = keys.find((kind) => kind.name === name)!;
    return { origin: server.origin, chainId };
  };

  return {
    ...client,
    server,
    folder,
    /** The body of a sign-in, without an id for a membership. */
    siwe: async (name: string, account: Signer, rest: NamedHolder = {}) =>
      signSiwe({ site: siteOf(name), holder: holderOf(name, account, rest), nonce: await client.newNonce() }),
    legacy: (
      name: string,
      account: Signer,
      { timestamp, ...rest }: NamedHolder & { timestamp?: number } = {},
    ) => signLegacy(siteOf(name), holderOf(name, account, rest), timestamp),
    form: (name: string, account: Signer, rest: NamedHolder & { message: string }) => {
      const { message, ...key } = rest;
      return signForm({ site: siteOf(name), holder: holderOf(name, account, key), message });
    },
    close: async () => {
      await server.stop();
      await rm(folder, { recursive: true });
    },
  };
}

export type NamedHolder = { tokenId?: string; vault?: string };
export type KeysServer = Awaited<ReturnType<typeof startKeysServer>>;

type KeysGateOptions = {
  env?: Record<string, string>;
  /** Sites that a kind opens in addition. */
  doors?: Partial<Record<KindName, string>>;
};

function opensBesides(site: string | undefined): { opens?: string[] } {
  return site === undefined ? {} : { opens: ["room", "chat", "tts", "tools", `door:${site}`] };
}

/**
 * A server with eight kinds on two chains. `founder` is an ERC-721 key. `patron` is a membership for holders of 5 coins
 * on the second chain who aren't on a list. `silent` takes the same contract's keys, which open the chat but not the
 * room. `lent` takes them too, also from delegates. `trusted` lets delegates use them as well. `abroad` takes keys of
 * the second chain, whose contract has the same address. `either` is a membership for a coin of the second chain or any
 * ether on the first. `both` wants such a coin and far more ether than exists.
 */
export async function openKeysGate({ env = {}, doors = {} }: KeysGateOptions = {}) {
  const { first, second } = await openTwoChains();
  const [coin, registry] = await Promise.all([
    deployCoin(second.chain, 6),
    placeDelegateRegistry(first.chain),
  ]);
  const { address: contract } = first.chain.key;
  const banned = developmentAccount(9).address;
  const token = { standard: "erc721", chainId: 31337, contract };
  const coinAbroad = { erc20: coin.address, chainId: 31338, atLeast: "1", label: "A coin" };
  const ether = (atLeast: bigint) => ({
    native: true,
    chainId: 31337,
    atLeast: String(atLeast),
    label: "Ether",
  });
  const membership = { standard: "membership", chainId: 31337 };
  const keysFile = {
    chains: { 31337: {}, 31338: {} },
    keys: [
      { name: "founder", title: "Founder's key", ...token, ...opensBesides(doors.founder) },
      {
        name: "patron",
        title: "Patrons",
        standard: "membership",
        chainId: 31338,
        ...opensBesides(doors.patron),
        requires: {
          all: [
            { erc20: coin.address, chainId: 31338, atLeast: "5000000", label: "5 coins" },
            { not: { addresses: [banned], secret: true } },
          ],
        },
      },
      { name: "silent", title: "Chat only", ...token, opens: ["chat"] },
      { name: "lent", title: "Lent", ...token, delegation: "latchkey" },
      { name: "trusted", title: "Trusted", ...token, delegation: "latchkey", delegatesMayUse: true },
      { name: "abroad", title: "Abroad", ...token, chainId: 31338, contract: second.chain.key.address },
      { name: "either", title: "Either", ...membership, requires: { any: [coinAbroad, ether(1n)] } },
      { name: "both", title: "Both", ...membership, requires: { all: [coinAbroad, ether(10n ** 30n)] } },
    ],
  };
  const started = await startKeysServer({
    text: JSON.stringify(keysFile),
    rpcUrls: { 31337: first.rpc.url, 31338: second.rpc.url },
    env: {
      OWNERSHIP_CACHE_SECONDS: "0",
      RATE_LIMIT_GATE_ACCESS: "0",
      RATE_LIMIT_NONCE: "0",
      RATE_LIMIT_FORM_SUBMISSION: "0",
      NEXT_PUBLIC_AI_CHAT_REQUIRES_JWT: "true",
      ...env,
    },
  });

  return {
    ...started,
    first,
    second,
    registry,
    banned,
    account: (index: number) => developmentAccount(index).account,
    mintKey: (index: number) => first.chain.mintKey(index),
    fund: (index: number, amount: bigint) =>
      mintCoins(second.chain, coin, { to: developmentAccount(index).address, amount }),
    /** Gives coins away. */
    spendCoins: (index: number, amount: bigint) =>
      second.chain.send({ ...coin, functionName: "transfer", args: [banned, amount], from: index }),
    siwe: (name: KindName, ...rest: Rest) => started.siwe(name, ...rest),
  };
}

type Rest = Parameters<KeysServer["siwe"]> extends [string, ...infer Others] ? Others : never;

export type KeysGate = Awaited<ReturnType<typeof openKeysGate>>;

/** The chain stops responding until the end of the test. */
export function takeAway({ rpc }: KeysGate["first"]): void {
  rpc.setFault("http-500");
  onTestFinished(() => rpc.setFault("none"));
}

export function claimsOf(token: unknown): Record<string, unknown> {
  return JSON.parse(Buffer.from(String(token).split(".")[1]!, "base64url").toString()) as Record<
    string,
    unknown
  >;
}
