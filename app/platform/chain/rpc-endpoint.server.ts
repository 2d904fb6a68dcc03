import { BaseError, HttpRequestError, RpcRequestError, http, isHex, numberToHex } from "viem";
import type { Clock } from "~/platform/clock";

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

type RawAnswer = { result?: unknown; error?: unknown };

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
      onFault({ endpoint: label, reason: error instanceof BaseError ? reasonOf(error) : "unknown" });
    hasFailed = true;
  }

  async function checkChain(): Promise<void> {
    const answer = await send({ method: "eth_chainId" });
    const found = "result" in answer ? answer.result : undefined;
    if (found === numberToHex(chainId)) return;
    refusedUntilMs = clock() + restOnWrongChainMs;
    throw wrongChain(typeof found === "string" ? found.slice(0, 20) : "no answer");
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

function createSender({ url, position, timeoutMs, clock, onRequest }: RpcEndpointOptions) {
  const label = `endpoint ${position} (${new URL(url).host})`;
  const transport = http(url, { raw: true, retryCount: 0, timeout: timeoutMs })({ retryCount: 0 });

  async function post(call: RpcCall): Promise<RawAnswer | null> {
    onRequest({ endpoint: label, method: call.method });
    return (await transport.request(call as never)) as RawAnswer | null;
  }

  /**
   * A server may close an idle connection at the very moment it is used again. All calls made here only
   * read, so one that broke off at once is sent once more; one that took its time is not.
   */
  async function postOverLiveConnection(call: RpcCall): Promise<RawAnswer | null> {
    const startedAtMs = clock();
    try {
      return await post(call);
    } catch (error) {
      if (!isBrokenConnection(error) || clock() - startedAtMs > timeoutMs / 4) throw error;
      return await post(call);
    }
  }

  async function send(call: RpcCall): Promise<RpcAnswer> {
    // Errors are made anew: those of the transport carry the URL, and what was sent, into the log.
    const body = { method: call.method };
    let raw: RawAnswer | null;
    try {
      raw = await postOverLiveConnection(call);
    } catch (error) {
      throw withoutUrl({ error, body, label });
    }
    if (raw?.error !== undefined && raw.error !== null) return { error: toRpcError({ raw, body, label }) };
    const result = raw?.result;
    const isAnswer = call.method === "eth_call" ? isHex(result) : result !== undefined;
    if (!isAnswer) throw new HttpRequestError({ body, url: label, details: "The answer holds no result." });
    return { result };
  }

  return { label, send };
}

function isBrokenConnection(error: unknown): boolean {
  if (!(error instanceof HttpRequestError) || error.status !== undefined) return false;
  const { code } = error.walk() as { code?: unknown };
  return code === "ECONNRESET" || code === "EPIPE" || code === "UND_ERR_SOCKET";
}

function toRpcError({ raw, body, label }: { raw: RawAnswer; body: { method: string }; label: string }) {
  const given = (typeof raw.error === "object" ? raw.error : {}) as Record<string, unknown>;
  const code = typeof given.code === "number" ? given.code : -32603;
  const message =
    typeof given.message === "string" ? given.message.slice(0, 300) : "An error without a message.";
  const data = isHex(given.data) ? given.data : undefined;
  return new RpcRequestError({ body, error: { code, message, data }, url: label });
}

function withoutUrl({ error, body, label }: { error: unknown; body: { method: string }; label: string }) {
  const status = error instanceof HttpRequestError ? error.status : undefined;
  const details = error instanceof BaseError ? reasonOf(error) : "The request failed.";
  return new HttpRequestError({ body, details, status, url: label });
}

/** What went wrong, without the address it went wrong at. */
function reasonOf(error: BaseError): string {
  if (error.name === "TimeoutError") return "It did not answer in time.";
  if (error instanceof HttpRequestError && error.status) return `HTTP status ${error.status}.`;
  const root = error.walk();
  const code = (root as { code?: unknown }).code;
  if (typeof code === "string") return `The connection failed: ${code}.`;
  if (root instanceof SyntaxError) return "The answer is not JSON.";
  return error instanceof HttpRequestError && error.url.startsWith("endpoint ")
    ? error.details
    : error.shortMessage;
}
