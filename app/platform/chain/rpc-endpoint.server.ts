import { BaseError, HttpRequestError } from "viem";
import type { Clock } from "~/platform/time/clock";
import { PostFailure, createJsonPoster } from "./json-rpc.gateway.server";
import type { NewestBlock } from "./newest-block.server";
import type { SeenBlock } from "./seen-block";
import { isRevert, readRpcAnswer } from "./rpc-answer.server";
import type { RpcAnswer } from "./rpc-answer.server";

/** How long an endpoint that failed is skipped while another one is available. */
const restAfterFailureMs = 10_000;
/** How long an endpoint found on another chain is not even asked. */
const restOnWrongChainMs = 30_000;

export type RpcCall = {
  method: string;
  params?: unknown;
  /** For answers that tell their chain themselves: which one, where it is not the right one. */
  findForeignChain?: (result: unknown) => bigint | null;
  /** For answers that tell the newest block that the endpoint knows; null where they do not. */
  findNewestBlock?: (result: unknown) => SeenBlock | null;
  /** An answer from a block that is older than another one known does not count. */
  mustBeNewest?: boolean;
};
export type EndpointAnswer = RpcAnswer | { olderBlock: SeenBlock };
/** How a request ended. That the called code reverted is an answer like others. */
export type RpcRequestEnd = {
  /** Name and port of the endpoint, without path and user, which may hold keys. */
  host: string;
  method: string;
  outcome: "ok" | "error" | "timeout";
  durationSeconds: number;
};
/** `reason` null: it answers again. */
export type EndpointFault = { endpoint: string; reason: string | null };
export type RpcEndpoint = ReturnType<typeof createRpcEndpoint>;
export type RpcEndpointOptions = {
  url: string;
  /** In the configured list, from 1. */
  position: number;
  chainId: number;
  timeoutMs: number;
  clock: Clock;
  /** Of all endpoints together. */
  newestBlock: NewestBlock;
  onAnswer: (end: RpcRequestEnd) => void;
  onFault: (fault: EndpointFault) => void;
};

/** One RPC URL: knows whether it is to be trusted (its chain id is right) and whether it lately failed. */
export function createRpcEndpoint(options: RpcEndpointOptions) {
  const { clock, chainId, newestBlock, onFault } = options;
  const { send, label } = createSender(options);
  let restUntilMs = 0;
  let hasFailed = false;
  let refusedUntilMs = 0;
  /** Shared by all calls that wait for it; cached once answered correctly, until the endpoint fails. */
  let chainCheck: Promise<void> | null = null;

  function noteFailure(error: unknown): void {
    chainCheck = null;
    restUntilMs = clock() + restAfterFailureMs;
    const reason = error instanceof BaseError ? error.details : String(error);
    if (!hasFailed) onFault({ endpoint: label, reason });
    hasFailed = true;
  }

  async function checkChain(): Promise<void> {
    const answer = await send({ method: "eth_chainId" });
    // A refusal to say is a failure like others; only another chain's id is held against the endpoint.
    if ("error" in answer || !isChainId(answer.result)) throw failure("It does not tell its chain id.");
    if (BigInt(answer.result) === BigInt(chainId)) return;
    refusedUntilMs = clock() + restOnWrongChainMs;
    throw wrongChain(answer.result.slice(0, 20));
  }

  const failure = (details: string) => new HttpRequestError({ url: label, details });
  const wrongChain = (found: string) => failure(`It is not on chain ${chainId}: eth_chainId gave ${found}.`);

  /** An endpoint's own claim about its chain counts less than the chain its answers come from. */
  function judgeResult(call: RpcCall, result: unknown): EndpointAnswer {
    const foreign = call.findForeignChain?.(result) ?? null;
    if (foreign !== null) {
      refusedUntilMs = clock() + restOnWrongChainMs;
      throw failure(`The answer came from chain ${foreign}, not ${chainId}.`);
    }
    const block = call.findNewestBlock?.(result) ?? null;
    if (block === null) return { result };
    const lag = newestBlock.findLag(block);
    if (lag !== null) {
      throw failure(`It is far behind: its newest block is ${lag} s older than one seen before.`);
    }
    if (call.mustBeNewest && newestBlock.isOlder(block)) return { olderBlock: block };
    newestBlock.note(block);
    return { result };
  }

  /** Throws when the endpoint could not be asked, is not on the chain it should be on, or lags far behind. */
  async function ask(call: RpcCall): Promise<EndpointAnswer> {
    if (clock() < refusedUntilMs) throw wrongChain("another chain a moment ago");
    // Of many calls that find an endpoint rested, one tries it and the others skip it.
    if (hasFailed) restUntilMs = clock() + options.timeoutMs;
    try {
      chainCheck ??= checkChain();
      // Side by side, so that the check costs no time; the answer counts only when the check has passed.
      const [answer] = await Promise.all([send(call), chainCheck]);
      const judged = "result" in answer ? judgeResult(call, answer.result) : answer;
      if (hasFailed) onFault({ endpoint: label, reason: null });
      hasFailed = false;
      restUntilMs = 0;
      return judged;
    } catch (error) {
      noteFailure(error);
      throw error;
    }
  }

  return {
    /** For logs and errors. Never the URL: providers put keys into its path. */
    label,
    ask,
    /** Whether another endpoint should be preferred at the moment. */
    isResting: () => clock() < Math.max(restUntilMs, refusedUntilMs),
    /** Has the chain id asked for again with the next call. */
    recheckChain: () => void (chainCheck = null),
  };
}

function isChainId(result: unknown): result is string {
  return typeof result === "string" && /^0x[0-9a-f]{1,64}$/i.test(result);
}

function createSender({ url, position, timeoutMs, onAnswer }: RpcEndpointOptions) {
  const { host } = new URL(url);
  const label = `endpoint ${position} (${host})`;
  const post = createJsonPoster(url, timeoutMs);
  let id = 0;

  async function send({ method, params = [] }: RpcCall): Promise<RpcAnswer> {
    id += 1;
    const json = JSON.stringify({ jsonrpc: "2.0", id, method, params });
    // Errors keep only the method: parameters hold addresses and signatures.
    const request = { body: { method }, url: label };
    const startedAtMs = performance.now();
    let outcome: RpcRequestEnd["outcome"] = "error";
    try {
      const answer = await post(json);
      const read = readRpcAnswer(answer, request);
      if ("result" in read || isRevert(read.error)) outcome = "ok";
      return read;
    } catch (error) {
      if (!(error instanceof PostFailure)) throw error;
      if (error.isTimeout) outcome = "timeout";
      throw new HttpRequestError({ ...request, details: error.message });
    } finally {
      onAnswer({ host, method, outcome, durationSeconds: (performance.now() - startedAtMs) / 1_000 });
    }
  }

  return { label, send };
}
