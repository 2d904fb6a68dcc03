import { decodeJwt } from "jose";
import { encodeFunctionData, getAddress, numberToHex, serializeErc6492Signature } from "viem";
import type { Address } from "viem";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Signer } from "~/commands/signed-requests";
import { startTestChain } from "~e2e/support/chain/chain";
import type { TestChain } from "~e2e/support/chain/chain";
import { startServer } from "~e2e/support/running-server";
import type { RunningServer } from "~e2e/support/running-server";
import { clientOf } from "./gate-fixture";

// Not a local chain, because local ones accept any factory.
const chainId = 8453;

let chain: TestChain;
let factory: Awaited<ReturnType<TestChain["deploy"]>>;
/** `usual` has the default list of factories, `listing` this test's. */
let usual: RunningServer;
let listing: RunningServer;

beforeAll(async () => {
  chain = await startTestChain({ chainId });
  factory = await chain.deploy({ contractName: "ContractWalletFactory" });
  const env = {
    CHAIN_ID: String(chainId),
    RPC_URL: chain.rpcUrl,
    KEY_CONTRACT_ADDRESS: chain.key.address,
    KEY_USE_CONFIRMATIONS: "0",
    OWNERSHIP_CACHE_SECONDS: "0",
    SESSION_MAX_SECONDS: "3600",
  };
  [usual, listing] = await Promise.all([
    startServer({ env }),
    startServer({ env: { ...env, WALLET_FACTORIES: factory.address } }),
  ]);
});
afterAll(async () => {
  await Promise.all([usual, listing].map((server) => server.stop()));
  await chain.stop();
});

let salts = 0;

/** An undeployed wallet with a key in it. It signs in the wrapped form of ERC-6492. */
async function prepareHolder() {
  const args = [chain.addressOf(3), numberToHex((salts += 1), { size: 32 })];
  const address = (await chain.viewer.readContract({
    ...factory,
    functionName: "addressOf",
    args,
  })) as Address;
  const tokenId = await chain.mintKey(1);
  await chain.transferKey({ tokenId, from: 1, to: address });
  const data = encodeFunctionData({ ...factory, functionName: "create", args });
  const account: Signer = {
    address,
    signMessage: async ({ message }) => {
      const signature = await chain.walletOf(3).signMessage({ message });
      return serializeErc6492Signature({ address: factory.address, data, signature });
    },
  };
  return {
    holder: { account, tokenId },
    deploy: () => chain.send({ ...factory, functionName: "create", args, from: 0 }),
  };
}

async function signIn(server: RunningServer, holder: Parameters<ReturnType<typeof clientOf>["signIn"]>[0]) {
  const answer = await clientOf(server, chainId).signIn(holder);
  const { accessToken } = answer.body as { accessToken?: string };
  return { answer, token: accessToken ?? "", claims: accessToken ? decodeJwt(accessToken) : {} };
}

const isUsed = async (tokenId: string) =>
  (await clientOf(listing).ask({ path: `/api/token-status/${tokenId}` })).body.used;

test("the default list of factories refuses a wallet of another one in words, until it is deployed", async () => {
  const { holder, deploy } = await prepareHolder();

  const { answer } = await signIn(usual, holder);
  expect([answer.status, answer.body.detail]).toEqual([
    401,
    `The signature is of a wallet that is not deployed yet, and this site doesn't accept wallets from the factory ${getAddress(factory.address)}. Deploy the wallet, for instance by sending a first transaction with it, and sign in again.`,
  ]);
  await deploy();
  const { claims } = await signIn(usual, holder);
  expect(claims).toMatchObject({ tokenId: holder.tokenId });
  expect(claims).not.toHaveProperty("undeployed");
});

test("the form of a wallet without code is 409 and uses nothing up, until the wallet is deployed", async () => {
  const { holder, deploy } = await prepareHolder();
  const site = clientOf(listing, chainId);
  const post = async () =>
    site.post("/api/form-submission-gate", await site.formBody({ ...holder, message: "Hello." }));

  const early = await post();
  expect([early.status, early.body]).toMatchObject([
    409,
    {
      type: `${listing.origin}/problems/wallet-not-deployed`,
      title: "Wallet not deployed",
      detail: expect.stringMatching(
        / is not deployed yet, .* Deploy the wallet, .* then try again\.$/,
      ) as string,
    },
  ]);
  expect(await isUsed(holder.tokenId)).toBe(false);
  expect((await fetch(`${listing.origin}/problems/wallet-not-deployed`)).status).toBe(200);

  await deploy();
  expect((await post()).status).toBe(200);
  expect(await isUsed(holder.tokenId)).toBe(true);
  expect((await post()).body.title).toBe("This token has already been used");
});

test("a token of a wallet without code is marked, as are its renewals, and uses its key up once there is code", async () => {
  const { holder, deploy } = await prepareHolder();
  const { token, claims } = await signIn(listing, holder);
  expect(claims).toMatchObject({ undeployed: true });
  const site = clientOf(listing, chainId);
  await new Promise((resolve) => setTimeout(resolve, 1_100));
  const cookie = `access_token=${token}`;
  const renewal = await site.post("/session", { renew: true }, { cookie });
  const [kept = ""] = renewal.headers.getSetCookie();
  const renewed = kept.split(";")[0]!.slice("access_token=".length);
  expect(renewed).not.toBe(token);
  expect(decodeJwt(renewed)).toMatchObject({ undeployed: true });

  const markUsed = async () => {
    const params = { name: "mark_key_used", arguments: {} };
    const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params };
    const headers = {
      Authorization: `Bearer ${renewed}`,
      Accept: "application/json, text/event-stream",
    };
    return JSON.stringify((await site.post("/api/mcp", call, headers)).body);
  };
  const early = await markUsed();
  expect(early).toContain('"isError":true');
  expect(early).toContain("only a deployed wallet can use a key up");
  expect(await isUsed(holder.tokenId)).toBe(false);

  await deploy();
  expect(await markUsed()).not.toContain('"isError":true');
  expect(await isUsed(holder.tokenId)).toBe(true);
});
