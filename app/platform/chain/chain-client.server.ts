import { setTimeout as delay } from "node:timers/promises";
import {
  BaseError,
  ContractFunctionRevertedError,
  ContractFunctionZeroDataError,
  ExecutionRevertedError,
  HttpRequestError,
  createPublicClient,
  custom,
  defineChain,
  isHex,
} from "viem";
import type { RpcRequestError } from "viem";
import type { Clock } from "~/platform/time/clock";
import { monotonicClock, systemClock } from "~/platform/time/clock";
import { createRefusalCache } from "./refusal-cache.server";
import { createNewestBlock } from "./newest-block.server";
import { findRpcError, isRevert } from "./rpc-reply.server";
import { createRpcEndpoint } from "./rpc-endpoint.server";
import type { SeenBlock } from "./seen-block";
import type { EndpointFault, RpcCall, RpcEndpoint, RpcRequestEnd } from "./rpc-endpoint.server";

export type ChainClientOptions = {
  /** Tried in this order. */
  rpcUrls: readonly string[];
  chainId: number;
  /** For one response of one endpoint. A call takes at most this times the number of endpoints. */
  timeoutMs?: number;
  /** For durations. */
  clock?: Clock;
  /** For timestamps. */
  wallClock?: Clock;
  onAnswer?: (end: RpcRequestEnd) => void;
  /** Called when an endpoint fails for the first time, and when it recovers. */
  onFault?: (fault: EndpointFault) => void;
};
export type ChainClient = ReturnType<typeof createChainClient>;

/** Nodes are often a block apart for a moment, also behind one address. */
const askOnceMoreAfterMs = 200;

/**
 * A viem client for several RPC endpoints. Unlike viem's `fallback` it skips an endpoint that failed a moment ago and
 * never trusts one of another chain. It refuses readings older than a known block, and keeps URLs out of its errors.
 */
export function createChainClient({
  rpcUrls,
  chainId,
  timeoutMs = 2_000,
  clock = monotonicClock,
  wallClock = systemClock,
  onAnswer = () => {},
  onFault = () => {},
}: ChainClientOptions) {
  const deployless = createRefusalCache(clock);
  function noteFault(fault: EndpointFault): void {
    // Another endpoint takes over, or another server behind the same address.
    deployless.forget();
    onFault(fault);
  }
  const newestBlock = createNewestBlock(clock, wallClock);
  const shared = { chainId, timeoutMs, clock, newestBlock, onAnswer, onFault: noteFault };
  const endpoints = rpcUrls.map((url, index) => createRpcEndpoint({ ...shared, url, position: index + 1 }));
  const chain = defineChain({
    id: chainId,
    name: `Chain ${chainId}`,
    nativeCurrency: { name: "Ether", symbol: "ETH", decimals: 18 },
    rpcUrls: { default: { http: [] } },
  });
  const request = (call: RpcCall) =>
    askUntilNewest(endpoints, { findNewestBlock: headerFinder(call), ...call });
  return createPublicClient({
    chain,
    transport: custom({ request }, { retryCount: 0 }),
    // Callers want to know whether the block number has changed.
    cacheTime: 0,
  }).extend(() => ({
    /**
     * One call without viem's own `request` around it (error names, deduplication, retries), which takes a third of the
     * time. Rejects with the plain RpcRequestError or HttpRequestError.
     */
    ask: request,
    /** For callers that detect a result from another chain. */
    recheckChain(): void {
      for (const endpoint of endpoints) endpoint.recheckChain();
    },
    /** Calls every endpoint, for health checks; null: no result. */
    askEach: (call: RpcCall) => Promise.all(endpoints.map((endpoint) => askOne(endpoint, call))),
    /** Whether calls without a recipient, whose data is code to run, work here. */
    deployless,
    newestBlock,
  }));
}

function headerFinder({ method, params }: RpcCall): RpcCall["findNewestBlock"] {
  const isForNewest =
    method === "eth_getBlockByNumber" && (params as unknown[] | undefined)?.[0] === "latest";
  return isForNewest ? readBlockHeader : undefined;
}

export function readBlockHeader(result: unknown): SeenBlock | null {
  const { number, timestamp } = (result ?? {}) as { number?: unknown; timestamp?: unknown };
  if (!isQuantity(number) || !isQuantity(timestamp)) return null;
  return { blockNumber: BigInt(number), blockSeconds: BigInt(timestamp), isOfHeader: true };
}

const isQuantity = (value: unknown): value is `0x${string}` => isHex(value) && value !== "0x";

/** If every endpoint is behind the newest known block, they get one more try. */
async function askUntilNewest(endpoints: RpcEndpoint[], call: RpcCall): Promise<unknown> {
  const byReadiness = () => {
    const resting = endpoints.filter((endpoint) => endpoint.isResting());
    return { resting, ready: endpoints.filter((endpoint) => !resting.includes(endpoint)) };
  };
  const { ready, resting } = byReadiness();
  const first = await askInTurn([...ready, ...resting], call);
  if ("result" in first) return first.result;
  await delay(askOnceMoreAfterMs);
  // Don't wait twice for an endpoint that hangs.
  const now = byReadiness();
  const second = await askInTurn(now.ready.length > 0 ? now.ready : now.resting, call);
  if ("result" in second) return second.result;
  throw second.outage;
}

type TurnReply = { result: unknown } | { outage: BaseError };

async function askInTurn(endpoints: readonly RpcEndpoint[], call: RpcCall): Promise<TurnReply> {
  let refusal: RpcRequestError | null = null;
  let outage: unknown = null;
  let older: TurnReply | null = null;
  for (const endpoint of endpoints) {
    try {
      const reply = await endpoint.ask(call);
      if ("result" in reply) return reply;
      if ("olderBlock" in reply) {
        const details = `A block newer than its ${reply.olderBlock.blockNumber} is known.`;
        older ??= { outage: new HttpRequestError({ url: endpoint.label, details }) };
        continue;
      }
      // Every endpoint would return the same contract error.
      if (isRevert(reply.error)) throw reply.error;
      refusal ??= reply.error;
    } catch (error) {
      if (isRevert(error)) throw error;
      outage = error;
    }
  }
  if (older && !refusal) return older;
  // A refusal says more than another endpoint's timeout: the call itself may be wrong.
  throw refusal ?? outage ?? new BaseError("There is no RPC endpoint to ask.");
}

async function askOne(endpoint: RpcEndpoint, call: RpcCall) {
  const isResting = endpoint.isResting();
  const startedAtMs = performance.now();
  const reply = await endpoint.ask(call).catch(() => null);
  return {
    label: endpoint.label,
    isResting,
    latencyMs: Math.round((performance.now() - startedAtMs) * 10) / 10,
    result: reply !== null && "result" in reply ? reply.result : null,
  };
}

/** Whether an endpoint responded with an error about the call. */
export function isRpcRefusal(error: unknown): boolean {
  return findRpcError(error) !== null;
}

/**
 * Whether the chain is unreachable. A contract that reverts or returns nothing is no outage, and neither is a defect of
 * ours.
 */
export function isChainOutage(error: unknown): boolean {
  if (!(error instanceof BaseError)) return false;
  const results = [ContractFunctionRevertedError, ContractFunctionZeroDataError, ExecutionRevertedError];
  const isResult = (cause: unknown) => isRevert(cause) || results.some((kind) => cause instanceof kind);
  return error.walk(isResult) === null;
}
