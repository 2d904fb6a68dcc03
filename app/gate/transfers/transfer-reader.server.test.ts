import { beforeEach, expect, test } from "vitest";
import { encodeAbiParameters, keccak256, parseAbiParameters, toHex } from "viem";
import type { Address } from "viem";
import { createChainClient } from "~/platform/chain/chain-client.server";
import { openFaultyChain } from "~e2e/support/chain/faulty-chain";
import { startTestChain } from "~e2e/support/chain/chain";
import type { TestChain } from "~e2e/support/chain/chain";
import type { ChainCursor } from "./chain-cursor.store.server";
import type { Departed } from "./key-transfers.gateway.server";
import { readBalances } from "../ownership/chain-reads.gateway.server";
import { TransferReader } from "./transfer-reader.server";
import type { TransferReaderOptions } from "./transfer-reader.server";

const { chain, rpc } = await openFaultyChain();

beforeEach(() => {
  rpc.setFault("none");
  rpc.setUpstream(chain.rpcUrl);
  rpc.setNewestBlock(null);
});

type Kept = { cursor: ChainCursor | null; saves: number };

function makeReader({
  kept = { cursor: null, saves: 0 },
  ...options
}: { kept?: Kept } & Partial<TransferReaderOptions> = {}) {
  const reports: Departed["departures"][] = [];
  const client = createChainClient({ rpcUrls: [rpc.url], chainId: chain.chainId, timeoutMs: 2_000 });
  const reader = new TransferReader({
    client,
    contracts: [{ contractAddress: chain.key.address, standard: "erc721" }],
    cursor: {
      load: async () => kept.cursor,
      save: async (cursor) => void Object.assign(kept, { cursor, saves: kept.saves + 1 }),
    },
    onDepartures: ({ departures }) => void reports.push(departures),
    onBlock: () => {},
    clock: () => 1_000,
    log: { info: () => {}, warn: () => {} },
    ...options,
  });
  return { reader, reports, kept, client };
}

const [seller, buyer] = [1, 2];
const at = (account: number): Address => chain.addressOf(account);
const mine = (blocks: number) => chain.control.mine({ blocks });
const sell = (tokenId: string, from = seller, to = buyer) => chain.transferKey({ tokenId, from, to: at(to) });
const calls = () => rpc.posts.filter((method) => method === "eth_call").length;

/** Writes an account's balance into the storage slot of OpenZeppelin's ERC-1155. */
function setBalance({ control }: TestChain, address: Address, id: bigint, amount = 1n) {
  const ofId = keccak256(encodeAbiParameters(parseAbiParameters("uint256, uint256"), [id, 0n]));
  const index = keccak256(encodeAbiParameters(parseAbiParameters("address, bytes32"), [at(seller), ofId]));
  return control.setStorageAt({ address, index, value: toHex(amount, { size: 32 }) });
}

async function makeKeys() {
  const contract = await chain.deploy({ contractName: "MultiKey" });
  const mint = (id: bigint) =>
    chain.send({ ...contract, functionName: "mint", args: [at(seller), id, 1n], from: 0 });
  const hand = (ids: bigint[]) => Promise.all(ids.map((id) => setBalance(chain, contract.address, id)));
  const give = (ids: bigint[], amount: bigint) => {
    const args = [at(seller), at(buyer), ids, ids.map(() => amount), "0x"];
    return chain.send({ ...contract, functionName: "safeBatchTransferFrom", args, from: seller });
  };
  return {
    contract,
    mint,
    hand,
    give,
    options: { contracts: [{ contractAddress: contract.address, standard: "erc1155" }] } as const,
  };
}

test("erc1155: a log of a thousand ids that moves no unit of any costs no call and is no departure", async () => {
  const { give, options } = await makeKeys();
  const { reader, reports } = makeReader(options);
  await reader.readOn();
  await give(
    Array.from({ length: 1_000 }, (_, index) => BigInt(index)),
    0n,
  );
  rpc.posts.length = 0;

  await reader.readOn();

  expect(calls()).toBe(0);
  expect(reports).toEqual([]);
});

test("erc1155: balances of many departures are read in groups that fit one probe, and reported together", async () => {
  const { contract, hand, give, options } = await makeKeys();
  const ids = Array.from({ length: 310 }, (_, index) => BigInt(index));
  await hand(ids.slice(0, -1));
  await setBalance(chain, contract.address, 309n, 2n);
  const { reader, reports, client } = makeReader(options);
  await reader.readOn();
  await give(ids, 1n);
  rpc.posts.length = 0;

  await reader.readOn();

  expect(calls()).toBe(3);
  expect(client.deployless.wasRefused()).toBe(false);
  expect(reports.length).toBe(1);
  expect(reports[0]).toEqual(ids.slice(0, -1).map((id) => ({ tokenId: String(id), holder: at(seller) })));
});

test("erc1155: what the contract does not say is no departure, and holds up no other contract", async () => {
  const { contract, mint, give, options } = await makeKeys();
  const silent = await chain.deploy({ contractName: "Misbehaving", args: [0] });
  const key = { contractAddress: chain.key.address, standard: "erc721" } as const;
  const tokenId = await chain.mintKey(seller);
  await mint(1n);
  const { reader, reports } = makeReader({ contracts: [...options.contracts, key] });
  await reader.readOn();
  await give([1n], 1n);
  const bytecode = await chain.viewer.getCode({ address: silent.address });
  await chain.control.setCode({ address: contract.address, bytecode: bytecode! });
  await sell(tokenId);

  await reader.readOn();

  expect(reports).toEqual([[{ tokenId, holder: at(seller) }]]);
});

test("erc1155: a departure is found later when a node lacks the block of the transfer", async () => {
  const behind = await startTestChain();
  try {
    const { hand, give, contract, options } = await makeKeys();
    await hand([7n]);
    // To a node that has not seen the transfer yet, the seller holds the key still.
    const bytecode = (await chain.viewer.getCode({ address: contract.address })) ?? "0x";
    await behind.control.setCode({ address: contract.address, bytecode });
    await setBalance(behind, contract.address, 7n);
    const { reader, reports, client, kept } = makeReader(options);
    await reader.readOn();
    const cursorBefore = kept.cursor;
    await mine(20);
    await give([7n], 1n);
    rpc.setUpstream((method) => (method === "eth_call" ? behind.rpcUrl : chain.rpcUrl));

    await expect(reader.readOn()).rejects.toMatchObject({ slug: "chain-unavailable" });
    expect({ reports, cursor: kept.cursor }).toEqual({ reports: [], cursor: cursorBefore });
    expect(client.deployless.wasRefused()).toBe(false);

    rpc.setUpstream(chain.rpcUrl);
    await reader.readOn();
    expect(reports).toEqual([[{ tokenId: "7", holder: at(seller) }]]);
  } finally {
    await behind.stop();
  }
});

test("erc1155: a call with code refused for a certain block does not end such calls", async () => {
  const { contract } = await makeKeys();
  const { client } = makeReader();
  const holdings = [{ holder: at(seller), tokenId: 7n }];
  const block = await chain.viewer.getBlockNumber();
  rpc.setFault("deployless-refused");
  expect(await readBalances({ client, contractAddress: contract.address }, holdings, block)).toEqual([0n]);
  expect(client.deployless.wasRefused()).toBe(false);
});

test("a log omitted in the last five blocks before a restart is found after it", async () => {
  const kept: Kept = { cursor: null, saves: 0 };
  const before = makeReader({ kept });
  await before.reader.readOn();
  const tokenId = await chain.mintKey(seller);
  await sell(tokenId);
  rpc.setFault("no-logs");
  await before.reader.readOn();
  await mine(3);
  await before.reader.readOn();
  expect(before.reports).toEqual([]);

  rpc.setFault("none");
  const after = makeReader({ kept });
  await mine(1);
  await after.reader.readOn();

  expect(after.reports.flat()).toContainEqual({ tokenId, holder: at(seller) });
});

test("a departure that was read before a restart is reported with its block's time, a later one without", async () => {
  const kept: Kept = { cursor: null, saves: 0 };
  const before = makeReader({ kept });
  await before.reader.readOn();
  const [first, second] = [await chain.mintKey(seller), await chain.mintKey(seller)];
  await sell(first);
  const { timestamp } = await chain.viewer.getBlock();
  await before.reader.readOn();
  await sell(second);

  const reports: Departed[] = [];
  await makeReader({ kept, onDepartures: (departed) => void reports.push(departed) }).reader.readOn();
  const contractAddress = chain.key.address;
  expect(reports).toEqual([
    {
      contractAddress,
      departures: [{ tokenId: first, holder: at(seller) }],
      knownSinceMs: Number(timestamp) * 1_000,
    },
    { contractAddress, departures: [{ tokenId: second, holder: at(seller) }] },
  ]);
});

test("a log omitted by a provider that allows only short ranges is found with the next block", async () => {
  const { reader, reports } = makeReader();
  await reader.readOn();
  await mine(22);
  rpc.setFault("tiny-log-ranges");
  await reader.readOn();
  const tokenId = await chain.mintKey(seller);
  await sell(tokenId);
  rpc.setFault("no-logs");
  await reader.readOn();
  rpc.setFault("tiny-log-ranges");
  await mine(1);
  await reader.readOn();
  expect(reports).toEqual([[{ tokenId, holder: at(seller) }]]);
});

test("the cursor is saved again while the chain stands still, so that its age shows that somebody reads", async () => {
  let nowMs = 0;
  const { reader, kept } = makeReader({ clock: () => nowMs });
  await reader.readOn();
  const savesBefore = kept.saves;
  nowMs += 9_999;
  await reader.readOn();
  expect(kept.saves).toBe(savesBefore);
  nowMs += 1;
  await reader.readOn();
  expect(kept.saves).toBe(savesBefore + 1);
});
