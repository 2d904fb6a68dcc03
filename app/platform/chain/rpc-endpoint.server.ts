import { BaseError, HttpRequestError, RpcRequestError, isHex } from "viem";
import type { Clock } from "~/platform/clock";
import { PostFailure, createJsonPoster } from "./json-rpc.gateway.server";
import type { HttpAnswer } from "./json-rpc.gateway.server";

/** How long an endpoint that failed is passed over while another one is at hand. */
const restAfterFailureMs = 10_000;
/** How long an endpoint found on another chain is not even asked. */
const restOnWrongChainMs = 30_000;

export type RpcCall = { method: string; params?: unknown };
export type RpcAnswer = { result: unknown } | { error: RpcRequestError };
export type RpcEndpoint = {
  /** For logs and errors. Never the URL: providers put keys into its path. */
  label: string;
  /** Whether another endpoint should be preferred at the moment. */
  isResting: () => boolean;
  /** Throws when the endpoint could not be asked, or is not on the chain it should be on. */
  ask: (call: RpcCall) => Promise<RpcAnswer>;
  /** Has the chain id asked for again with the next call. */
  recheckChain: () => void;
};
export type RpcEndpointOptions = {
  url: string;
  /** Place in the configured list, from 1. */
  position: number;
  chainId: number;
  timeoutMs: number;
  clock: Clock;
  onRequest: (request: { endpoint: string; method: string }) => void;
  onFault: (fault: { endpoint: string; reason: string }) => void;
};

/** One RPC URL: knows whether it is to be trusted (its chain id is right) and whether it lately failed. */
export function createRpcEndpoint(options: RpcEndpointOptions): RpcEndpoint {
  const { clock, chainId, onFault } = options;
  const { send, label } = createSender(options);
  let restUntilMs = 0;
  let hasFailed = false;
  let refusedUntilMs = 0;
  /** One question for all calls that wait for it; kept once answered rightly, until the endpoint fails. */
  let chainCheck: Promise<void> | null = null;

  function noteFailure(error: unknown): void {
    chainCheck = null;
    restUntilMs = clock() + restAfterFailureMs;
    if (!hasFailed)
      onFault({ endpoint: label, reason: error instanceof BaseError ? error.details : String(error) });
    hasFailed = true;
  }

  async function checkChain(): Promise<void> {
    const answer = await send({ method: "eth_chainId" });
    // A refusal to say is a failure like others; only another chain's id is held against the endpoint.
    if ("error" in answer)
      throw new HttpRequestError({ url: label, details: "It does not tell its chain id." });
    const found = isHex(answer.result) ? answer.result : "no number";
    if (isHex(found) && BigInt(found) === BigInt(chainId)) return;
    refusedUntilMs = clock() + restOnWrongChainMs;
    throw wrongChain(found.slice(0, 20));
  }

  function wrongChain(found: string): HttpRequestError {
    const details = `It is not on chain ${chainId}: eth_chainId gave ${found}.`;
    return new HttpRequestError({ url: label, details });
  }

  async function ask(call: RpcCall): Promise<RpcAnswer> {
    if (clock() < refusedUntilMs) throw wrongChain("another chain a moment ago");
    // Of many calls that find an endpoint rested, one tries it and the others go on past it.
    if (hasFailed) restUntilMs = clock() + options.timeoutMs;
    try {
      chainCheck ??= checkChain();
      // Side by side, so that the check costs no time; the answer counts only when the check has passed.
      const [answer] = await Promise.all([send(call), chainCheck]);
      if (hasFailed) onFault({ endpoint: label, reason: "answers again" });
      hasFailed = false;
      restUntilMs = 0;
      return answer;
    } catch (error) {
      noteFailure(error);
      throw error;
    }
  }

  return {
    label,
    ask,
    isResting: () => clock() < Math.max(restUntilMs, refusedUntilMs),
    recheckChain: () => void (chainCheck = null),
  };
}

function createSender({ url, position, timeoutMs, onRequest }: RpcEndpointOptions) {
  const label = `endpoint ${position} (${new URL(url).host})`;
  const post = createJsonPoster({ url, timeoutMs });
  let id = 0;

  async function send({ method, params = [] }: RpcCall): Promise<RpcAnswer> {
    id += 1;
    const json = JSON.stringify({ jsonrpc: "2.0", id, method, params });
    // Of what was asked, errors keep only the method: parameters hold addresses and signatures.
    const asked = { body: { method }, url: label };
    let answer: HttpAnswer;
    try {
      answer = await post({ json, onRequest: () => onRequest({ endpoint: label, method }) });
    } catch (error) {
      if (!(error instanceof PostFailure)) throw error;
      throw new HttpRequestError({ ...asked, details: error.message });
    }
    return readAnswer({ answer, method, asked });
  }

  return { label, send };
}

type Asked = { body: { method: string }; url: string };

function readAnswer({
  answer,
  method,
  asked,
}: {
  answer: HttpAnswer;
  method: string;
  asked: Asked;
}): RpcAnswer {
  const { status, text } = answer;
  const isOverloaded = status === 429 || status >= 500;
  const message = isOverloaded ? null : parseMessage(text);
  if (message?.error) return { error: toRpcError({ given: message.error, asked }) };
  if (status !== 200) throw new HttpRequestError({ ...asked, status, details: `HTTP status ${status}.` });
  if (!message) throw new HttpRequestError({ ...asked, details: "The answer is not JSON-RPC." });
  const { result } = message;
  const isAnswer = method === "eth_call" ? isHex(result) : result !== undefined;
  if (!isAnswer) throw new HttpRequestError({ ...asked, details: "The answer holds no result." });
  return { result };
}

function parseMessage(text: string): { result?: unknown; error?: unknown } | null {
  try {
    const message: unknown = JSON.parse(text);
    return typeof message === "object" && message !== null ? message : null;
  } catch {
    return null;
  }
}

function toRpcError({ given, asked }: { given: unknown; asked: Asked }): RpcRequestError {
  const fields = (typeof given === "object" ? given : {}) as Record<string, unknown>;
  const code = typeof fields.code === "number" ? fields.code : -32603;
  const message =
    typeof fields.message === "string" ? fields.message.slice(0, 300) : "An error without a message.";
  const data = isHex(fields.data) ? fields.data : undefined;
  return new RpcRequestError({ ...asked, error: { code, message, data } });
}
