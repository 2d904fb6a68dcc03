import {
  decodeAbiParameters,
  getAddress,
  numberToHex,
  parseAbiParameters,
  toEventSelector,
  zeroAddress,
} from "viem";
import type { Address, Hash, Hex } from "viem";
import { readBalances } from "./ownership.gateway.server";
import type { KeyContract } from "./ownership.gateway.server";

export type Block = { number: bigint; hash: string };
export type Head = Block & { parentHash: string };
/** A key, or a unit of one, that left a wallet. `id` names the log it was found in; another block, another id. */
export type Transfer = { id: string; tokenId: string; from: Address; blockNumber: bigint };

type Log = {
  topics: readonly Hex[];
  data: Hex;
  blockHash: Hash | null;
  blockNumber: Hex | null;
  logIndex: Hex | null;
};
type Moved = { tokenId: bigint; from: Address; to: Address };

const transfer = toEventSelector("Transfer(address,address,uint256)");
const transferSingle = toEventSelector("TransferSingle(address,address,address,uint256,uint256)");
const transferBatch = toEventSelector("TransferBatch(address,address,address,uint256[],uint256[])");
const single = parseAbiParameters("uint256 id, uint256 value");
const batch = parseAbiParameters("uint256[] ids, uint256[] values");

/** The newest block, or the one of a number; null when the endpoint does not have it (yet, or any more). */
export async function findBlock({
  client,
  blockNumber,
}: Pick<KeyContract, "client"> & { blockNumber?: bigint }): Promise<Head | null> {
  const block = await client.request({
    method: "eth_getBlockByNumber",
    params: [blockNumber === undefined ? "latest" : numberToHex(blockNumber), false],
  });
  if (!block?.hash || !block.number) return null;
  return { number: BigInt(block.number), hash: block.hash, parentHash: block.parentHash };
}

/** The transfers from one wallet to another in a range of blocks, in order. Mints are not among them. */
export async function findTransfers({
  client,
  contractAddress,
  standard,
  fromBlock,
  toBlock,
}: KeyContract & { fromBlock: bigint; toBlock: bigint }): Promise<Transfer[]> {
  const logs = (await client.request({
    method: "eth_getLogs",
    params: [
      {
        address: contractAddress,
        topics: [standard === "erc1155" ? [transferSingle, transferBatch] : [transfer]],
        fromBlock: numberToHex(fromBlock),
        toBlock: numberToHex(toBlock),
      },
    ],
  })) as readonly Log[];
  return logs.flatMap((log) =>
    readMoves(log)
      .filter(({ from, to }) => from !== zeroAddress && from !== to)
      .map(({ tokenId, from }) => ({
        id: `${log.blockHash}:${log.logIndex}:${tokenId}`,
        tokenId: String(tokenId),
        from,
        blockNumber: BigInt(log.blockNumber ?? 0),
      })),
  );
}

/** Those transfers after which the sender has nothing left of the key: all of them, unless it is ERC-1155. */
export async function keepDepartures({
  transfers,
  ...contract
}: KeyContract & { transfers: readonly Transfer[] }): Promise<readonly Transfer[]> {
  if (contract.standard !== "erc1155") return transfers;
  const holdings = transfers.map(({ from, tokenId }) => ({ holder: from, tokenId: BigInt(tokenId) }));
  const balances = await readBalances({ ...contract, holdings });
  return transfers.filter((_transfer, index) => balances[index] === 0n);
}

/** Nothing for a log that has the name of a transfer but not its form: the contract is a stranger's. */
function readMoves({ topics, data }: Log): Moved[] {
  const [name, ...indexed] = topics;
  if (indexed.length !== 3) return [];
  if (name === transfer) {
    const [from, to, tokenId] = indexed as [Hex, Hex, Hex];
    return [{ from: readAddress(from), to: readAddress(to), tokenId: BigInt(tokenId) }];
  }
  const [, from, to] = indexed as [Hex, Hex, Hex];
  const between = { from: readAddress(from), to: readAddress(to) };
  try {
    const ids =
      name === transferSingle ? [decodeAbiParameters(single, data)[0]] : decodeAbiParameters(batch, data)[0];
    return ids.map((tokenId) => ({ ...between, tokenId }));
  } catch {
    return [];
  }
}

function readAddress(topic: Hex): Address {
  return getAddress(`0x${topic.slice(-40)}`);
}
