import { once } from "node:events";
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

type RpcListener = (request: RpcRequest) => void | Promise<void>;
type RpcRequest = { id: number; method: string; params?: unknown[] };

/** Faults of an RPC endpoint. `none` passes everything on to the real chain. */
export type RpcFault =
  | "none"
  | "hanging"
  | "hanging-after-headers"
  | "reset"
  | "http-500"
  | "http-429"
  | "html"
  | "empty"
  | "truncated-json"
  | "no-result"
  | "wrong-type"
  | "wrong-chain"
  | "rpc-error"
  | "reverting"
  | "small-log-ranges"
  | "tiny-log-ranges"
  | "no-logs"
  | "no-receipts"
  | "pruned"
  | DeploylessFault;

/** Responses of servers that can't run a call's code without a recipient. Everything else is passed on. */
export const deploylessFaults = [
  "deployless-refused",
  "deployless-empty",
  "deployless-garbage",
  "deployless-null",
  "deployless-reverting",
] as const;
export type DeploylessFault = (typeof deploylessFaults)[number];

export type RpcFaultServer = {
  url: string;
  /** The methods of the received requests, one entry for each POST. */
  posts: string[];
  setFault: (fault: RpcFault) => void;
  /** Overrides the response to a method. Null: the chain answers. */
  setResult: (made: { method: string; result: unknown } | null) => void;
  /** Called with each request before the chain gets it. */
  onPost: (listener: RpcListener) => void;
  /** Called with each request after the chain's response, before that is passed on. */
  onAnswer: (listener: RpcListener) => void;
  /** Another chain, or one by method, for an endpoint that says one thing and does another. */
  setUpstream: (url: string | ((method: string, params?: readonly unknown[]) => string)) => void;
  /** The newest block of a lagging endpoint. Null: the chain's. */
  setNewestBlock: (blockNumber: bigint | null) => void;
  /** Whether to break a request's connection, as if it had been closed while idle. */
  onConnectionUse: (shouldBreak: () => boolean) => void;
  stop: () => Promise<void>;
};

export const maxLogRange = 10;
const tinyLogRange = 4;

/** A real HTTP server in front of a real chain. Counts requests and fails on demand. */
export async function startRpcFaultServer(
  firstUpstreamUrl: string,
  firstFault: RpcFault = "none",
): Promise<RpcFaultServer> {
  let fault = firstFault;
  let chooseUpstream = (_method: string, _params?: readonly unknown[]) => firstUpstreamUrl;
  const posts: string[] = [];
  let postListener: RpcListener = () => {};
  let answerListener: RpcListener = () => {};
  let shouldBreak = () => false;
  let newestBlock: bigint | null = null;
  let madeUp: { method: string; result: unknown } | null = null;
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => response.destroy(error as Error));
  });

  async function answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    if (shouldBreak()) return void incoming.socket.resetAndDestroy();
    const body = await readBody(incoming);
    const request = JSON.parse(body) as RpcRequest;
    posts.push(request.method);
    await postListener(request);
    if (fault === "hanging") return;
    if (fault === "reset") return void incoming.socket.resetAndDestroy();
    const asked = newestBlock === null ? request : limitBlocks(request, newestBlock);
    const played = madeUp?.method === request.method ? playResult(madeUp, request) : play(fault, request);
    if (played) {
      response.writeHead(played.status, { "Content-Type": played.type });
      if (fault === "hanging-after-headers") return void response.write(played.body);
      return void response.end(played.body);
    }
    if (!asked) {
      response.writeHead(200, { "Content-Type": "application/json" });
      const result = request.method === "eth_getLogs" ? [] : null;
      const error = { code: -32000, message: "header not found" };
      const message = statePositions[request.method] === undefined ? { result } : { error };
      return void response.end(JSON.stringify({ jsonrpc: "2.0", id: request.id, ...message }));
    }
    const upstream = await fetch(chooseUpstream(request.method, request.params), {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(asked),
    });
    const answered = await upstream.text();
    await answerListener(request);
    response.writeHead(upstream.status, { "Content-Type": "application/json" });
    response.end(answered);
  }

  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/secret-key-in-path`,
    posts,
    setFault: (next) => {
      fault = next;
    },
    setResult: (next) => {
      madeUp = next;
    },
    onPost: (next) => {
      postListener = next;
    },
    onAnswer: (next) => {
      answerListener = next;
    },
    setUpstream: (url) => {
      chooseUpstream = typeof url === "string" ? () => url : url;
    },
    setNewestBlock: (blockNumber) => {
      newestBlock = blockNumber;
    },
    onConnectionUse: (next) => {
      shouldBreak = next;
    },
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

async function readBody(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}

function playResult(madeUp: { result: unknown }, request: RpcRequest) {
  const body = JSON.stringify({ jsonrpc: "2.0", id: request.id, result: madeUp.result });
  return { status: 200, type: "application/json", body };
}

function play(fault: RpcFault, request: RpcRequest) {
  const json = (message: object, status = 200) => ({
    status,
    type: "application/json",
    body: JSON.stringify({ jsonrpc: "2.0", id: request.id, ...message }),
  });
  const text = (body: string, { status = 200, type = "text/html" } = {}) => ({ status, type, body });
  switch (fault) {
    case "hanging-after-headers":
      return text('{"jsonrpc":"2.0",', { type: "application/json" });
    case "http-500":
      return text("Internal Server Error", { status: 500, type: "text/plain" });
    case "http-429":
      return json({ error: { code: 429, message: "Too many requests" } }, 429);
    case "html":
      return text("<!doctype html><title>Welcome to the hotel network</title>");
    case "empty":
      return text("", { type: "application/json" });
    case "truncated-json":
      return text('{"jsonrpc":"2.0","id":1,"resu', { type: "application/json" });
    case "no-result":
      return json({});
    case "wrong-type":
      return json({ result: 17 });
    case "wrong-chain":
      return request.method === "eth_chainId" ? json({ result: "0x5" }) : null;
    case "rpc-error":
      return json({ error: { code: -32603, message: "Internal error" } });
    case "reverting":
      return request.method === "eth_call"
        ? json({ error: { code: 3, message: "execution reverted", data: "0x" } })
        : null;
    case "small-log-ranges":
    case "tiny-log-ranges": {
      const limit = fault === "tiny-log-ranges" ? tinyLogRange : maxLogRange;
      const message = `eth_getLogs is limited to a ${limit} block range`;
      return isLongLogRange({ request, limit }) ? json({ error: { code: -32000, message } }) : null;
    }
    case "no-logs":
      return request.method === "eth_getLogs" ? json({ result: [] }) : null;
    case "no-receipts":
      return isForReceipt(request) ? json({ result: null }) : null;
    case "pruned":
      if (isForReceipt(request)) return json({ result: null });
      return isAboutOldState(request)
        ? json({ error: { code: -32000, message: "missing trie node: state is not available" } })
        : null;
    default:
      return fault === "none" ? null : playDeployless(fault, request);
  }
}

const deploylessAnswers: Record<DeploylessFault, object> = {
  "deployless-refused": { error: { code: -32602, message: "invalid argument 0: missing field `to`" } },
  "deployless-empty": { result: "0x" },
  "deployless-garbage": { result: `0x${"5a".repeat(320)}` },
  "deployless-null": { result: null },
  "deployless-reverting": { error: { code: 3, message: "execution reverted", data: "0x" } },
};

function playDeployless(fault: string, request: RpcRequest) {
  const { to } = (request.params?.[0] ?? {}) as { to?: string };
  const message = deploylessAnswers[fault as DeploylessFault] as object | undefined;
  if (request.method !== "eth_call" || to || !message) return null;
  const body = JSON.stringify({ jsonrpc: "2.0", id: request.id, ...message });
  return { status: 200, type: "application/json", body };
}

function isForReceipt({ method }: RpcRequest): boolean {
  return method === "eth_getTransactionReceipt";
}

/** An endpoint that has pruned the state of all blocks but the newest. */
function isAboutOldState({ method, params }: RpcRequest): boolean {
  const isAboutState = method === "eth_getTransactionCount" || method === "eth_getCode";
  return isAboutState && String(params?.[1]).startsWith("0x");
}

/** The position of the block parameter, by method. */
const statePositions: Partial<Record<string, number>> = { eth_call: 1, eth_getBalance: 1, eth_getCode: 1 };

/** The request as an endpoint without later blocks understands it. Null if it asks only for those. */
function limitBlocks(request: RpcRequest, newestBlock: bigint): RpcRequest | null {
  const isLater = (block: unknown) => block !== "latest" && BigInt(block as string) > newestBlock;
  const newest = `0x${newestBlock.toString(16)}`;
  const [first, ...rest] = request.params ?? [];
  if (request.method === "eth_getBlockByNumber") {
    if (isLater(first)) return null;
    return { ...request, params: [first === "latest" ? newest : first, ...rest] };
  }
  const position = statePositions[request.method];
  if (position !== undefined) {
    const params = [...(request.params ?? [])];
    if (isLater(params[position])) return null;
    if (params[position] === "latest") params[position] = newest;
    return { ...request, params };
  }
  if (request.method !== "eth_getLogs") return request;
  const filter = first as { fromBlock: string; toBlock: string };
  if (isLater(filter.fromBlock)) return null;
  const toBlock = isLater(filter.toBlock) ? newest : filter.toBlock;
  return { ...request, params: [{ ...filter, toBlock }] };
}

function isLongLogRange({
  request: { method, params },
  limit,
}: {
  request: RpcRequest;
  limit: number;
}): boolean {
  if (method !== "eth_getLogs") return false;
  const { fromBlock, toBlock } = (params?.[0] ?? {}) as { fromBlock: string; toBlock: string };
  return Number(toBlock) - Number(fromBlock) + 1 > limit;
}
