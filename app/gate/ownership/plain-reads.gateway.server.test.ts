import { encodeFunctionData, numberToHex, serializeErc6492Signature } from "viem";
import type { Address, Hex } from "viem";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createChainClient } from "~/platform/chain/chain-client.server";
import type { ChainClient } from "~/platform/chain/chain-client.server";
import type { Refusal } from "~/platform/refusals/refusal";
import { startTestChain } from "~e2e/support/chain/chain";
import type { TestChain } from "~e2e/support/chain/chain";
import { startMinimalRpcServer, unknownAnswers } from "~e2e/support/chain/minimal-rpc-server";
import { deploylessFaults, startRpcFaultServer } from "~e2e/support/chain/rpc-fault-server";
import type { RpcFaultServer } from "~e2e/support/chain/rpc-fault-server";
import { deployUnlockLock } from "~e2e/support/chain/unlock-lock";
import { startLocalChain } from "../../../contracts/local-chain.mjs";
import { createOwnershipReader } from "~e2e/support/chain/ownership-reader";
import type { OwnershipReader, KeyStandard } from "~e2e/support/chain/ownership-reader";
import { findContractFault } from "../transfers/contract-faults.server";
import { readBalances } from "./chain-reads.gateway.server";
import { proveAndReadOwnership } from "~e2e/support/chain/prove-ownership";
import { createTransferWatcher } from "../transfers/transfer-watcher.server";
import type { TokenContract } from "../transfers/key-transfers.gateway.server";

const message = "I own this key";
const walletOwner = 3;
const salt = numberToHex(1, { size: 32 });

let chain: TestChain;
let rpc: RpcFaultServer;
let factory: Awaited<ReturnType<TestChain["deploy"]>>;
let nowMs = 0;

beforeAll(async () => {
  chain = await startTestChain();
  rpc = await startRpcFaultServer(chain.rpcUrl);
  factory = await chain.deploy({ contractName: "ContractWalletFactory" });
});
afterAll(async () => {
  await rpc.stop();
  await chain.stop();
});
beforeEach(() => {
  rpc.setFault("deployless-refused");
  rpc.setUpstream(chain.rpcUrl);
  rpc.onPost(() => {});
  rpc.onAnswer(() => {});
  rpc.posts.length = 0;
  nowMs = 1_000_000;
});

function makeClient(): ChainClient {
  return createChainClient({
    rpcUrls: [rpc.url],
    chainId: chain.chainId,
    timeoutMs: 2_000,
    clock: () => nowMs,
  });
}

type MakeReaderOptions = {
  client?: ChainClient;
  contractAddress?: Address;
  standard?: KeyStandard;
  cacheSeconds?: number;
};

function makeReader({
  client = makeClient(),
  contractAddress = chain.key.address,
  standard = "erc721",
  cacheSeconds = 0,
}: MakeReaderOptions = {}): OwnershipReader {
  return createOwnershipReader({ client, contractAddress, standard, cacheSeconds, clock: () => nowMs });
}

/** A reader whose endpoint was found unable to run a call's own code. Counting starts there. */
async function makePlainReader(options: Parameters<typeof makeReader>[0] = {}): Promise<OwnershipReader> {
  const reader = makeReader(options);
  await reader.readOwner({ tokenId: "1" });
  rpc.posts.length = 0;
  return reader;
}

async function sign(account: number): Promise<Hex> {
  return await chain.walletOf(account).signMessage({ message });
}

async function deployWallet(): Promise<Address> {
  const args = [chain.addressOf(walletOwner)];
  return (await chain.deploy({ contractName: "ContractWallet", args })).address;
}

/** Mints a new key for any address. */
async function mintFor(holder: Address): Promise<string> {
  const tokenId = await chain.mintKey(1);
  await chain.transferKey({ tokenId, from: 1, to: holder });
  return tokenId;
}

async function mintForFutureWallet(owner: number) {
  const args = [chain.addressOf(owner), salt];
  const address = (await chain.viewer.readContract({
    ...factory,
    functionName: "addressOf",
    args,
  })) as Address;
  const data = encodeFunctionData({ ...factory, functionName: "create", args });
  return {
    address,
    tokenId: await mintFor(address),
    wrap: (signature: Hex) => serializeErc6492Signature({ address: factory.address, data, signature }),
    create: () => chain.send({ ...factory, functionName: "create", args, from: 0 }),
  };
}

function causeOf(failure: unknown): unknown {
  return (failure as Refusal).cause;
}

async function failureOf(work: Promise<unknown>): Promise<unknown> {
  return await work.then(
    () => expect.fail("It did not fail."),
    (error: unknown) => error,
  );
}

/** Calls from here on: to a contract, and without a recipient. */
function countCalls() {
  const counts = { plain: 0, deployless: 0 };
  rpc.onPost(({ method, params }) => {
    if (method !== "eth_call") return;
    counts[(params?.[0] as { to?: string }).to ? "plain" : "deployless"] += 1;
  });
  return () => counts;
}

const unavailable = expect.objectContaining({ slug: "chain-unavailable", status: 503 });
const mismatch = expect.objectContaining({
  slug: "authentication-failed",
  detail: "The signature does not match the address.",
});
const uncheckable = expect.objectContaining({
  slug: "authentication-failed",
  status: 401,
  detail: expect.stringContaining("this chain cannot check such signatures") as string,
});
/** These answers do not tell their block. */
const readAtBlock = ["eth_getBlockByNumber", "eth_call"];
const neverMinted = "115792089237316195423570985008687907853269984665640564039457584007913129639935";

test.each(deploylessFaults)(
  "%s: the first read detects the fault and is answered, and later sign-ins ask for the block and the key alone",
  async (fault) => {
    rpc.setFault(fault);
    const tokenId = await chain.mintKey(1);
    const ownership = makeReader();
    const prove = async (account: number) =>
      proveAndReadOwnership({
        message,
        signature: await sign(account),
        address: chain.addressOf(account),
        tokenId,
        ownership,
      });

    expect(await prove(1)).toEqual({ owned: true });
    // Plain responses don't name their chain, so the reader asks for the chain id again.
    expect([...rpc.posts].sort()).toEqual([
      ...["eth_call", "eth_call", "eth_chainId", "eth_chainId"],
      "eth_getBlockByNumber",
    ]);
    rpc.posts.length = 0;
    expect(await prove(1)).toEqual({ owned: true });
    expect(await prove(2)).toEqual({ owned: false, reason: "not-owner" });
    expect(rpc.posts).toEqual([...readAtBlock, ...readAtBlock]);
  },
);

test.each(deploylessFaults)("%s: a missing key is told apart from an outage at once", async (fault) => {
  rpc.setFault(fault);
  const bare = await chain.deploy({ contractName: "Misbehaving", args: [0] });
  for (const contractAddress of [chain.key.address, bare.address]) {
    const reader = makeReader({ contractAddress });
    const wanted = { tokenId: neverMinted, holder: chain.addressOf(1) };

    expect(await reader.readOwnership(wanted)).toEqual({ owned: false, reason: "does-not-exist" });
  }
});

test("erc1155: units are read in one request, and existence where the contract tells it", async () => {
  const multiKey = await chain.deploy({ contractName: "MultiKey" });
  const uncounted = await chain.deploy({ contractName: "MultiKeyWithoutSupply" });
  const holder = chain.addressOf(1);
  await chain.send({ ...multiKey, functionName: "mint", args: [holder, 7n, 1n], from: 0 });
  const reader = await makePlainReader({ contractAddress: multiKey.address, standard: "erc1155" });

  expect(await reader.readOwnership({ tokenId: "7", holder })).toEqual({ owned: true });
  expect(rpc.posts).toEqual(readAtBlock);
  expect(await reader.readOwnership({ tokenId: "8", holder })).toEqual({ owned: false, reason: "not-owner" });
  expect(await reader.readOwner({ tokenId: "7" })).toEqual({ exists: true, owner: null });
  expect(await reader.readOwner({ tokenId: "8" })).toEqual({ exists: false, owner: null });
  const other = makeReader({ contractAddress: uncounted.address, standard: "erc1155" });
  expect(await other.readOwner({ tokenId: "7" })).toEqual({ exists: null, owner: null });
});

test("unlock: owner and validity are read side by side, and an expired membership is reported", async () => {
  const lock = await deployUnlockLock(chain, 3_600);
  const holder = chain.addressOf(1);
  const tokenId = await lock.purchase(holder);
  const reader = await makePlainReader({ contractAddress: lock.address, standard: "unlock" });

  let arrived = 0;
  let letGo = () => {};
  const bothArrived = new Promise<void>((resolve) => (letGo = resolve));
  // Answers only when both have arrived. Sent one after the other, they would time out.
  rpc.onPost(async ({ method }) => {
    if (method !== "eth_call") return;
    arrived += 1;
    if (arrived === 2) letGo();
    await bothArrived;
  });
  expect(await reader.readOwnership({ tokenId, holder })).toEqual({ owned: true });
  expect(rpc.posts).toEqual([...readAtBlock, "eth_call"]);
  expect(await reader.readOwnership({ tokenId: "404", holder })).toMatchObject({ reason: "does-not-exist" });
  const snapshot = await chain.control.snapshot();
  await chain.control.increaseTime({ seconds: 3_601 });
  await chain.control.mine({ blocks: 1 });
  expect(await reader.readOwnership({ tokenId, holder })).toEqual({ owned: false, reason: "expired" });
  await chain.control.revert({ id: snapshot });
});

test("a contract wallet signs in with its owner's signature, verified beside the ownership read", async () => {
  const address = await deployWallet();
  const tokenId = await mintFor(address);
  const otherTokenId = await chain.mintKey(1);
  const ownership = await makePlainReader();
  const prove = (claim: { signature: Hex; tokenId: string }) =>
    proveAndReadOwnership({ message, address, ownership, ...claim });
  const signature = await sign(walletOwner);

  expect(await prove({ signature, tokenId })).toEqual({ owned: true });
  expect(rpc.posts).toEqual([...readAtBlock, "eth_call"]);
  expect(await prove({ signature, tokenId: otherTokenId })).toEqual({ owned: false, reason: "not-owner" });
  await expect(prove({ signature: await sign(4), tokenId })).rejects.toEqual(mismatch);
});

test("a signature of another wallet proves nothing for an address without code", async () => {
  const tokenId = await chain.mintKey(1);
  const ownership = await makePlainReader();
  const claim = { message, address: chain.addressOf(1), tokenId, ownership };

  for (const signature of [await sign(2), "0x", "0x00"]) {
    await expect(proveAndReadOwnership({ ...claim, signature })).rejects.toEqual(mismatch);
  }
});

test.each([0, 2, 3, 4, 5, 6, 7])(
  "a wallet of manner %i, which does not confirm, proves nothing and is no outage",
  async (manner) => {
    const { address } = await chain.deploy({ contractName: "Misbehaving", args: [manner] });
    const ownership = await makePlainReader();
    const claim = { message, signature: await sign(1), address, tokenId: "1", ownership };

    await expect(proveAndReadOwnership(claim)).rejects.toEqual(mismatch);
  },
);

test("a wallet not yet deployed is refused because this chain cannot check it, and signs in once deployed", async () => {
  const { address, tokenId, wrap, create } = await mintForFutureWallet(walletOwner);
  const ownership = await makePlainReader();
  const prove = async (account: number) =>
    proveAndReadOwnership({ message, address, tokenId, ownership, signature: wrap(await sign(account)) });

  await expect(prove(walletOwner)).rejects.toEqual(uncheckable);
  await expect(prove(4)).rejects.toEqual(uncheckable);
  rpc.setFault("rpc-error");
  await expect(prove(walletOwner)).rejects.toEqual(unavailable);
  rpc.setFault("deployless-refused");
  await create();
  expect(await prove(walletOwner)).toEqual({ owned: true });
  await expect(prove(4)).rejects.toEqual(mismatch);
});

test("a wallet not yet deployed signs in as soon as the chain can check it, whatever failed before", async () => {
  const { address, tokenId, wrap } = await mintForFutureWallet(5);
  const ownership = await makePlainReader();
  rpc.setFault("none");
  const claim = { message, address, tokenId, ownership, signature: wrap(await sign(5)) };

  expect(await proveAndReadOwnership(claim)).toEqual({ owned: true });
  expect(rpc.posts).toEqual(["eth_call"]);
});

test.each([
  [0, "does-not-exist", ""],
  [1, "does-not-exist", ""],
  [2, null, "returns 0 bytes from ownerOf"],
  [3, null, "something from ownerOf that is not an address"],
  [4, null, "returns 7 bytes from ownerOf"],
  [5, "does-not-exist", ""],
])("a key contract of manner %i gives the reason %s, or the fault: %s", async (manner, reason, fault) => {
  const { address } = await chain.deploy({ contractName: "Misbehaving", args: [manner] });
  const reading = makeReader({ contractAddress: address }).readOwnership({
    tokenId: "1",
    holder: chain.addressOf(1),
  });

  if (reason) return expect(await reading).toEqual({ owned: false, reason });
  const failure = await failureOf(reading);
  expect(failure).toEqual(unavailable);
  expect(String(causeOf(failure))).toContain(fault);
});

test.each(["erc721", "erc1155", "unlock"] as const)(
  "%s: an address without a contract is reported as a fault, with plain reads",
  async (standard) => {
    const reader = makeReader({ contractAddress: chain.addressOf(9), standard });
    const failure = await failureOf(reader.readOwnership({ tokenId: "1", holder: chain.addressOf(1) }));

    expect(failure).toEqual(unavailable);
    expect(String(causeOf(failure))).toContain("There is no contract at");
    await expect(reader.readOwner({ tokenId: "1" })).rejects.toEqual(unavailable);
  },
);

test.each(["hanging", "reset", "http-500", "http-429", "html", "no-result", "rpc-error"] as const)(
  "an endpoint that plays %s after plain reads worked is an outage, for every kind of wallet",
  async (fault) => {
    const wallet = await deployWallet();
    const tokenId = await chain.mintKey(1);
    const ownership = await makePlainReader();
    rpc.setFault(fault);
    const claims = [
      { address: chain.addressOf(1), signature: await sign(1) },
      { address: wallet, signature: await sign(walletOwner) },
    ];

    for (const claim of claims) {
      await expect(proveAndReadOwnership({ message, tokenId, ownership, ...claim })).rejects.toEqual(
        unavailable,
      );
    }
    await expect(ownership.readOwner({ tokenId })).rejects.toEqual(unavailable);
  },
);

test("an endpoint that moves to another chain is detected when plain reads begin, and after an outage", async () => {
  const other = await startLocalChain({ chainId: chain.chainId + 1 });
  try {
    rpc.setFault("none");
    const reader = makeReader();
    const read = () => reader.readOwner({ tokenId: "1" });
    await read();
    rpc.setFault("deployless-refused");
    rpc.setUpstream(other.rpcUrl);
    await expect(read()).rejects.toEqual(unavailable);

    rpc.setUpstream(chain.rpcUrl);
    const second = await makePlainReader();
    rpc.setFault("http-500");
    await expect(second.readOwner({ tokenId: "1" })).rejects.toEqual(unavailable);
    rpc.setFault("deployless-refused");
    rpc.setUpstream(other.rpcUrl);
    await expect(second.readOwner({ tokenId: "1" })).rejects.toEqual(unavailable);
  } finally {
    await other.stop();
  }
});

test("one read retries calls with code ten minutes after a refusal, while the others do not wait for it", async () => {
  const reader = await makePlainReader();
  const readMany = () =>
    Promise.all(["1", "2", "3"].map((tokenId) => reader.readOwner({ tokenId }).catch(() => null)));
  const countOf = (method: string) => rpc.posts.filter((post) => post === method).length;

  nowMs += 599_999;
  await readMany();
  expect(countOf("eth_call")).toBe(3);
  nowMs += 1;
  rpc.posts.length = 0;
  await readMany();
  expect(countOf("eth_call")).toBe(4);

  rpc.setFault("none");
  nowMs += 600_000;
  await reader.readOwner({ tokenId: "1" });
  const calls = countCalls();
  await readMany();
  expect(calls()).toEqual({ plain: 0, deployless: 1 });
});

test("calls with code are retried at once after an outage, since another server may answer there", async () => {
  const reader = await makePlainReader();
  rpc.setFault("http-500");
  await expect(reader.readOwner({ tokenId: "1" })).rejects.toEqual(unavailable);
  rpc.setFault("none");
  const calls = countCalls();
  await reader.readOwner({ tokenId: "1" });
  await reader.readOwner({ tokenId: "1" });

  expect(calls()).toEqual({ plain: 0, deployless: 2 });
});

test("a reading is shared until a new block is noted or it expires", async () => {
  const reader = makeReader({ cacheSeconds: 4 });
  const readsOf = async () => {
    rpc.posts.length = 0;
    await reader.readOwner({ tokenId: "1" });
    return rpc.posts.length;
  };

  await readsOf();
  expect(await readsOf()).toBe(0);
  await chain.control.mine({ blocks: 1 });
  reader.noteBlock(await chain.viewer.getBlockNumber());
  expect(await readsOf()).toBe(2);
  expect(await readsOf()).toBe(0);
  nowMs += 4_000;
  expect(await readsOf()).toBe(2);
});

test("many holdings are read with at most twenty calls in flight", async () => {
  const multiKey = await chain.deploy({ contractName: "MultiKey" });
  const holder = chain.addressOf(1);
  await chain.send({ ...multiKey, functionName: "mint", args: [holder, 44n, 3n], from: 0 });
  const [client, contractAddress] = [makeClient(), multiKey.address];
  await findContractFault(client, { contract: contractAddress, standard: "erc1155" });
  const block = await chain.viewer.getBlockNumber();
  let underWay = 0;
  let most = 0;
  rpc.onPost(() => void (most = Math.max(most, ++underWay)));
  rpc.onAnswer(() => void (underWay -= 1));
  const holdings = Array.from({ length: 45 }, (_, index) => ({ holder, tokenId: BigInt(index) }));

  expect(await readBalances({ client, contractAddress }, holdings, block)).toEqual([
    ...Array(44).fill(0n),
    3n,
  ]);
  expect(most).toBeGreaterThan(1);
  expect(most).toBeLessThanOrEqual(20);
});

test("with plain reads too, a contract of the wrong standard, or none at all, is a fault, the right one is not", async () => {
  const multiKey = await chain.deploy({ contractName: "MultiKey" });
  const silent = await chain.deploy({ contractName: "Misbehaving", args: [0] });
  const client = makeClient();
  const find = (standard: KeyStandard, contract: Address) =>
    findContractFault(client, { contract, standard });

  expect(await find("erc721", chain.key.address)).toBeNull();
  expect(await find("unlock", chain.key.address)).toBeNull();
  expect(await find("erc1155", multiKey.address)).toBeNull();
  expect(await find("erc721", silent.address)).toBeNull();
  expect(await find("erc721", multiKey.address)).toContain("is not an ERC-721 contract");
  expect(await find("erc1155", chain.key.address)).toContain("is not an ERC-1155 contract");
  expect(await find("unlock", multiKey.address)).toContain("is no Unlock lock");
  for (const standard of ["erc721", "erc1155", "unlock"] as const) {
    expect(await find(standard, chain.addressOf(9))).toContain("does not exist");
  }
  rpc.setFault("rpc-error");
  await expect(find("erc721", chain.key.address)).rejects.toEqual(unavailable);
});

test("the transfers of an erc1155 contract are watched, and balances are read, by plain calls", async () => {
  const multiKey = await chain.deploy({ contractName: "MultiKey" });
  const [seller, buyer] = [chain.addressOf(1), chain.addressOf(2)];
  for (const id of [7n, 8n]) {
    await chain.send({ ...multiKey, functionName: "mint", args: [seller, id, 2n], from: 0 });
  }
  const contract = { client: makeClient(), contractAddress: multiKey.address, standard: "erc1155" } as const;
  const { watcher, departures, warnings } = makeWatcher(contract);
  await watcher.pollOnce();
  for (const [id, amount] of [
    [7n, 2n],
    [8n, 1n],
  ]) {
    const args = [seller, buyer, id, amount, "0x"];
    await chain.send({ ...multiKey, functionName: "safeTransferFrom", args, from: 1 });
  }
  await watcher.pollOnce();

  expect(departures).toEqual([{ tokenId: "7", from: seller }]);
  expect(warnings).toEqual([]);
});

function makeWatcher({ client, ...contract }: TokenContract & { client: ChainClient }) {
  const departures: { tokenId: string; from: string }[] = [];
  const warnings: string[] = [];
  const watcher = createTransferWatcher({
    client,
    contracts: [contract],
    pollSeconds: 60,
    cursor: { load: async () => null, save: async () => true },
    onDepartures: (report) => {
      for (const { tokenId, holder: from } of report.departures) departures.push({ tokenId, from });
    },
    onBlock: () => {},
    log: { info: () => {}, warn: (_fields, text) => void warnings.push(text) },
    clock: () => nowMs,
  });
  return { watcher, departures, warnings };
}

test.each(Object.entries(unknownAnswers))(
  "a gate works with a server that knows little more than ownerOf and answers the rest with %s",
  async (_words, unknown) => {
    const contractAddress = chain.key.address;
    const server = await startMinimalRpcServer(5_000, contractAddress, unknown);
    try {
      const [alice, bob] = [chain.addressOf(1), chain.addressOf(2)];
      server.mint({ tokenId: 7n, to: alice });
      const client = createChainClient({ rpcUrls: [server.url], chainId: 5_000, timeoutMs: 5_000 });
      const contract = { client, contractAddress, standard: "erc721" } as const;
      const ownership = makeReader(contract);
      const { watcher, departures, warnings } = makeWatcher(contract);
      const claim = { message, tokenId: "7", ownership };

      expect(await ownership.readOwner({ tokenId: "404" })).toEqual({ exists: false, owner: null });
      expect(await findContractFault(client, { contract: contractAddress, standard: "erc721" })).toBeNull();
      await watcher.pollOnce();
      server.posts.length = 0;
      const ofAlice = { ...claim, address: alice, signature: await sign(1) };
      expect(await proveAndReadOwnership(ofAlice)).toEqual({ owned: true });
      expect(server.posts).toEqual(readAtBlock);

      server.transfer({ tokenId: 7n, to: bob });
      await watcher.pollOnce();
      expect(departures).toEqual([{ tokenId: "7", from: alice }]);
      expect(warnings).toEqual([]);
      expect(await proveAndReadOwnership(ofAlice)).toEqual({ owned: false, reason: "not-owner" });
      const ofBob = { ...claim, address: bob, signature: await sign(2) };
      expect(await proveAndReadOwnership(ofBob)).toEqual({ owned: true });
    } finally {
      await server.stop();
    }
  },
);

test("where every unknown call reverts, a revert counts as a missing key only after some key was read", async () => {
  const contractAddress = chain.key.address;
  const unknown = { error: { code: 3, message: "execution reverted" } };
  const server = await startMinimalRpcServer(5_000, contractAddress, unknown);
  try {
    server.mint({ tokenId: 7n, to: chain.addressOf(1) });
    const client = createChainClient({ rpcUrls: [server.url], chainId: 5_000, clock: () => nowMs });
    const reader = makeReader({ client });
    const missing = { exists: false, owner: null };

    await expect(reader.readOwner({ tokenId: "404" })).rejects.toEqual(unavailable);
    expect(await reader.readOwner({ tokenId: "7" })).toEqual({ exists: true, owner: chain.addressOf(1) });
    expect(await reader.readOwner({ tokenId: "404" })).toEqual(missing);
    nowMs += 600_000;
    expect(await reader.readOwner({ tokenId: "404" })).toEqual(missing);
  } finally {
    await server.stop();
  }
});
