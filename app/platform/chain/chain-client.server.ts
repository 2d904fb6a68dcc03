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
import { findRpcError, isRevert } from "./rpc-answer.server";
import { createRpcEndpoint } from "./rpc-endpoint.server";
import type { SeenBlock } from "./seen-block";
import type { EndpointFault, RpcCall, RpcEndpoint, RpcRequestEnd } from "./rpc-endpoint.server";

export type ChainClientOptions = {
  /** Asked in this order; the next one is asked when one fails. */
  rpcUrls: readonly string[];
  chainId: number;
  /** For one answer of one endpoint. A call takes at most this times the number of endpoints. */
  timeoutMs?: number;
  /** For how long ago something was; not for moments. */
  clock?: Clock;
  /** For moments. */
  wallClock?: Clock;
  /** Called when a request has ended, in whatever way. */
  onAnswer?: (end: RpcRequestEnd) => void;
  /** Called when an endpoint fails for the first time, and when it answers again. */
  onFault?: (fault: EndpointFault) => void;
};
export type ChainClient = ReturnType<typeof createChainClient>;

/** Nodes behind one address, or two addresses, are often a block apart for a moment. */
const askOnceMoreAfterMs = 200;

/**
 * A viem client that asks several RPC endpoints in turn. Unlike viem's own fallback it never trusts an
 * endpoint of another chain, skips one that failed a moment ago, and keeps URLs out of its errors.
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
    // Another endpoint answers from now on, or the same address with another server behind it.
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
    // A block number is asked for because it may have changed.
    cacheTime: 0,
  }).extend(() => ({
    /**
     * One call, without what viem's own `request` does around it (names for errors, deduplication, tries), which takes
     * a third of the time. Rejects with the plain RpcRequestError or HttpRequestError.
     */
    ask: request,
    /** For callers that find in an answer that it came from another chain. */
    recheckChain(): void {
      for (const endpoint of endpoints) endpoint.recheckChain();
    },
    /** Asks every endpoint, for health checks; null: no answer. */
    askEach: (call: RpcCall) => Promise.all(endpoints.map((endpoint) => askOne(endpoint, call))),
    /** Whether calls without a recipient, whose data is code to run, are answered here. */
    deployless,
    newestBlock,
  }));
}

function headerFinder({ method, params }: RpcCall): RpcCall["findNewestBlock"] {
  const isForNewest =
    method === "eth_getBlockByNumber" && (params as unknown[] | undefined)?.[0] === "latest";
  return isForNewest ? readBlockHeader : undefined;
}

/** Null for what is no header of a block. */
export function readBlockHeader(result: unknown): SeenBlock | null {
  const { number, timestamp } = (result ?? {}) as { number?: unknown; timestamp?: unknown };
  if (!isQuantity(number) || !isQuantity(timestamp)) return null;
  return { blockNumber: BigInt(number), blockSeconds: BigInt(timestamp), isOfHeader: true };
}

const isQuantity = (value: unknown): value is `0x${string}` => isHex(value) && value !== "0x";

/** If all that answer are behind the newest block known, they are asked once more. */
async function askUntilNewest(endpoints: RpcEndpoint[], call: RpcCall): Promise<unknown> {
  const byReadiness = () => {
    const resting = endpoints.filter((endpoint) => endpoint.isResting());
    return { resting, ready: endpoints.filter((endpoint) => !resting.includes(endpoint)) };
  };
  const { ready, resting } = byReadiness();
  const first = await askInTurn([...ready, ...resting], call);
  if ("result" in first) return first.result;
  await delay(askOnceMoreAfterMs);
  // One that hangs is not waited for twice.
  const now = byReadiness();
  const second = await askInTurn(now.ready.length > 0 ? now.ready : now.resting, call);
  if ("result" in second) return second.result;
  throw second.outage;
}

type TurnAnswer = { result: unknown } | { outage: BaseError };

async function askInTurn(endpoints: readonly RpcEndpoint[], call: RpcCall): Promise<TurnAnswer> {
  let refusal: RpcRequestError | null = null;
  let outage: unknown = null;
  let older: TurnAnswer | null = null;
  for (const endpoint of endpoints) {
    try {
      const answer = await endpoint.ask(call);
      if ("result" in answer) return answer;
      if ("olderBlock" in answer) {
        const details = `A block newer than its ${answer.olderBlock.blockNumber} is known.`;
        older ??= { outage: new HttpRequestError({ url: endpoint.label, details }) };
        continue;
      }
      // Every endpoint would return the same contract error.
      if (isRevert(answer.error)) throw answer.error;
      refusal ??= answer.error;
    } catch (error) {
      if (isRevert(error)) throw error;
      outage = error;
    }
  }
  if (older && !refusal) return older;
  // A refusal says more than the silence of another endpoint: it may be a matter of what was asked.
  throw refusal ?? outage ?? new BaseError("There is no RPC endpoint to ask.");
}

async function askOne(endpoint: RpcEndpoint, call: RpcCall) {
  const isResting = endpoint.isResting();
  const startedAtMs = performance.now();
  const answer = await endpoint.ask(call).catch(() => null);
  return {
    label: endpoint.label,
    isResting,
    latencyMs: Math.round((performance.now() - startedAtMs) * 10) / 10,
    result: answer !== null && "result" in answer ? answer.result : null,
  };
}

/** Whether an endpoint answered with an error: about what was asked, not about being asked. */
export function isRpcRefusal(error: unknown): boolean {
  return findRpcError(error) !== null;
}

/**
 * Whether an error means that the chain could not be asked. A contract that reverts or answers with nothing
 * has been asked; an error that does not come from asking at all is a defect of ours. Neither is an outage.
 */
export function isChainOutage(error: unknown): boolean {
  if (!(error instanceof BaseError)) return false;
  const answers = [ContractFunctionRevertedError, ContractFunctionZeroDataError, ExecutionRevertedError];
  const isAnswer = (cause: unknown) => isRevert(cause) || answers.some((kind) => cause instanceof kind);
  return error.walk(isAnswer) === null;
}
