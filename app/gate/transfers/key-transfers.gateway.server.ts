import { decodeAbiParameters, getAddress, numberToHex, parseAbiParameters, toEventSelector } from "viem";
import type { Address, Hex, RpcLog } from "viem";
import type { ChainClient } from "~/platform/chain/chain-client.server";
import type { KeyStandard } from "../kinds/kind";
import type { ChainCursor } from "./chain-cursor.store.server";
import { readBalances } from "../ownership/chain-reads.gateway.server";

export type TokenContract = { contractAddress: Address; standard: Exclude<KeyStandard, "membership"> };
export type FollowedChain = { client: ChainClient; contracts: readonly TokenContract[] };

export type Head = ChainCursor & { parentHash: string };
type Move = { contract: TokenContract; tokenId: string; from: Address; to: Address };
/** The zero address means no wallet. `id` identifies the log in its block. */
export type Transfer = Move & { id: string; blockNumber: bigint };
export type Departure = { contract: TokenContract; tokenId: string; holder: Address };
/** `knownSinceMs`: the time of a block that was read before. A departure recorded since then is this one. */
export type Departed = {
  contractAddress: Address;
  departures: readonly Omit<Departure, "contract">[];
  knownSinceMs?: number | undefined;
};

const transfer = toEventSelector("Transfer(address,address,uint256)");
const transferSingle = toEventSelector("TransferSingle(address,address,address,uint256,uint256)");
const transferBatch = toEventSelector("TransferBatch(address,address,address,uint256[],uint256[])");
const single = parseAbiParameters("uint256 id, uint256 value");
const batch = parseAbiParameters("uint256[] ids, uint256[] values");

type BlockQuestion = { client: ChainClient; blockNumber?: bigint };

/** The newest block by default. Null if the endpoint doesn't have the block. */
export async function findBlock({ client, blockNumber }: BlockQuestion): Promise<Head | null> {
  const block = await client.request({
    method: "eth_getBlockByNumber",
    params: [blockNumber === undefined ? "latest" : numberToHex(blockNumber), false],
  });
  if (!block?.hash || !block.number) return null;
  const { number, hash: blockHash, parentHash, timestamp } = block;
  return { blockNumber: BigInt(number), blockHash, parentHash, blockSeconds: BigInt(timestamp) };
}

const isCounted = ({ standard }: TokenContract) => standard === "erc1155";
/** A contract may support both forms. */
const nameForm = (address: Address, isUnits: boolean) => `${address.toLowerCase()}:${isUnits}`;

/** In order, without those that change nobody's holding. */
export async function findTransfers({
  client,
  contracts,
  fromBlock,
  toBlock,
}: FollowedChain & { fromBlock: bigint; toBlock: bigint }): Promise<Transfer[]> {
  if (contracts.length === 0) return [];
  const names = [
    ...(contracts.every(isCounted) ? [] : [transfer]),
    ...(contracts.some(isCounted) ? [transferSingle, transferBatch] : []),
  ];
  const filter = {
    address: [...new Set(contracts.map(({ contractAddress }) => contractAddress))],
    topics: [names],
    fromBlock: numberToHex(fromBlock),
    toBlock: numberToHex(toBlock),
  };
  const logs = (await client.request({ method: "eth_getLogs", params: [filter] })) as readonly RpcLog[];
  const followed = new Map(contracts.map((one) => [nameForm(one.contractAddress, isCounted(one)), one]));
  return logs.flatMap((log) => {
    const contract = followed.get(nameForm(log.address, log.topics[0] !== transfer));
    if (!contract) return [];
    return readMoves(log)
      .filter(({ from, to, value }) => from !== to && value > 0n)
      .map(({ tokenId, from, to }) => ({
        id: `${log.blockHash}:${log.logIndex}:${tokenId}`,
        contract,
        tokenId: String(tokenId),
        from,
        to,
        blockNumber: BigInt(log.blockNumber ?? 0),
      }));
  });
}

type DepartureQuestion = { client: ChainClient; departures: readonly Departure[]; block: bigint };

/** Wallets that have nothing left of their key as of a block. Only ERC-1155 needs its balances read. */
export async function keepDepartures({ client, departures, block }: DepartureQuestion): Promise<Departed[]> {
  const left: Departed[] = [];
  for (const [contract, different] of groupByContract(departures)) {
    const { contractAddress } = contract;
    const gone = isCounted(contract)
      ? await keepWithoutUnits({ client, contractAddress }, different, block)
      : different;
    if (gone.length > 0) left.push({ contractAddress, departures: gone });
  }
  return left;
}

type Holding = Omit<Departure, "contract">;

function groupByContract(departures: readonly Departure[]): [TokenContract, Holding[]][] {
  const groups = new Map<TokenContract, Map<string, Holding>>();
  for (const { contract, tokenId, holder } of departures) {
    const group = groups.get(contract) ?? new Map<string, Holding>();
    groups.set(contract, group.set(`${tokenId}:${holder}`, { tokenId, holder }));
  }
  return [...groups].map(([contract, group]) => [contract, [...group.values()]]);
}

async function keepWithoutUnits(
  contract: { client: ChainClient; contractAddress: Address },
  different: readonly Holding[],
  block: bigint,
): Promise<Holding[]> {
  const holdings = different.map(({ holder, tokenId }) => ({ holder, tokenId: BigInt(tokenId) }));
  const balances = await readBalances(contract, holdings, block);
  // An unknown balance is not a departure.
  return different.filter((_departure, index) => balances[index] === 0n);
}

/** Ignores logs with a transfer's name but another form. */
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
