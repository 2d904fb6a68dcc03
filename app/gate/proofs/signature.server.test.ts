import {
  numberToHex,
  parseSignature,
  serializeCompactSignature,
  signatureToCompactSignature,
  encodeFunctionData,
  hashMessage,
  parseEther,
  recoverMessageAddress,
  serializeErc6492Signature,
} from "viem";
import type { Address, Hex } from "viem";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createChainClient } from "~/platform/chain/chain-client.server";
import { startTestChain } from "~e2e/support/chain/chain";
import type { TestChain } from "~e2e/support/chain/chain";
import { startRpcFaultServer } from "~e2e/support/chain/rpc-fault-server";
import type { RpcFaultServer } from "~e2e/support/chain/rpc-fault-server";
import { proveAndReadOwnership } from "~e2e/support/chain/prove-ownership";
import { siweBodySchema } from "./gate-bodies";
import { createOwnershipReader } from "~e2e/support/chain/ownership-reader";
import type { OwnershipReader } from "~e2e/support/chain/ownership-reader";
import { recoverSigner } from "./signature.server";

const message = "I own key #1\nand this is line two, with ünïcode";
const curveOrder = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const salt = numberToHex(1, { size: 32 });
/** Number of the account that owns the contract wallets. */
const walletOwner = 3;

let chain: TestChain;
let rpc: RpcFaultServer;
let factory: Awaited<ReturnType<TestChain["deploy"]>>;
let ownership: OwnershipReader;

beforeAll(async () => {
  chain = await startTestChain();
  rpc = await startRpcFaultServer(chain.rpcUrl);
  factory = await chain.deploy({ contractName: "ContractWalletFactory" });
});
afterAll(async () => {
  await rpc.stop();
  await chain.stop();
});
beforeEach(async () => {
  rpc.setFault("none");
  const client = createChainClient({ rpcUrls: [rpc.url], chainId: chain.chainId, timeoutMs: 500 });
  const contractAddress = chain.key.address;
  ownership = createOwnershipReader({
    client,
    contractAddress,
    standard: "erc721",
    cacheSeconds: 4,
    clock: () => 0,
  });
  // The first call also checks the chain id. Counting starts after it.
  await ownership.readOwner({ tokenId: "1" });
  rpc.posts.length = 0;
});

async function sign(account: number): Promise<Hex> {
  return await chain.walletOf(account).signMessage({ message });
}

function prove(claim: { signature: string; address: Address; tokenId: string }) {
  return proveAndReadOwnership({ message, ownership, ...claim });
}

async function deployWallet(): Promise<Address> {
  const args = [chain.addressOf(walletOwner)];
  return (await chain.deploy({ contractName: "ContractWallet", args })).address;
}

/** A key in a wallet that isn't deployed yet, with the call that would deploy it. */
async function mintForFutureWallet() {
  const args = [chain.addressOf(walletOwner), salt];
  const address = (await chain.viewer.readContract({
    ...factory,
    functionName: "addressOf",
    args,
  })) as Address;
  const tokenId = await chain.mintKey(1);
  await chain.transferKey({ tokenId, from: 1, to: address });
  const data = encodeFunctionData({ ...factory, functionName: "create", args });
  return {
    address,
    tokenId,
    wrap: (signature: Hex) => serializeErc6492Signature({ address: factory.address, data, signature }),
  };
}

const mismatch = expect.objectContaining({
  slug: "authentication-failed",
  status: 401,
  detail: "The signature does not match the address.",
});

test("recovery finds the signer from every form of a valid signature", async () => {
  const signature = await sign(1);
  const { r, s, yParity } = parseSignature(signature);
  const body = `${r}${s.slice(2)}`;
  const compact = serializeCompactSignature(signatureToCompactSignature({ r, s, yParity }));
  const forms = [
    signature,
    `${body}${numberToHex(yParity, { size: 1 }).slice(2)}`,
    `${body}${numberToHex(yParity + 27, { size: 1 }).slice(2)}`,
    compact,
    `0x${signature.slice(2).toUpperCase()}`,
  ];

  for (const form of forms) {
    expect(recoverSigner(message, form), form).toBe(chain.addressOf(1));
  }
  const other = recoverSigner(`${message} `, signature);
  expect(other).not.toBe(chain.addressOf(1));
});

test("recovery refuses high s, wrong v, numbers out of range and malformed text", async () => {
  const signature = await sign(1);
  const { r, s, yParity } = parseSignature(signature);
  const highS = numberToHex(curveOrder - BigInt(s), { size: 32 });
  const body = signature.slice(0, -2);
  const word = (value: bigint) => numberToHex(value, { size: 32 }).slice(2);
  const malformed = [
    `${r}${highS.slice(2)}${numberToHex(28 - yParity, { size: 1 }).slice(2)}`,
    ...["02", "1a", "1d", "25", "ff"].map((v) => `${body}${v}`),
    `0x${word(0n)}${s.slice(2)}1b`,
    `${r}${word(0n)}1b`,
    `0x${word(curveOrder)}${s.slice(2)}1b`,
    `0x${word((1n << 256n) - 1n)}${s.slice(2)}1b`,
    "",
    "0x",
    "0x1234",
    signature.slice(2),
    `${signature}00`,
    signature.slice(0, -1),
    ` ${signature}`,
    `${signature}\n`,
    `0x${"zz".repeat(65)}`,
  ];

  for (const text of malformed) expect(recoverSigner(message, text), text).toBeNull();
});

test("recovery refuses s above exactly half of the curve's order", async () => {
  const r = parseSignature(await sign(1)).r;
  const form = (s: bigint) => `${r}${numberToHex(s, { size: 32 }).slice(2)}1b`;

  expect(recoverSigner(message, form(curveOrder / 2n))).not.toBeNull();
  expect(recoverSigner(message, form(curveOrder / 2n + 1n))).toBeNull();
});

test("recovery agrees with viem on 50 signatures", async () => {
  for (let index = 0; index < 50; index++) {
    const text = `message ${index}`;
    const signature = await chain.walletOf(index % 10).signMessage({ message: text });
    const signer = recoverSigner(text, signature);
    expect(signer).toBe(chain.addressOf(index % 10));
    expect(signer).toBe(await recoverMessageAddress({ message: text, signature }));
  }
});

test("an ordinary wallet is verified locally, so its sign-in costs exactly one request, the ownership read", async () => {
  const tokenId = await chain.mintKey(1);

  expect(await prove({ signature: await sign(1), address: chain.addressOf(1), tokenId })).toEqual({
    owned: true,
  });
  expect(rpc.posts).toEqual(["eth_call"]);
  expect(await prove({ signature: await sign(2), address: chain.addressOf(2), tokenId })).toEqual({
    owned: false,
    reason: "not-owner",
  });
  expect(rpc.posts).toEqual(["eth_call", "eth_call"]);
});

test("an ordinary wallet signs in on a fresh reading, whatever is cached", async () => {
  const tokenId = await chain.mintKey(1);
  await ownership.readOwnership({ tokenId, holder: chain.addressOf(1) });
  await chain.transferKey({ tokenId, from: 1, to: chain.addressOf(2) });

  expect(await prove({ signature: await sign(2), address: chain.addressOf(2), tokenId })).toEqual({
    owned: true,
  });
});

test("another's signature, a non-canonical one and nonsense are refused with one request at most", async () => {
  const tokenId = await chain.mintKey(1);
  const address = chain.addressOf(1);
  const { r, s, yParity } = parseSignature(await sign(1));
  const highS = `${r}${numberToHex(curveOrder - BigInt(s), { size: 32 }).slice(2)}${numberToHex(28 - yParity).slice(2)}`;
  const wrapped = serializeErc6492Signature({
    address: factory.address,
    data: "0x",
    signature: await sign(1),
  });

  for (const signature of [await sign(2), highS, "0x", "0x00", wrapped]) {
    rpc.posts.length = 0;
    await expect(prove({ signature, address, tokenId }), signature).rejects.toEqual(mismatch);
    expect(rpc.posts).toEqual(["eth_call"]);
  }
  const brokenWrap = `0x${"ff".repeat(64)}${"6492".repeat(16)}`;
  for (const signature of ["nonsense", "0x123", `0x${"ab".repeat(8_193)}`, brokenWrap]) {
    rpc.posts.length = 0;
    await expect(prove({ signature, address, tokenId }), signature.slice(0, 20)).rejects.toEqual(mismatch);
    expect(rpc.posts).toEqual([]);
  }
});

test("a contract wallet signs in with its owner's signature, in exactly one request", async () => {
  const address = await deployWallet();
  const tokenId = await chain.mintKey(1);
  await chain.transferKey({ tokenId, from: 1, to: address });
  const otherTokenId = await chain.mintKey(1);
  rpc.posts.length = 0;

  expect(await prove({ signature: await sign(walletOwner), address, tokenId })).toEqual({ owned: true });
  expect(rpc.posts).toEqual(["eth_call"]);
  expect(await prove({ signature: await sign(walletOwner), address, tokenId: otherTokenId })).toEqual({
    owned: false,
    reason: "not-owner",
  });
  await expect(prove({ signature: await sign(4), address, tokenId })).rejects.toEqual(mismatch);
  expect(rpc.posts).toEqual(["eth_call", "eth_call", "eth_call"]);
});

test("a contract wallet signs in with an empty signature for a message that it approved on the chain", async () => {
  const { address, abi } = await chain.deploy({
    contractName: "ContractWallet",
    args: [chain.addressOf(walletOwner)],
  });
  const tokenId = await chain.mintKey(1);
  await chain.transferKey({ tokenId, from: 1, to: address });
  const holder = { address, tokenId, signature: "0x" };
  expect(siweBodySchema.shape.signature.parse("0x")).toBe("0x");

  await expect(prove(holder)).rejects.toEqual(mismatch);
  const args = [hashMessage(message)];
  await chain.send({ address, abi, functionName: "approve", args, from: walletOwner });
  expect(await prove(holder)).toEqual({ owned: true });
});

test("a wallet that is not deployed yet signs in by ERC-6492, in one request, and stays undeployed", async () => {
  const { address, tokenId, wrap } = await mintForFutureWallet();
  rpc.posts.length = 0;

  expect(await prove({ signature: wrap(await sign(walletOwner)), address, tokenId })).toEqual({
    owned: true,
  });
  expect(rpc.posts).toEqual(["eth_call"]);
  await expect(prove({ signature: wrap(await sign(4)), address, tokenId })).rejects.toEqual(mismatch);
  await expect(prove({ signature: await sign(walletOwner), address, tokenId })).rejects.toEqual(mismatch);
  expect(await chain.viewer.getCode({ address })).toBeUndefined();

  await chain.send({
    ...factory,
    functionName: "create",
    args: [chain.addressOf(walletOwner), salt],
    from: 0,
  });
  const signature = await sign(walletOwner);
  expect(await prove({ signature: wrap(signature), address, tokenId })).toEqual({ owned: true });
  expect(await prove({ signature, address, tokenId })).toEqual({ owned: true });
});

test("the signer's own factory call cannot influence the ownership read", async () => {
  const multiKey = await chain.deploy({ contractName: "MultiKey" });
  const gifting = await chain.deploy({ contractName: "GiftingFactory" });
  const owner = chain.addressOf(walletOwner);
  const address = (await chain.viewer.readContract({
    ...gifting,
    functionName: "addressOf",
    args: [owner, salt],
  })) as Address;
  const args = [owner, salt, multiKey.address, 7n];
  const data = encodeFunctionData({ ...gifting, functionName: "createWithKey", args });
  const signature = serializeErc6492Signature({
    address: gifting.address,
    data,
    signature: await sign(walletOwner),
  });
  const contract = { contractAddress: multiKey.address, standard: "erc1155" } as const;
  ownership = createOwnershipReader({ client: chain.client(), ...contract, cacheSeconds: 4, clock: () => 0 });

  expect(await prove({ signature, address, tokenId: "7" })).toEqual({ owned: false, reason: "not-owner" });
  await chain.send({ ...gifting, functionName: "createWithKey", args, from: 0 });
  expect(await prove({ signature, address, tokenId: "7" })).toEqual({ owned: true });
});

/** A deployed wallet of account 3, for sale with a key in it, and a contract with the money to buy it. */
async function deployWalletForSale() {
  const wallet = await chain.deploy({ contractName: "WalletForSale", args: [chain.addressOf(walletOwner)] });
  const spender = await chain.deploy({ contractName: "Spender" });
  await chain.send({ ...spender, functionName: "fund", from: 4, value: parseEther("1") });
  const tokenId = await chain.mintKey(1);
  await chain.transferKey({ tokenId, from: 1, to: wallet.address });
  return { wallet, spender, tokenId };
}

test("a factory call that would buy the wallet proves nothing until it is really bought", async () => {
  const { wallet, spender, tokenId } = await deployWalletForSale();
  const { address } = wallet;
  const buy = encodeFunctionData({ ...wallet, functionName: "buy", args: [chain.addressOf(4)] });
  const args = [address, parseEther("1"), buy];
  const wrap = (signature: Hex) =>
    serializeErc6492Signature({
      address: spender.address,
      data: encodeFunctionData({ ...spender, functionName: "spend", args }),
      signature,
    });

  await expect(prove({ signature: wrap(await sign(4)), address, tokenId })).rejects.toEqual(mismatch);
  expect(await prove({ signature: wrap(await sign(walletOwner)), address, tokenId })).toEqual({
    owned: true,
  });

  await chain.send({ ...spender, functionName: "spend", args, from: 4 });
  expect(await prove({ signature: wrap(await sign(4)), address, tokenId })).toEqual({ owned: true });
  await expect(prove({ signature: await sign(walletOwner), address, tokenId })).rejects.toEqual(mismatch);
});

test.each([
  [0, "reverts"],
  [2, "answers with nothing"],
  [3, "answers with another word"],
  [4, "answers with too few bytes, though the right ones"],
  [5, "uses up all gas it is given"],
  [6, "answers with a megabyte"],
  [7, "never ends"],
])("a wallet of manner %i, which %s, proves nothing and is no outage", async (manner) => {
  const { address } = await chain.deploy({ contractName: "Misbehaving", args: [manner] });
  const tokenId = await chain.mintKey(1);
  const signature = await sign(1);
  const asFactory = serializeErc6492Signature({ address, data: "0x", signature });

  await expect(prove({ signature, address, tokenId })).rejects.toEqual(mismatch);
  await expect(prove({ signature: asFactory, address: chain.addressOf(8), tokenId })).rejects.toEqual(
    mismatch,
  );
});

test.each(["hanging", "http-500", "html", "rpc-error", "reverting", "wrong-chain"] as const)(
  "while the chain plays %s, every sign-in is answered 503: no proof is called false, no key not owned",
  async (fault) => {
    const wallet = await deployWallet();
    const tokenId = await chain.mintKey(1);
    rpc.setFault(fault);
    const client = createChainClient({ rpcUrls: [rpc.url], chainId: chain.chainId, timeoutMs: 150 });
    const contractAddress = chain.key.address;
    ownership = createOwnershipReader({
      client,
      contractAddress,
      standard: "erc721",
      cacheSeconds: 4,
      clock: () => 0,
    });
    const unavailable = expect.objectContaining({ slug: "chain-unavailable", status: 503 });

    const signatures = [await sign(1), await sign(2)];
    for (const signature of signatures) {
      await expect(prove({ signature, address: chain.addressOf(1), tokenId })).rejects.toEqual(unavailable);
    }
    await expect(prove({ signature: await sign(walletOwner), address: wallet, tokenId })).rejects.toEqual(
      unavailable,
    );
  },
);

test("contract wallets sign in to erc1155 and unlock gates as well, in one request", async () => {
  const wallet = await deployWallet();
  const multiKey = await chain.deploy({ contractName: "MultiKey" });
  await chain.send({ ...multiKey, functionName: "mint", args: [wallet, 7n, 1n], from: 0 });
  const tokenId = await chain.mintKey(1);
  await chain.transferKey({ tokenId, from: 1, to: wallet });
  const client = createChainClient({ rpcUrls: [rpc.url], chainId: chain.chainId });
  const gates = [
    { contractAddress: multiKey.address, standard: "erc1155", tokenId: "7" },
    { contractAddress: chain.key.address, standard: "unlock", tokenId },
  ] as const;

  for (const { tokenId: id, ...gate } of gates) {
    ownership = createOwnershipReader({ client, ...gate, cacheSeconds: 4, clock: () => 0 });
    await client.getChainId();
    rpc.posts.length = 0;
    expect(await prove({ signature: await sign(walletOwner), address: wallet, tokenId: id })).toEqual({
      owned: true,
    });
    expect(rpc.posts).toEqual(["eth_call"]);
  }
});
