import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { createChainClient } from "~/platform/chain/chain-client.server";
import { startTestChain } from "~e2e/support/chain/chain";
import type { TestChain } from "~e2e/support/chain/chain";
import { waitUntil } from "~e2e/support/processes";
import { maxLogRange, startRpcFaultServer } from "~e2e/support/chain/rpc-fault-server";
import type { RpcFaultServer } from "~e2e/support/chain/rpc-fault-server";
import type { ChainCursor } from "./chain-cursor.store.server";
import { createOwnershipReader } from "~e2e/support/chain/ownership-reader";
import { createTransferWatcher } from "./transfer-watcher.server";
import type { TransferWatcherOptions } from "./transfer-watcher.server";

type TransferWatcher = ReturnType<typeof createTransferWatcher>;

let chain: TestChain;
let rpc: RpcFaultServer;
let watchers: TransferWatcher[] = [];

beforeAll(async () => {
  chain = await startTestChain();
  rpc = await startRpcFaultServer(chain.rpcUrl);
});
afterAll(async () => {
  await rpc.stop();
  await chain.stop();
});
beforeEach(() => rpc.setFault("none"));
afterEach(async () => {
  for (const watcher of watchers) await watcher.stop();
  watchers = [];
});

type Kept = { cursor: ChainCursor | null };

/** A watcher with its cursor in `kept`, and all its output. */
function makeWatcher({
  kept = { cursor: null },
  ...options
}: { kept?: Kept } & Partial<TransferWatcherOptions> = {}) {
  const departures: { tokenId: string; from: string }[] = [];
  const reorganisations: bigint[] = [];
  const blocks: bigint[] = [];
  const said: string[] = [];
  const watcher = createTransferWatcher({
    client: createChainClient({ rpcUrls: [rpc.url], chainId: chain.chainId, timeoutMs: 500 }),
    contracts: [{ contractAddress: chain.key.address, standard: "erc721" }],
    pollSeconds: 0.05,
    cursor: {
      load: async () => kept.cursor,
      save: async (cursor) => {
        kept.cursor = cursor;
        return true;
      },
    },
    onDepartures: (report) => {
      for (const { tokenId, holder: from } of report.departures) departures.push({ tokenId, from });
    },
    onBlock: ({ blockNumber }) => void blocks.push(blockNumber),
    onReorganisation: (fromBlock) => void reorganisations.push(fromBlock),
    log: { info: (_fields, text) => void said.push(text), warn: (_fields, text) => void said.push(text) },
    clock: () => 1_000,
    ...options,
  });
  watchers.push(watcher);
  return { watcher, departures, reorganisations, blocks, said, kept };
}

async function sellKey(): Promise<string> {
  const tokenId = await chain.mintKey(1);
  await chain.transferKey({ tokenId, from: 1, to: chain.addressOf(2) });
  return tokenId;
}

const seller = () => chain.addressOf(1);

test("watching begins at the newest block: later departures are reported once, earlier ones never", async () => {
  await sellKey();
  const { watcher, departures, blocks } = makeWatcher();
  await watcher.pollOnce();
  expect(departures).toEqual([]);

  const tokenId = await sellKey();
  await watcher.pollOnce();
  await watcher.pollOnce();

  const head = await chain.viewer.getBlockNumber();
  expect(departures).toEqual([{ tokenId, from: seller() }]);
  expect(blocks.at(-1)).toBe(head);
  expect(watcher.status()).toEqual({
    isRunning: false,
    blockNumber: head,
    blocksBehind: 0n,
    lastSuccessAtMs: 1_000,
    consecutiveFailures: 0,
  });
});

test("a mint and a transfer to oneself are no departures", async () => {
  const { watcher, departures } = makeWatcher();
  await watcher.pollOnce();

  const tokenId = await chain.mintKey(1);
  await chain.transferKey({ tokenId, from: 1, to: seller() });
  await watcher.pollOnce();

  expect(departures).toEqual([]);
});

test("a key that leaves and comes back within one block range is reported for each wallet it left", async () => {
  const { watcher, departures } = makeWatcher();
  await watcher.pollOnce();

  const tokenId = await sellKey();
  await chain.transferKey({ tokenId, from: 2, to: seller() });
  await watcher.pollOnce();

  expect(departures).toEqual([
    { tokenId, from: seller() },
    { tokenId, from: chain.addressOf(2) },
  ]);
});

test("an idle poll costs one request", async () => {
  const { watcher } = makeWatcher();
  await watcher.pollOnce();
  rpc.posts.length = 0;

  await watcher.pollOnce();

  expect(rpc.posts).toEqual(["eth_getBlockByNumber"]);
});

/** A new reader reports the last five blocks before the cursor again. */
async function leaveOverlap(watcher: TransferWatcher): Promise<void> {
  await chain.control.mine({ blocks: 5 });
  await watcher.pollOnce();
}

test("watching resumes at the saved cursor after a restart, and reports each missed departure once", async () => {
  const kept: Kept = { cursor: null };
  const before = makeWatcher({ kept });
  await before.watcher.pollOnce();
  const reportedBefore = await sellKey();
  await before.watcher.pollOnce();
  await leaveOverlap(before.watcher);
  await before.watcher.stop();

  const missed = await sellKey();
  const after = makeWatcher({ kept });
  await after.watcher.pollOnce();
  await after.watcher.pollOnce();

  expect(before.departures).toEqual([{ tokenId: reportedBefore, from: seller() }]);
  expect(after.departures).toEqual([{ tokenId: missed, from: seller() }]);
});

test("watching resumes where an outage interrupted it, logs that once, and misses nothing", async () => {
  let nowMs = 0;
  const client = createChainClient({
    rpcUrls: [rpc.url],
    chainId: chain.chainId,
    timeoutMs: 200,
    clock: () => nowMs,
  });
  const { watcher, departures, said } = makeWatcher({ client });
  await watcher.pollOnce();
  const tokenId = await sellKey();

  for (const fault of ["http-500", "html", "hanging", "rpc-error", "wrong-chain"] as const) {
    rpc.setFault(fault);
    await expect(watcher.pollOnce(), fault).rejects.toThrow();
  }
  expect(watcher.status()).toMatchObject({ consecutiveFailures: 5 });
  rpc.setFault("none");
  nowMs += 60_000;
  await watcher.pollOnce();

  expect(departures).toEqual([{ tokenId, from: seller() }]);
  expect(watcher.status()).toMatchObject({ consecutiveFailures: 0 });
  expect(said).toEqual([
    expect.stringContaining("transfer watcher failed"),
    expect.stringContaining("transfer watcher recovered"),
  ]);
});

test("a started watcher polls by itself, backs off during an outage and finds what happened meanwhile", async () => {
  const { watcher, departures } = makeWatcher();
  watcher.start();
  watcher.start();
  await waitUntil(() => watcher.status().blockNumber !== null);
  const first = await sellKey();
  await waitUntil(() => departures.length === 1);

  rpc.setFault("http-500");
  await waitUntil(() => watcher.status().consecutiveFailures >= 1);
  const startedAtMs = Date.now();
  await waitUntil(() => watcher.status().consecutiveFailures >= 4);
  // 50, 100 and 200 ms lie between the first failure and the fourth.
  expect(Date.now() - startedAtMs).toBeGreaterThan(300);
  const second = await sellKey();
  rpc.setFault("none");
  await waitUntil(() => departures.length === 2);

  expect(departures.map(({ tokenId }) => tokenId)).toEqual([first, second]);
  await watcher.stop();
  rpc.posts.length = 0;
  await new Promise((resolve) => setTimeout(resolve, 150));
  expect(rpc.posts).toEqual([]);
});

test("stop() waits for the poll in progress", async () => {
  const { watcher } = makeWatcher();
  await watcher.pollOnce();
  let letGo = () => {};
  const isHeld = new Promise<void>((resolve) => (letGo = resolve));
  const hasArrived = new Promise<void>((arrive) => {
    rpc.onPost(() => {
      arrive();
      return isHeld;
    });
  });
  watcher.start();
  await hasArrived;
  let hasStopped = false;
  const stopping = watcher.stop().then(() => (hasStopped = true));
  await new Promise((resolve) => setImmediate(resolve));

  expect(hasStopped).toBe(false);
  rpc.onPost(() => {});
  letGo();
  await stopping;
  expect(watcher.status().isRunning).toBe(false);
});

test("a departure that could not be handled is reported again, and the cursor waits for it", async () => {
  const handled: string[] = [];
  let isBroken = true;
  const { watcher, kept } = makeWatcher({
    onDepartures: (report) => {
      if (isBroken) throw new Error("The database is away.");
      handled.push(...report.departures.map(({ tokenId }) => tokenId));
    },
  });
  await watcher.pollOnce();
  const cursorBefore = kept.cursor;
  const tokenIds = [await sellKey(), await sellKey()];

  await expect(watcher.pollOnce()).rejects.toThrow("The database is away.");
  expect(kept.cursor).toEqual(cursorBefore);
  isBroken = false;
  await watcher.pollOnce();

  expect(handled).toEqual(tokenIds);
  expect(kept.cursor?.blockNumber).toBe(await chain.viewer.getBlockNumber());
});

test("a provider that allows only short ranges is asked for shorter ones until all is read", async () => {
  const { watcher, departures } = makeWatcher();
  await watcher.pollOnce();
  const tokenIds = [await sellKey()];
  await chain.control.mine({ blocks: maxLogRange * 4 });
  tokenIds.push(await sellKey());
  await chain.control.mine({ blocks: maxLogRange + 1 });
  tokenIds.push(await sellKey());

  rpc.setFault("small-log-ranges");
  await watcher.pollOnce();

  expect(departures.map(({ tokenId }) => tokenId)).toEqual(tokenIds);
  expect(watcher.status().blocksBehind).toBe(0n);
});

test("a long absence is caught up over several polls", async () => {
  const { watcher, departures } = makeWatcher();
  await watcher.pollOnce();
  const first = await sellKey();
  await chain.control.mine({ blocks: 900 });
  const last = await sellKey();

  rpc.setFault("small-log-ranges");
  await watcher.pollOnce();
  expect(watcher.status().blocksBehind).toBeGreaterThan(0n);
  expect(departures.map(({ tokenId }) => tokenId)).toEqual([first]);
  watcher.start();
  await waitUntil(() => watcher.status().blocksBehind === 0n);

  expect(departures.map(({ tokenId }) => tokenId)).toEqual([first, last]);
});

test("logs omitted by an endpoint that lagged are found with the next block", async () => {
  const { watcher, departures } = makeWatcher();
  await watcher.pollOnce();
  const tokenId = await sellKey();

  rpc.setFault("no-logs");
  await watcher.pollOnce();
  expect(departures).toEqual([]);
  rpc.setFault("none");
  await chain.control.mine({ blocks: 1 });
  await watcher.pollOnce();

  expect(departures).toEqual([{ tokenId, from: seller() }]);
});

async function reorganise(depth: number): Promise<void> {
  await chain.control.request({ method: "anvil_reorg", params: [depth, []] } as never);
}

test("after a reorganisation only new departures are reported, not those still in the chain", async () => {
  const { watcher, departures, reorganisations, said } = makeWatcher();
  await watcher.pollOnce();
  const start = await chain.viewer.getBlockNumber();
  const staying = await sellKey();
  await chain.control.mine({ blocks: 3 });
  const undone = await chain.mintKey(1);
  await watcher.pollOnce();
  await chain.transferKey({ tokenId: undone, from: 1, to: chain.addressOf(2) });
  await watcher.pollOnce();
  expect(departures).toEqual([
    { tokenId: staying, from: seller() },
    { tokenId: undone, from: seller() },
  ]);

  await reorganise(2);
  expect(await chain.viewer.readContract({ ...chain.key, functionName: "totalSupply" })).toBe(
    BigInt(undone) - 1n,
  );
  await watcher.pollOnce();
  expect(reorganisations).toEqual([start + 1n]);
  expect(said).toEqual([expect.stringContaining("reorganised")]);
  expect(departures).toHaveLength(2);

  const redone = await sellKey();
  await watcher.pollOnce();
  expect(redone).toBe(undone);
  expect(departures.slice(2)).toEqual([{ tokenId: redone, from: seller() }]);
});

test("a shorter chain is followed once its newest block is younger, and an endpoint that lags is not", async () => {
  const { watcher, departures, reorganisations, blocks } = makeWatcher();
  await watcher.pollOnce();
  const snapshot = await chain.control.snapshot();
  const undone = await sellKey();
  await chain.control.mine({ blocks: 5 });
  await watcher.pollOnce();
  const seenBlocks = blocks.length;
  const { timestamp } = await chain.viewer.getBlock();

  await chain.control.revert({ id: snapshot });
  for (let poll = 0; poll < 5; poll += 1) await watcher.pollOnce();
  expect({ reorganisations, seen: blocks.length }).toEqual({ reorganisations: [], seen: seenBlocks });
  await chain.control.setNextBlockTimestamp({ timestamp: timestamp + 1n });
  await chain.control.mine({ blocks: 1 });
  await watcher.pollOnce();
  expect(reorganisations).toHaveLength(1);
  expect(blocks.at(-1)).toBe(await chain.viewer.getBlockNumber());

  await watcher.pollOnce();
  expect(departures).toEqual([{ tokenId: undone, from: seller() }]);
  await chain.control.mine({ blocks: 10 });
  await watcher.pollOnce();
  const redone = await sellKey();
  await watcher.pollOnce();
  expect(departures).toEqual([
    { tokenId: undone, from: seller() },
    { tokenId: redone, from: seller() },
  ]);
  expect(watcher.status().blockNumber).toBe(await chain.viewer.getBlockNumber());
});

test("a cursor whose block is gone after a restart goes back a bounded way", async () => {
  await chain.control.mine({ blocks: 70 });
  const head = await chain.viewer.getBlockNumber();
  const tokenId = await sellKey();
  const blockHash = `0x${"ab".repeat(32)}`;
  const kept: Kept = { cursor: { blockNumber: head, blockHash, blockSeconds: 0n } };
  const { watcher, departures, reorganisations } = makeWatcher({ kept });

  await watcher.pollOnce();

  expect(reorganisations).toEqual([head - 64n + 1n]);
  expect(departures).toContainEqual({ tokenId, from: seller() });
});

test("erc1155: a key departs with the wallet's last unit, alone or in a batch", async () => {
  const multiKey = await chain.deploy({ contractName: "MultiKey" });
  const buyer = chain.addressOf(2);
  for (const [id, amount] of [
    [7n, 2n],
    [8n, 1n],
    [9n, 5n],
  ]) {
    await chain.send({ ...multiKey, functionName: "mint", args: [seller(), id, amount], from: 0 });
  }
  const { watcher, departures } = makeWatcher({
    contracts: [{ contractAddress: multiKey.address, standard: "erc1155" }],
  });
  await watcher.pollOnce();
  const give = (id: bigint, amount: bigint) =>
    chain.send({
      ...multiKey,
      functionName: "safeTransferFrom",
      args: [seller(), buyer, id, amount, "0x"],
      from: 1,
    });

  await give(7n, 1n);
  await watcher.pollOnce();
  expect(departures).toEqual([]);

  await give(7n, 1n);
  await watcher.pollOnce();
  expect(departures).toEqual([{ tokenId: "7", from: seller() }]);

  const args = [seller(), buyer, [8n, 9n], [1n, 4n], "0x"];
  await chain.send({ ...multiKey, functionName: "safeBatchTransferFrom", args, from: 1 });
  await watcher.pollOnce();
  expect(departures.slice(1)).toEqual([{ tokenId: "8", from: seller() }]);
});

test("a cached reading ends with the key's departure when watcher and reader are connected", async () => {
  const client = createChainClient({ rpcUrls: [rpc.url], chainId: chain.chainId });
  const contract = { client, contractAddress: chain.key.address, standard: "erc721" } as const;
  const reader = createOwnershipReader({ ...contract, cacheSeconds: 3_600, clock: () => 0 });
  const { watcher } = makeWatcher({
    onDepartures: ({ departures: gone }) => reader.forget(new Set(gone.map(({ tokenId }) => tokenId))),
    onBlock: ({ blockNumber }) => reader.noteBlock(blockNumber),
    onReorganisation: () => reader.forget(),
  });
  const tokenId = await chain.mintKey(1);
  await watcher.pollOnce();
  const owns = () => reader.readOwnership({ tokenId, holder: seller() });
  expect(await owns()).toEqual({ owned: true });

  await chain.transferKey({ tokenId, from: 1, to: chain.addressOf(2) });
  expect(await owns()).toEqual({ owned: true });
  await watcher.pollOnce();
  expect(await owns()).toEqual({ owned: false, reason: "not-owner" });

  await reorganise(1);
  await watcher.pollOnce();
  expect(await owns()).toEqual({ owned: true });
});

/** A lease that is given and taken by hand. */
function makeLease() {
  let term = 0n;
  let isHeld = false;
  const listeners: (() => void)[] = [];
  const noted: ("success" | "failure")[] = [];
  return {
    lease: {
      findHold: () => (isHeld ? { name: "watcher" as const, owner: "h", term } : null),
      onAcquired: (listener: () => void) => void listeners.push(listener),
      noteSuccess: () => void noted.push("success"),
      noteFailure: () => void noted.push("failure"),
    },
    noted,
    give() {
      [term, isHeld] = [term + 1n, true];
      for (const listener of listeners) listener();
    },
    take: () => (isHeld = false),
  };
}

test("of two watchers the owner of the lease reads, and the other follows its cursor and takes over without a gap", async () => {
  const kept: Kept = { cursor: null };
  const [first, second] = [makeLease(), makeLease()];
  const reading = makeWatcher({ kept, lease: first.lease });
  const following = makeWatcher({ kept, lease: second.lease });
  first.give();
  await reading.watcher.pollOnce();
  const before = await sellKey();
  await reading.watcher.pollOnce();
  const postsBefore = rpc.posts.length;
  await following.watcher.pollOnce();
  expect(rpc.posts.length).toBe(postsBefore);
  expect(following.departures).toEqual([]);
  expect(following.blocks).toEqual([kept.cursor?.blockNumber]);
  expect(reading.departures).toEqual([{ tokenId: before, from: seller() }]);

  await leaveOverlap(reading.watcher);
  first.take();
  const between = await sellKey();
  second.give();
  await following.watcher.pollOnce();
  await reading.watcher.pollOnce();
  expect(following.departures).toEqual([{ tokenId: between, from: seller() }]);
  expect(reading.departures.length).toBe(1);
  // Its lease comes back: it must not go on from where it once was.
  await leaveOverlap(following.watcher);
  second.take();
  first.give();
  const after = await sellKey();
  await reading.watcher.pollOnce();
  expect(reading.departures.slice(1)).toEqual([{ tokenId: after, from: seller() }]);
});

test("a watcher that loses the lease while reading saves and reports nothing, and reads again when it has it back", async () => {
  const kept: Kept = { cursor: null };
  const { lease, give } = makeLease();
  let isRefused = false;
  const cursor = {
    load: async () => kept.cursor,
    save: async (cursor: ChainCursor) => {
      if (!isRefused) kept.cursor = cursor;
      return !isRefused;
    },
  };
  const { watcher, departures, said } = makeWatcher({ lease, cursor });
  await chain.control.mine({ blocks: 5 });
  give();
  await watcher.pollOnce();
  const tokenId = await sellKey();
  isRefused = true;
  const before = kept.cursor;
  await watcher.pollOnce();
  expect(kept.cursor).toBe(before);
  expect(said).toEqual([]);
  isRefused = false;
  await watcher.pollOnce();
  // Reported twice, by two readers; the first report was refused by the store, as the cursor was.
  expect(departures).toEqual([
    { tokenId, from: seller() },
    { tokenId, from: seller() },
  ]);
});

test("a watcher that acquires the lease polls at once instead of at its next turn", async () => {
  const { lease, give } = makeLease();
  const { watcher, departures, kept } = makeWatcher({ lease, pollSeconds: 300 });
  await chain.control.mine({ blocks: 5 });
  kept.cursor = await newestCursor();
  const tokenId = await sellKey();
  watcher.start();
  await watcher.pollOnce();
  expect(departures).toEqual([]);
  give();
  await waitUntil(() => departures.length > 0);
  expect(departures).toEqual([{ tokenId, from: seller() }]);
});

test("a lease acquired again and again during a poll starts no second loop of polls", async () => {
  const { lease, give, take } = makeLease();
  const atMs: number[] = [];
  let letGo = () => {};
  const isHeld = new Promise<void>((resolve) => (letGo = resolve));
  const load = async () => {
    if (atMs.push(performance.now()) === 1) await isHeld;
    return null;
  };
  const pollSeconds = 0.3;
  const { watcher } = makeWatcher({ lease, pollSeconds, cursor: { load, save: async () => true } });
  watcher.start();
  await waitUntil(() => atMs.length === 1);
  for (let round = 0; round < 5; round++) {
    give();
    take();
  }
  letGo();
  // One at once, as the lease was gained, and from then on each at its turn.
  await waitUntil(() => atMs.length >= 5);
  expect(atMs[4]! - atMs[1]!).toBeGreaterThan(3 * 0.9 * pollSeconds * 1_000);
});

test("a watcher that cannot read reports failures to its lease, and is healthy again when another has read on", async () => {
  const kept: Kept = { cursor: null };
  const { lease, give, take, noted } = makeLease();
  const { watcher, said } = makeWatcher({ kept, lease });
  give();
  await watcher.pollOnce();
  rpc.setFault("http-500");
  for (const _ of [1, 2]) await expect(watcher.pollOnce()).rejects.toThrow();
  expect(noted).toEqual(["success", "failure", "failure"]);

  take();
  await watcher.pollOnce();
  await watcher.pollOnce();
  expect(watcher.status()).toMatchObject({ consecutiveFailures: 2 });
  expect(said).toEqual([expect.stringContaining("transfer watcher failed")]);

  kept.cursor = { blockNumber: kept.cursor!.blockNumber + 1n, blockHash: "0x01", blockSeconds: 0n };
  await watcher.pollOnce();
  expect(watcher.status()).toMatchObject({ consecutiveFailures: 0 });
  expect(said.at(-1)).toContain("transfer watcher recovered");
  expect(noted.length).toBe(3);
});

async function newestCursor(): Promise<ChainCursor> {
  const { number, hash, timestamp } = await chain.viewer.getBlock();
  return { blockNumber: number, blockHash: hash, blockSeconds: timestamp };
}
