import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { developmentAccount } from "../../contracts/local-chain.mjs";
import { readBuiltRoutes } from "~e2e/support/built-routes";
import { deployCoin, mintCoins } from "~e2e/support/chain/key-kinds";
import type { Contract } from "~e2e/support/chain/key-kinds";
import { openTwoChains } from "~e2e/support/chain/two-chains";
import { limitsOff } from "~e2e/support/limits";
import { startKeysServer, takeAway } from "./keys-fixture";
import type { KeysServer } from "./keys-fixture";

const metricsToken = "metrics-token-of-the-tests-0123";
const gatePath = "/api/gate-access";
const listedElsewhere = "0x00000000000000000000000000000000DeaDBeef";

/** Only a secret leaf names the second chain. */
const { first, second } = await openTwoChains();
let hidden: Contract;
let gate: KeysServer;
let needles: Record<string, string>;

/** The assets of the account `by`. The last two are secret. */
type Wallet = { by: number; hasCoins: boolean; hasHidden: boolean; isListed: boolean };
const wallets: Wallet[] = [1, 2, 3, 4, 5, 6, 7, 8].map((by) => {
  const has = by - 1;
  return { by, hasCoins: has >= 4, hasHidden: (has & 1) > 0, isListed: (has & 2) > 0 };
});
const addressOf = ({ by }: Pick<Wallet, "by">) => developmentAccount(by).address;

beforeAll(async () => {
  const coin = await deployCoin(first.chain, 6);
  // Without this coin, the hidden one would have the other chain's address.
  await deployCoin(second.chain, 18);
  hidden = await deployCoin(second.chain, 18);
  for (const { by, hasCoins, hasHidden } of wallets) {
    if (hasCoins) await mintCoins(first.chain, coin, { to: addressOf({ by }), amount: 5_000_000n });
    if (hasHidden) await mintCoins(second.chain, hidden, { to: addressOf({ by }), amount: 98_765_432n });
  }
  const get = { url: "https://hidden.example/offer", text: "Hidden offer" };
  const secrets = [
    { erc20: hidden.address, chainId: 31338, atLeast: "87654321", label: "Hidden coins", secret: true, get },
    { addressesFile: "hidden-list.txt", label: "Hidden list", secret: true },
  ];
  const coins = { erc20: coin.address, chainId: 31337, atLeast: "5000000", label: "5 coins" };
  const keysFile = {
    chains: { 31337: {}, 31338: {} },
    keys: [
      {
        name: "founder",
        title: "Founder's key",
        standard: "erc721",
        chainId: 31337,
        contract: first.chain.key.address,
      },
      {
        name: "patron",
        title: "Patrons",
        standard: "membership",
        chainId: 31337,
        requires: { all: [coins, ...secrets] },
      },
    ],
  };
  gate = await startKeysServer({
    text: JSON.stringify(keysFile),
    lists: { "hidden-list.txt": [listedElsewhere, ...wallets.filter((one) => one.isListed).map(addressOf)] },
    rpcUrls: { 31337: first.rpc.url, 31338: second.rpc.url },
    env: { ...limitsOff, OWNERSHIP_CACHE_SECONDS: "0", METRICS_TOKEN: metricsToken },
  });
  needles = {
    label: "Hidden coins",
    "label of a list": "Hidden list",
    offer: get.url,
    "text of an offer": get.text,
    contract: hidden.address.slice(2),
    "somebody who is listed": listedElsewhere.slice(2),
    needed: "87654321",
    held: "98765432",
  };
}, 120_000);
afterAll(() => gate.close());

/** The secrets found in a text. */
function find(text: string, looked: Record<string, string> = needles): string[] {
  const lower = text.toLowerCase();
  return Object.entries(looked).flatMap(([what, needle]) =>
    lower.includes(needle.toLowerCase()) ? [what] : [],
  );
}

async function signIn({ by }: Pick<Wallet, "by">) {
  return gate.post(gatePath, await gate.siwe("patron", developmentAccount(by).account));
}

/** Status, header names, and the body without the request's id. */
async function describeSignIn(wallet: Wallet): Promise<string> {
  const { status, headers, body } = await signIn(wallet);
  const { instance: _id, ...rest } = body;
  return JSON.stringify([status, [...headers.keys()], headers.get("content-length"), rest]);
}

const callsOfBoth = () =>
  [first, second].map(({ rpc }) => rpc.posts.filter((one) => one === "eth_call").length);

test("whatever the secret leaves say, what is refused is refused in the same words, order and calls", async () => {
  async function describeAll(refused: Wallet[]) {
    const described: string[] = [];
    for (const wallet of refused) {
      for (const { rpc } of [first, second]) rpc.posts.length = 0;
      described.push(await describeSignIn(wallet));
      expect(callsOfBoth()).toEqual([1, 1]);
    }
    return described;
  }
  const poor = wallets.filter(({ hasCoins }) => !hasCoins);
  const rich = wallets.filter(({ hasCoins }) => hasCoins);
  const unlisted = rich.filter(({ isListed }) => !isListed);
  const ofPoor = await describeAll(poor);
  const ofRich = await describeAll(rich.filter(({ hasHidden, isListed }) => !hasHidden || !isListed));
  takeAway(second);
  ofPoor.push(...(await describeAll(poor)));
  ofRich.push(...(await describeAll(unlisted)));

  expect([new Set(ofPoor).size, new Set(ofRich).size]).toEqual([1, 1]);
  const secrets = [{ secret: true }, { secret: true }];
  const coins = { label: "5 coins", needed: "5000000", decimals: 6, chainId: 31337 };
  expect((await signIn(poor[0]!)).body.requirements).toEqual({
    outcome: "unmet",
    all: [{ ...coins, outcome: "unmet", held: "0" }, ...secrets],
  });
  expect((await signIn(unlisted[0]!)).body).toMatchObject({
    detail: expect.stringContaining("what it is, is not told") as string,
    requirements: { outcome: "unmet", all: [{ ...coins, outcome: "met", held: "5000000" }, ...secrets] },
  });
  expect(find([...ofPoor, ...ofRich].join())).toEqual([]);
});

test("a refusal waits for the chain of a secret leaf, also where the rest is unmet for certain", async () => {
  for (const wallet of wallets.slice(0, 2)) {
    const order: string[] = [];
    first.rpc.onAnswer(({ method }) => void (method === "eth_call" && order.push("first chain")));
    second.rpc.onAnswer(async ({ method }) => {
      if (method !== "eth_call") return;
      await delay(200);
      order.push("second chain");
    });
    expect((await signIn(wallet)).status).toBe(403);
    order.push("refusal");
    expect(order).toEqual(["first chain", "second chain", "refusal"]);
  }
});

test("no page, list, tool, label or log line tells of a secret leaf", async () => {
  const answer = await signIn(wallets[7]!);
  expect(answer.status).toBe(200);
  const cookie = `access_token=${String(answer.body.accessToken)}`;
  const bearer = { Authorization: `Bearer ${String(answer.body.accessToken)}` };
  takeAway(second);
  // The server can't know whether it is met.
  const unknown = await signIn(wallets[7]!);
  expect(unknown.status).toBe(503);
  await expect.poll(readyz, { timeout: 10_000 }).toMatch(/"status":"degraded"/);

  const publicNeedles = { ...needles, chain: "31338", file: "hidden-list" };
  const told: string[] = [];
  const look = (where: string, text: string) =>
    told.push(...find(text, publicNeedles).map((what) => `${where}: ${what}`));
  look("unknown", JSON.stringify(unknown.body));
  const visits = listPaths().flatMap((path) => [undefined, { cookie }].map((headers) => ({ path, headers })));
  await Promise.all(
    visits.map(async ({ path, headers }) => {
      const response = await fetch(`${gate.origin}${path}`, { headers });
      look(path, `${JSON.stringify([...response.headers])} ${await response.text()}`);
    }),
  );
  const calls = [
    { method: "tools/list" },
    { method: "tools/call", params: { name: "key_status", arguments: { key: "patron", tokenId: "1" } } },
  ];
  for (const json of calls) {
    const { body } = await gate.ask({ path: "/api/mcp", method: "POST", json, headers: bearer });
    look(json.method, JSON.stringify(body));
  }
  const form = await gate.form("patron", developmentAccount(1).account, { message: "Hello." });
  const sent = await gate.post("/api/form-submission-gate", form);
  expect(sent.status).toBe(403);
  look("form", JSON.stringify(sent.body));
  expect(told).toEqual([]);

  const headers = { Authorization: `Bearer ${metricsToken}` };
  const metrics = String((await gate.ask({ path: "/metrics", headers })).body.text);
  expect(metrics).toMatch(/latchkey_key_refusals_total\{kind="patron",leaf="secret"\} \d+/);
  expect(metrics).not.toMatch(/latchkey_key_refusals_total\{kind="patron",leaf="[12]"\}/);
  expect(find(metrics)).toEqual([]);
  expect(gate.server.output()).toContain('"status":403');
  expect(find(gate.server.output())).toEqual([]);
});

const readyz = async () => JSON.stringify((await gate.ask({ path: "/readyz" })).body);

/** All routes of the build except the operator's. For pages, also the data of their scripts. */
function listPaths(): string[] {
  return readBuiltRoutes()
    .filter(({ pattern }) => !pattern.startsWith("/operator"))
    .flatMap(({ id, pattern, isResource }) => {
      const path = pattern.replaceAll(/:\w+|\*/g, "1");
      return isResource ? [path] : [path, `${path}?_data=${encodeURIComponent(id)}`, `${path}?key=patron`];
    });
}
