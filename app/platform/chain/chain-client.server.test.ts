import { setTimeout as delay } from "node:timers/promises";
import { ContractFunctionRevertedError, parseAbi } from "viem";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createMetrics } from "~/platform/metrics/metrics.server";
import { startTestChain } from "~e2e/support/chain/chain";
import type { TestChain } from "~e2e/support/chain/chain";
import { startRpcFaultServer } from "~e2e/support/chain/rpc-fault-server";
import type { RpcFaultServer } from "~e2e/support/chain/rpc-fault-server";
import { findFreePort } from "~e2e/support/free-port";
import { startLocalChain } from "../../../contracts/local-chain.mjs";
import { createChainClient, isChainOutage, isRpcRefusal } from "./chain-client.server";
import type { ChainClientOptions } from "./chain-client.server";
import type { RpcRequestEnd } from "./rpc-endpoint.server";

let chain: TestChain;
let first: RpcFaultServer;
let second: RpcFaultServer;
let nowMs = 0;

beforeAll(async () => {
  chain = await startTestChain();
  first = await startRpcFaultServer(chain.rpcUrl);
  second = await startRpcFaultServer(chain.rpcUrl);
});
afterAll(async () => {
  await Promise.all([first.stop(), second.stop(), chain.stop()]);
});
beforeEach(() => {
  for (const server of [first, second]) {
    server.setFault("none");
    server.posts.length = 0;
  }
  nowMs = 0;
});

function makeClient(options: Partial<ChainClientOptions> = {}) {
  return createChainClient({
    rpcUrls: [first.url, second.url],
    chainId: chain.chainId,
    timeoutMs: 600,
    clock: () => nowMs,
    ...options,
  });
}

function failureOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => expect.fail("It did not fail."),
    (error: unknown) => error,
  );
}

test("the chain id is requested once, with the first call, and the second endpoint is not asked", async () => {
  const requests: { host: string; method: string }[] = [];
  const client = makeClient({ onAnswer: (request) => requests.push(request) });
  await client.getBlockNumber();
  await client.getBlockNumber();

  expect([...first.posts].sort()).toEqual(["eth_blockNumber", "eth_blockNumber", "eth_chainId"]);
  expect(second.posts).toEqual([]);
  expect(requests.map(({ method }) => method).sort()).toEqual([...first.posts].sort());
  expect(requests[0]?.host).toBe(new URL(first.url).host);
});

test("concurrent first calls share one check of the chain id", async () => {
  const client = makeClient();
  await Promise.all(Array.from({ length: 20 }, () => client.getBlockNumber()));

  expect(first.posts.filter((method) => method === "eth_chainId")).toHaveLength(1);
});

test.each([
  "hanging",
  "hanging-after-headers",
  "reset",
  "http-500",
  "http-429",
  "html",
  "rpc-error",
  "wrong-chain",
] as const)("while the first endpoint plays %s, the second answers", async (fault) => {
  first.setFault(fault);

  expect(await makeClient().getBlockNumber()).toBe(await chain.viewer.getBlockNumber());
});

test("the second endpoint answers when nobody listens at the first address", async () => {
  const rpcUrls = [`http://127.0.0.1:${await findFreePort()}`, second.url];

  expect(await makeClient({ rpcUrls }).getBlockNumber()).toBe(await chain.viewer.getBlockNumber());
});

test("dead endpoints delay a call by one timeout each at most, and errors name no address or key", async () => {
  first.setFault("hanging");
  second.setFault("hanging-after-headers");
  const startedAtMs = Date.now();
  const failure = await failureOf(makeClient().getBlockNumber());
  const tookMs = Date.now() - startedAtMs;

  expect(tookMs).toBeGreaterThanOrEqual(390);
  // Without its own timeout each endpoint would hold the call for ten seconds.
  expect(tookMs).toBeLessThan(5_000);
  expect(isChainOutage(failure)).toBe(true);
  for (let cause = failure; cause instanceof Error; cause = cause.cause) {
    expect(`${cause.stack} ${JSON.stringify(cause)}`).not.toContain("secret-key-in-path");
  }
});

test("an endpoint that hangs is skipped for ten seconds, then tried by one call and used again", async () => {
  const faults: (string | null)[] = [];
  const client = makeClient({ onFault: ({ reason }) => faults.push(reason) });
  first.setFault("hanging");
  await client.getBlockNumber();
  first.posts.length = 0;
  nowMs = 9_999;
  await client.getBlockNumber();
  expect(first.posts).toEqual([]);

  nowMs = 10_000;
  await Promise.all([client.getBlockNumber(), client.getBlockNumber(), client.getBlockNumber()]);
  expect(first.posts.filter((method) => method === "eth_blockNumber")).toHaveLength(1);
  first.setFault("none");
  nowMs = 60_000;
  await client.getBlockNumber();
  expect(first.posts.slice(-2).sort()).toEqual(["eth_blockNumber", "eth_chainId"]);
  expect(faults).toEqual(["It did not respond in time.", null]);
});

test("the only endpoint is asked every time, however often it failed", async () => {
  const client = makeClient({ rpcUrls: [first.url] });
  first.setFault("http-500");
  for (let count = 0; count < 3; count++) await failureOf(client.getBlockNumber());
  first.setFault("none");

  expect(await client.getBlockNumber()).toBe(await chain.viewer.getBlockNumber());
});

test("an endpoint of another chain is skipped for 30 seconds and then asked again", async () => {
  const other = await startLocalChain({ chainId: chain.chainId + 1 });
  try {
    first.setUpstream(other.rpcUrl);
    const client = makeClient({ rpcUrls: [first.url] });
    const failure = await failureOf(client.getBlockNumber());
    expect(isChainOutage(failure)).toBe(true);
    expect(String(failure)).toContain(`not on chain ${chain.chainId}`);
    first.posts.length = 0;
    nowMs = 29_999;
    await failureOf(client.getBlockNumber());
    expect(first.posts).toEqual([]);

    first.setUpstream(chain.rpcUrl);
    nowMs = 30_000;
    expect(await client.getBlockNumber()).toBe(await chain.viewer.getBlockNumber());
  } finally {
    first.setUpstream(chain.rpcUrl);
    await other.stop();
  }
});

test("an endpoint with an unreadable chain id does not count as one of another chain", async () => {
  const client = makeClient({ rpcUrls: [first.url] });
  for (const result of [17, "0x", "0xzz", null, ["0x7a69"]]) {
    first.setResult({ method: "eth_chainId", result });
    const failure = await failureOf(client.getBlockNumber());
    expect(isChainOutage(failure)).toBe(true);
    expect(String(failure)).toContain("does not tell its chain id");
  }
  first.setResult(null);
  expect(await client.getBlockNumber()).toBe(await chain.viewer.getBlockNumber());
});

test("an endpoint is asked for its chain id again after an outage", async () => {
  const other = await startLocalChain({ chainId: chain.chainId + 1 });
  try {
    const client = makeClient({ rpcUrls: [first.url] });
    await client.getBlockNumber();
    first.setFault("http-500");
    await failureOf(client.getBlockNumber());
    first.setFault("none");
    first.setUpstream(other.rpcUrl);

    expect(isChainOutage(await failureOf(client.getBlockNumber()))).toBe(true);
  } finally {
    first.setUpstream(chain.rpcUrl);
    await other.stop();
  }
});

test("a connection that the server closed while idle does not fail the next call", async () => {
  const client = makeClient({ rpcUrls: [first.url] });
  await client.getBlockNumber();
  let breaks = 1;
  first.onConnectionUse(() => breaks-- > 0);
  try {
    expect(await client.getBlockNumber()).toBe(await chain.viewer.getBlockNumber());
  } finally {
    first.onConnectionUse(() => false);
  }
});

test("a revert is the contract's answer: no other endpoint is asked, and it is no outage", async () => {
  const client = makeClient();
  const abi = parseAbi(["function ownerOf(uint256) view returns (address)"]);
  const failure = await failureOf(
    client.readContract({ address: chain.key.address, abi, functionName: "ownerOf", args: [404n] }),
  );

  expect(isChainOutage(failure)).toBe(false);
  expect((failure as { walk: (test: (e: unknown) => boolean) => unknown }).walk(isReverted)).toBeTruthy();
  expect(second.posts).toEqual([]);
});

function isReverted(error: unknown): boolean {
  return error instanceof ContractFunctionRevertedError;
}

test("a call to an address without a contract, and a defect of ours, are no outages", async () => {
  const client = makeClient();
  const abi = parseAbi(["function ownerOf(uint256) view returns (address)"]);
  const failure = await failureOf(
    client.readContract({ address: chain.addressOf(9), abi, functionName: "ownerOf", args: [1n] }),
  );

  expect(isChainOutage(failure)).toBe(false);
  expect(isChainOutage(new TypeError("undefined is not a function"))).toBe(false);
  expect(isChainOutage(undefined)).toBe(false);
});

test("a refusal by one endpoint is reported rather than the silence of the other", async () => {
  first.setFault("small-log-ranges");
  second.setFault("http-500");
  const failure = await failureOf(makeClient().getLogs({ fromBlock: 0n, toBlock: 100n }));

  expect(isRpcRefusal(failure)).toBe(true);
  expect(String(failure)).toContain("limited to a 10 block range");
});

test.each([
  ["none", "ok"],
  ["reverting", "ok"],
  ["rpc-error", "error"],
  ["http-500", "error"],
  ["html", "error"],
  ["reset", "error"],
  ["hanging", "timeout"],
  ["hanging-after-headers", "timeout"],
] as const)(
  "the end of a request to an endpoint that plays %s is reported once, as %s",
  async (fault, outcome) => {
    const ends: RpcRequestEnd[] = [];
    const client = makeClient({ rpcUrls: [first.url], onAnswer: (end) => ends.push(end) });
    await client.getBlockNumber();
    expect(ends.map(({ method }) => method).sort()).toEqual(["eth_blockNumber", "eth_chainId"]);
    ends.length = 0;
    first.setFault(fault);
    const startedAtMs = performance.now();
    await client.call({ to: chain.key.address, data: "0x01ffc9a701ffc9a7" }).catch(() => {});
    const tookSeconds = (performance.now() - startedAtMs) / 1_000;

    const { host } = new URL(first.url);
    expect(ends).toEqual([
      { host, method: "eth_call", outcome, durationSeconds: expect.any(Number) as number },
    ]);
    const { durationSeconds = 0 } = ends[0] ?? {};
    expect(durationSeconds).toBeGreaterThan(outcome === "timeout" ? 0.19 : 0);
    expect(durationSeconds).toBeLessThan(tookSeconds);
  },
);

test("an endpoint's duration is recorded in the metrics", async () => {
  const metrics = createMetrics();
  const client = makeClient({ rpcUrls: [first.url], onAnswer: metrics.observeRpcCall });
  first.onAnswer(async ({ method }) => {
    if (method === "eth_blockNumber") await delay(60);
  });
  const startedAtMs = performance.now();
  try {
    await client.getBlockNumber();
  } finally {
    first.onAnswer(() => {});
  }
  const tookSeconds = (performance.now() - startedAtMs) / 1_000;
  const { body } = await metrics.render();
  const sum = /latchkey_rpc_request_duration_seconds_sum\{method="eth_blockNumber"\} (\S+)/.exec(body)?.[1];

  expect(Number(sum)).toBeGreaterThan(0.05);
  expect(Number(sum)).toBeLessThan(tookSeconds);
  expect(body).toContain('latchkey_rpc_requests_total{method="eth_blockNumber",outcome="ok"} 1');
  expect(body).toContain('latchkey_rpc_requests_total{method="eth_chainId",outcome="ok"} 1');
});
