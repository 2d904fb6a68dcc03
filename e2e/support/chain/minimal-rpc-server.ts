import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import {
  getAddress,
  keccak256,
  numberToHex,
  padHex,
  stringToHex,
  toEventSelector,
  toFunctionSelector,
} from "viem";
import type { Address, Hex } from "viem";

type Message = { result: unknown } | { error: { code: number; message: string } };
type Params = [{ to?: Address; data?: Hex; fromBlock?: Hex; toBlock?: Hex } | Hex];
type Transfer = { blockNumber: bigint; from: Address; to: Address; tokenId: bigint };

/** Answers to unknown methods. */
export const unknownAnswers = {
  "an error": { error: { code: -32601, message: "the method does not exist/is not available" } },
  nothing: { result: "0x" },
  null: { result: null },
} as const satisfies Record<string, Message>;

const ownerOf = toFunctionSelector("ownerOf(uint256)");
const transferTopic = toEventSelector("Transfer(address,address,uint256)");

const hashOf = (number: bigint) => keccak256(stringToHex(`block ${number}`));

function describeTransfer({ blockNumber, from, to, tokenId }: Transfer) {
  const parties = [from, to].map((address) => padHex(address, { size: 32 }));
  return {
    topics: [transferTopic, ...parties, numberToHex(tokenId, { size: 32 })],
    data: "0x",
    blockNumber: numberToHex(blockNumber),
  };
}

/** A minimal chain: one contract with one function, its transfers, and the number of blocks. */
export async function startMinimalRpcServer(
  chainId: number,
  contractAddress: Address,
  unknown: Message = unknownAnswers["an error"],
) {
  const owners = new Map<bigint, Address>();
  const transfers: Transfer[] = [];
  const posts: string[] = [];
  let blockNumber = 1n;

  function callContract({ to, data = "0x" }: { to?: Address; data?: Hex }): Message {
    if (to?.toLowerCase() !== contractAddress.toLowerCase() || !data.startsWith(ownerOf)) return unknown;
    const owner = owners.get(BigInt(`0x${data.slice(ownerOf.length)}`));
    return owner
      ? { result: padHex(owner, { size: 32 }) }
      : { error: { code: 3, message: "execution reverted" } };
  }

  function findLogs({ fromBlock = "0x0", toBlock = "0x0" }: { fromBlock?: Hex; toBlock?: Hex }): Message {
    const within = transfers.filter(
      (log) => log.blockNumber >= BigInt(fromBlock) && log.blockNumber <= BigInt(toBlock),
    );
    return {
      result: within.map((log, index) => ({
        ...describeTransfer(log),
        address: contractAddress,
        blockHash: hashOf(log.blockNumber),
        logIndex: numberToHex(index),
      })),
    };
  }

  function findBlock(tag: Hex | "latest"): Message {
    const number = tag === "latest" ? blockNumber : BigInt(tag);
    if (number > blockNumber) return { result: null };
    return { result: { number: numberToHex(number), hash: hashOf(number), timestamp: "0x1" } };
  }

  function answer({ method, params }: { method: string; params?: unknown[] }): Message {
    const [first] = (params ?? []) as Params;
    if (method === "eth_chainId") return { result: numberToHex(chainId) };
    if (method === "eth_blockNumber") return { result: numberToHex(blockNumber) };
    if (method === "eth_getBlockByNumber") return findBlock(first as Hex);
    if (method === "eth_getLogs") return findLogs(first as { fromBlock: Hex });
    if (method === "eth_call") return callContract(first as { to?: Address });
    return unknown;
  }

  const server = createServer((incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
    incoming.on("end", () => {
      const request = JSON.parse(Buffer.concat(chunks).toString("utf8")) as { id: number; method: string };
      posts.push(request.method);
      response.setHeader("Content-Type", "application/json");
      response.end(JSON.stringify({ jsonrpc: "2.0", id: request.id, ...answer(request) }));
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    posts,
    mint({ tokenId, to }: { tokenId: bigint; to: Address }): void {
      blockNumber += 1n;
      owners.set(tokenId, getAddress(to));
    },
    transfer({ tokenId, to }: { tokenId: bigint; to: Address }): void {
      const from = owners.get(tokenId);
      if (!from) throw new Error(`There is no key ${tokenId}.`);
      blockNumber += 1n;
      transfers.push({ blockNumber, from, to, tokenId });
      owners.set(tokenId, getAddress(to));
    },
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
