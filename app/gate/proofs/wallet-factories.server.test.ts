import { encodeFunctionData, getAddress, numberToHex, parseEther, serializeErc6492Signature } from "viem";
import type { Address, Hex } from "viem";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createChainClient } from "~/platform/chain/chain-client.server";
import { startTestChain } from "~e2e/support/chain/chain";
import type { TestChain } from "~e2e/support/chain/chain";
import { startRpcFaultServer } from "~e2e/support/chain/rpc-fault-server";
import type { RpcFaultServer } from "~e2e/support/chain/rpc-fault-server";
import { parseConfig, problemsInProduction, production } from "~e2e/support/config";
import { makeKind } from "~e2e/support/key-kinds";
import { createJudge } from "../ownership/judge.server";
import { proveAndJudge } from "./signature.server";
import type { WalletFactories } from "./wallet-factories.settings";

// Not a local chain, because local ones accept any factory.
const chainId = 8453;
const message = "I own this key";
const listed = parseConfig(production).gate.walletFactories;
const salt = numberToHex(1, { size: 32 });
const owner = 3;
const thief = 4;

let chain: TestChain;
let rpc: RpcFaultServer;
let factory: Awaited<ReturnType<TestChain["deploy"]>>;

beforeAll(async () => {
  chain = await startTestChain({ chainId });
  rpc = await startRpcFaultServer(chain.rpcUrl);
  factory = await chain.deploy({ contractName: "ContractWalletFactory" });
});
afterAll(async () => {
  await rpc.stop();
  await chain.stop();
});
beforeEach(() => rpc.setFault("none"));

const sign = (account: number) => chain.walletOf(account).signMessage({ message });
const readAddress = async (call: Parameters<TestChain["viewer"]["readContract"]>[0]) =>
  (await chain.viewer.readContract(call)) as Address;

type Claim = { signature: Hex; address: Address; tokenId: string; walletFactories: WalletFactories };

/** Signs in, on a chain that is not local by default. */
async function prove({ signature, address, tokenId, walletFactories }: Claim, kindChain = chainId) {
  const client = createChainClient({ rpcUrls: [rpc.url], chainId, timeoutMs: 1_000 });
  const judge = createJudge({
    clientOf: () => client,
    confirmationsOf: () => 0,
    cacheSeconds: 0,
    clock: Date.now,
  });
  const kind = makeKind({ chainId: kindChain, contract: chain.key.address });
  const question = { kind, tokenId, signer: address, vault: null };
  await client.getChainId();
  rpc.posts.length = 0;
  const { judgement, isUndeployed } = await proveAndJudge(
    { message, signature, question },
    { judge, walletFactories },
  );
  return { outcome: judgement.outcome, isUndeployed, calls: [...rpc.posts] };
}

async function mintTo(address: Address): Promise<string> {
  const tokenId = await chain.mintKey(1);
  await chain.transferKey({ tokenId, from: 1, to: address });
  return tokenId;
}

/** A wallet that does not exist yet, with a key in it. */
async function prepareWallet(walletSalt = salt) {
  const args = [chain.addressOf(owner), walletSalt];
  const address = await readAddress({ ...factory, functionName: "addressOf", args });
  const data = encodeFunctionData({ ...factory, functionName: "create", args });
  return {
    address,
    tokenId: await mintTo(address),
    wrap: (signature: Hex, of = factory.address) =>
      serializeErc6492Signature({ address: of, data, signature }),
    deploy: () => chain.send({ ...factory, functionName: "create", args, from: 0 }),
  };
}

const refused = (detail: unknown) =>
  expect.objectContaining({ slug: "authentication-failed", status: 401, detail }) as unknown;
const mismatch = refused("The signature does not match the address.");
const unlisted = refused(expect.stringContaining("doesn't accept wallets from the factory"));

test("a stranger's factory that buys the token of a wallet while the signature is checked proves nothing", async () => {
  const [registry, shop, buying] = [
    await chain.deploy({ contractName: "TokenBoundRegistry" }),
    await chain.deploy({ contractName: "TokenShop" }),
    await chain.deploy({ contractName: "BuyingFactory" }),
  ];
  await chain.send({ ...buying, functionName: "fund", from: thief, value: parseEther("2") });
  const bought = await mintTo(shop.address);
  const token = [chain.key.address, BigInt(bought)];
  const address = await readAddress({ ...registry, functionName: "addressOf", args: token });
  const tokenId = await mintTo(address);
  const args = [shop.address, registry.address, ...token, chain.addressOf(thief)];
  const data = encodeFunctionData({ ...buying, functionName: "buyAndCreate", args });
  const signature = serializeErc6492Signature({
    address: buying.address,
    data,
    signature: await sign(thief),
  });
  const claim = { signature, address, tokenId };

  // An operator who accepts any factory accepts this one.
  expect(await prove({ ...claim, walletFactories: "any" })).toMatchObject({ outcome: "met" });
  await expect(prove({ ...claim, walletFactories: listed })).rejects.toEqual(unlisted);
  rpc.setFault("deployless-refused");
  await expect(prove({ ...claim, walletFactories: listed })).rejects.toEqual(unlisted);
});

test("a wallet of a listed factory signs in before it is deployed, in one request, and is marked until it is", async () => {
  const { address, tokenId, wrap, deploy } = await prepareWallet();
  const walletFactories = new Set([factory.address.toLowerCase()]);
  const claim = { address, tokenId, walletFactories };
  const signature = await sign(owner);

  expect(await prove({ ...claim, signature: wrap(signature) })).toEqual({
    outcome: "met",
    isUndeployed: true,
    calls: ["eth_call"],
  });
  await expect(prove({ ...claim, signature: wrap(await sign(thief)) })).rejects.toEqual(mismatch);
  await expect(prove({ ...claim, signature })).rejects.toEqual(mismatch);
  await deploy();
  const deployed = { outcome: "met", isUndeployed: false, calls: ["eth_call"] };
  expect(await prove({ ...claim, signature: wrap(signature) })).toEqual(deployed);
  expect(await prove({ ...claim, signature })).toEqual(deployed);
});

test("an unlisted factory is refused in words before the wallet exists, and not asked for once it does", async () => {
  const { address, tokenId, wrap, deploy } = await prepareWallet(numberToHex(2, { size: 32 }));
  const signature = wrap(await sign(owner));
  const claim = { address, tokenId, walletFactories: listed };

  await expect(prove({ ...claim, signature })).rejects.toEqual(unlisted);
  expect(rpc.posts).toEqual(["eth_call"]);
  expect(await prove({ ...claim, signature }, 31337)).toMatchObject({ isUndeployed: true });
  await deploy();
  expect(await prove({ ...claim, signature })).toMatchObject({ outcome: "met", isUndeployed: false });
  await expect(prove({ ...claim, signature: wrap(await sign(thief)) })).rejects.toEqual(mismatch);
});

test("an unlisted factory is not called from within a listed one's signature", async () => {
  const { address, tokenId, wrap } = await prepareWallet(numberToHex(3, { size: 32 }));
  const [outer] = listed as ReadonlySet<Address>;
  const nested = wrap(wrap(await sign(owner)), outer);

  await expect(prove({ signature: nested, address, tokenId, walletFactories: listed })).rejects.toEqual(
    mismatch,
  );
});

test("an ordinary wallet is never marked, in one request", async () => {
  const tokenId = await chain.mintKey(1);
  const claim = { address: chain.addressOf(1), tokenId, walletFactories: listed };
  expect(await prove({ ...claim, signature: await sign(1) })).toEqual({
    outcome: "met",
    isUndeployed: false,
    calls: ["eth_call"],
  });
});

test("WALLET_FACTORIES replaces the list, in either case of an address; * accepts any", () => {
  const address = "0xfb6916095ca1df60bb79ce92ce3ea74c37c5d359";
  const read = (WALLET_FACTORIES: string) =>
    parseConfig({ ...production, WALLET_FACTORIES }).gate.walletFactories;
  expect(read(address)).toEqual(new Set([address]));
  expect(read(` ${getAddress(address)} , ${address}`)).toEqual(new Set([address]));
  expect(read("*")).toBe("any");
  expect([...(listed as ReadonlySet<string>)]).toHaveLength(7);
});

test.each([
  ",",
  "*,*",
  "* 0xfb6916095ca1df60bb79ce92ce3ea74c37c5d359",
  "0xfb6916095ca1df60bb79ce92ce3ea74c37c5d35",
  "0xFb6916095ca1df60bb79ce92ce3ea74c37c5d359",
  "0xfb6916095ca1df60bb79ce92ce3ea74c37c5d359,safe",
])("WALLET_FACTORIES is refused as %j", (given) => {
  expect(problemsInProduction({ WALLET_FACTORIES: given })).toEqual([
    "WALLET_FACTORIES must be * alone, or list addresses: 0x and 40 hex digits, with a right checksum if mixed case.",
  ]);
});
