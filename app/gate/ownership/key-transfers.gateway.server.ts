import { decodeAbiParameters, getAddress, numberToHex, parseAbiParameters, toEventSelector } from "viem";
import type { Address, Hex, RpcLog } from "viem";
import type { ChainCursor } from "./chain-cursor.store.server";
import { readBalances } from "./ownership.gateway.server";
import type { KeyContract } from "./ownership.gateway.server";

export type Head = ChainCursor & { parentHash: string };
/** The zero address stands for no wallet. `id` names the log; another block, another id. */
export type Transfer = { id: string; tokenId: string; from: Address; to: Address; blockNumber: bigint };
export type Departure = { tokenId: string; holder: Address };

const transfer = toEventSelector("Transfer(address,address,uint256)");
const transferSingle = toEventSelector("TransferSingle(address,address,address,uint256,uint256)");
const transferBatch = toEventSelector("TransferBatch(address,address,address,uint256[],uint256[])");
const single = parseAbiParameters("uint256 id, uint256 value");
const batch = parseAbiParameters("uint256[] ids, uint256[] values");

type BlockQuestion = Pick<KeyContract, "client"> & { blockNumber?: bigint };

/** The newest block, or the one of a number; null when the endpoint does not have it (yet, or any more). */
export async function findBlock({ client, blockNumber }: BlockQuestion): Promise<Head | null> {
  const block = await client.request({
    method: "eth_getBlockByNumber",
    params: [blockNumber === undefined ? "latest" : numberToHex(blockNumber), false],
  });
  if (!block?.hash || !block.number) return null;
  return { blockNumber: BigInt(block.number), blockHash: block.hash, parentHash: block.parentHash };
}

/** The transfers in a range of blocks, in order, without those that change nobody's holding. */
export async function findTransfers(
  question: KeyContract & { fromBlock: bigint; toBlock: bigint },
): Promise<Transfer[]> {
  const filter = {
    address: question.contractAddress,
    topics: [question.standard === "erc1155" ? [transferSingle, transferBatch] : [transfer]],
    fromBlock: numberToHex(question.fromBlock),
    toBlock: numberToHex(question.toBlock),
  };
  const logs = (await question.client.request({
    method: "eth_getLogs",
    params: [filter],
  })) as readonly RpcLog[];
  return logs.flatMap((log) =>
    readMoves(log)
      .filter(({ from, to, value }) => from !== to && value > 0n)
      .map(({ tokenId, from, to }) => ({
        id: `${log.blockHash}:${log.logIndex}:${tokenId}`,
        tokenId: String(tokenId),
        from,
        to,
        blockNumber: BigInt(log.blockNumber ?? 0),
      })),
  );
}

/** Each of those once who have nothing left of their key as of a block; only ERC-1155 is asked for balances. */
export async function keepDepartures({
  departures,
  block,
  ...contract
}: KeyContract & { departures: readonly Departure[]; block: bigint }): Promise<Departure[]> {
  const different = [...new Map(departures.map((one) => [`${one.tokenId}:${one.holder}`, one])).values()];
  if (contract.standard !== "erc1155") return different;
  const holdings = different.map(({ holder, tokenId }) => ({ holder, tokenId: BigInt(tokenId) }));
  const balances = await readBalances(contract, holdings, block);
  return different.filter((_departure, index) => balances[index] === 0n);
}

/** Nothing for a log that has the name of a transfer but not its form: the contract is a stranger's. */
function readMoves({ topics, data }: RpcLog) {
  const [name, ...indexed] = topics;
  if (indexed.length !== 3) return [];
  // ERC-1155 names the operator first.
  const [from, to, tokenId] = (name === transfer ? indexed : indexed.slice(1)) as [Hex, Hex, Hex];
  const between = { from: readAddress(from), to: readAddress(to) };
  if (name === transfer) return [{ ...between, tokenId: BigInt(tokenId), value: 1n }];
  try {
    if (name === transferSingle) {
      const [tokenId, value] = decodeAbiParameters(single, data);
      return [{ ...between, tokenId, value }];
    }
    const [ids, values] = decodeAbiParameters(batch, data);
    return ids.map((tokenId, index) => ({ ...between, tokenId, value: values[index] ?? 0n }));
  } catch {
    return [];
  }
}

function readAddress(topic: Hex): Address {
  return getAddress(`0x${topic.slice(-40)}`);
}
