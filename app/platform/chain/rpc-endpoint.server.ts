import { BaseError, HttpRequestError } from "viem";
import type { Clock } from "~/platform/time/clock";
import { PostFailure, createJsonPoster } from "./json-rpc.gateway.server";
import type { NewestBlock } from "./newest-block.server";
import type { SeenBlock } from "./seen-block";
import { isRevert, readRpcReply } from "./rpc-reply.server";
import type { RpcReply } from "./rpc-reply.server";

/** A failed endpoint is skipped this long while another one is available. */
const restAfterFailureMs = 10_000;
/** An endpoint on another chain isn't called at all this long. */
const restOnWrongChainMs = 30_000;

export type RpcCall = {
  method: string;
  params?: unknown;
  /** If the result itself reveals a foreign chain: its id. */
  findForeignChain?: (result: unknown) => bigint | null;
  /** If the result reveals the newest block that the endpoint knows. */
  findNewestBlock?: (result: unknown) => SeenBlock | null;
  /** Refuses a result from a block older than a known one. */
  mustBeNewest?: boolean;
};
type EndpointReply = RpcReply | { olderBlock: SeenBlock };
/** A revert of the called code is a result like others. */
export type RpcRequestEnd = {
  /** Name and port of the endpoint, without path and user, which may contain keys. */
  host: string;
  method: string;
  outcome: "ok" | "error" | "timeout";
  durationSeconds: number;
};
/** `reason` null: it recovered. */
export type EndpointFault = { endpoint: string; reason: string | null };
export type RpcEndpoint = ReturnType<typeof createRpcEndpoint>;
type RpcEndpointOptions = {
  url: string;
  /** In the configured list, from 1. */
  position: number;
  chainId: number;
  timeoutMs: number;
  clock: Clock;
  /** Shared by all endpoints. */
  newestBlock: NewestBlock;
  onAnswer: (end: RpcRequestEnd) => void;
  onFault: (fault: EndpointFault) => void;
};

/** One RPC URL. Knows whether its chain id is right and whether it recently failed. */
export function createRpcEndpoint(options: RpcEndpointOptions) {
  const { clock, chainId, newestBlock, onFault } = options;
  const { send, label } = createSender(options);
  let restUntilMs = 0;
  let hasFailed = false;
  let refusedUntilMs = 0;
  /** Shared by all calls that wait for it. Cached until the endpoint fails. */
  let chainCheck: Promise<void> | null = null;

  function noteFailure(error: unknown): void {
    chainCheck = null;
    restUntilMs = clock() + restAfterFailureMs;
    const reason = error instanceof BaseError ? error.details : String(error);
    if (!hasFailed) onFault({ endpoint: label, reason });
    hasFailed = true;
  }

  async function checkChain(): Promise<void> {
    const reply = await send({ method: "eth_chainId" });
    // Only another chain's id counts against the endpoint. A refusal to tell is a failure like others.
    if ("error" in reply || !isChainId(reply.result)) throw failure("It does not tell its chain id.");
    if (BigInt(reply.result) === BigInt(chainId)) return;
    refusedUntilMs = clock() + restOnWrongChainMs;
    throw wrongChain(reply.result.slice(0, 20));
  }

  const failure = (details: string) => new HttpRequestError({ url: label, details });
  const wrongChain = (found: string) => failure(`It is not on chain ${chainId}: eth_chainId gave ${found}.`);

  /** The chain that a result comes from counts more than the endpoint's own claim. */
  function judgeResult(call: RpcCall, result: unknown): EndpointReply {
    const foreign = call.findForeignChain?.(result) ?? null;
    if (foreign !== null) {
      refusedUntilMs = clock() + restOnWrongChainMs;
      throw failure(`The result came from chain ${foreign}, not ${chainId}.`);
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

  /** Throws if the endpoint is unreachable, on another chain, or far behind. */
  async function ask(call: RpcCall): Promise<EndpointReply> {
    if (clock() < refusedUntilMs) throw wrongChain("another chain a moment ago");
    // One of many concurrent calls tries a resting endpoint. The others skip it.
    if (hasFailed) restUntilMs = clock() + options.timeoutMs;
    try {
      chainCheck ??= checkChain();
      // In parallel, so that the check costs no time. The result counts only if the check passes.
      const [reply] = await Promise.all([send(call), chainCheck]);
      const judged = "result" in reply ? judgeResult(call, reply.result) : reply;
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
    /** Whether to prefer another endpoint. */
    isResting: () => clock() < Math.max(restUntilMs, refusedUntilMs),
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

  async function send({ method, params = [] }: RpcCall): Promise<RpcReply> {
    id += 1;
    const json = JSON.stringify({ jsonrpc: "2.0", id, method, params });
    // Errors keep only the method: parameters contain addresses and signatures.
    const request = { body: { method }, url: label };
    const startedAtMs = performance.now();
    let outcome: RpcRequestEnd["outcome"] = "error";
    try {
      const reply = await post(json);
      const read = readRpcReply(reply, request);
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
