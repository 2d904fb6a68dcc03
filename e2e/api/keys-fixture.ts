import { mkdtemp, writeFile } from "node:fs/promises";
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

/** Names of the kinds, in the order of the file. */
export const kindNames = ["founder", "patron", "silent", "lent"] as const;
export type KindName = (typeof kindNames)[number];

type KeysGateOptions = {
  env?: Record<string, string>;
  /** Sites that a kind opens, besides everything else. */
  doors?: Partial<Record<KindName, string>>;
};

function opensBesides(site: string | undefined): { opens?: string[] } {
  return site === undefined ? {} : { opens: ["room", "chat", "tts", "tools", `door:${site}`] };
}

/**
 * A server with four kinds on two chains: `founder`, an ERC-721 key; `patron`, a membership of whoever has 5 coins on
 * the second chain and is on no list; `silent`, the same contract's keys, which open the chat and not the room;
 * `lent`, the same keys once more, for delegates too.
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
    ],
  };
  const file = path.join(await mkdtemp(path.join(os.tmpdir(), "latchkey-keys-")), "keys.json");
  await writeFile(file, JSON.stringify(keysFile));
  const server = await startServer({
    startLimitMs: 60_000,
    env: {
      CHAIN_ID: undefined as never,
      KEYS_FILE: file,
      RPC_URL_31337: first.rpc.url,
      RPC_URL_31338: second.rpc.url,
      CHAIN_POLL_SECONDS: "1",
      OWNERSHIP_CACHE_SECONDS: "0",
      RATE_LIMIT_GATE_ACCESS: "0",
      RATE_LIMIT_NONCE: "0",
      RATE_LIMIT_FORM_SUBMISSION: "0",
      NEXT_PUBLIC_AI_CHAT_REQUIRES_JWT: "true",
      ...env,
    },
  });
  const client = clientOf(server);
  const chainIdOf = (name: KindName) => (name === "patron" ? 31338 : 31337);

  function holderOf(name: KindName, account: Signer, rest: { tokenId?: string; vault?: string }): Holder {
    const tokenId = rest.tokenId ?? BigInt(rest.vault ?? account.address).toString();
    return { account, key: { name, isFirst: name === "founder" }, ...rest, tokenId };
  }
  const siteOf = (name: KindName) => ({ origin: server.origin, chainId: chainIdOf(name) });
  type Rest = { tokenId?: string; vault?: string };

  return {
    ...client,
    server,
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
    siwe: async (name: KindName, account: Signer, rest: Rest = {}) =>
      signSiwe({ site: siteOf(name), holder: holderOf(name, account, rest), nonce: await client.newNonce() }),
    legacy: (name: KindName, account: Signer, rest: Rest = {}) =>
      signLegacy(siteOf(name), holderOf(name, account, rest)),
    form: (name: KindName, account: Signer, rest: Rest & { message: string }) => {
      const { message, ...key } = rest;
      return signForm({ site: siteOf(name), holder: holderOf(name, account, key), message });
    },
    close: async () => void (await server.stop()),
  };
}

export type KeysGate = Awaited<ReturnType<typeof openKeysGate>>;

/** Answers nothing of a chain until the test is over. */
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
