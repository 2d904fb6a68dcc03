import { expect, test } from "vitest";
import { createMetrics } from "~/platform/metrics/metrics.server";
import { openFaultyChain } from "~e2e/support/chain/faulty-chain";
import { createChainClients, getChainClient } from "./chain-clients.server";

const { chain, rpc } = await openFaultyChain();

/** Requests to each chain's client, and what was observed. */
async function observe(chainIds: readonly number[]) {
  const metrics = createMetrics();
  const faults: object[] = [];
  const endpoints = chainIds.map((chainId) => ({ chainId, rpcUrls: [rpc.url] }));
  const clients = createChainClients(endpoints, {
    onAnswer: metrics.observeRpcCall,
    onFault: (fault) => void faults.push(fault),
  });
  const client = getChainClient(clients, chain.chainId);
  rpc.setFault("none");
  await client.getBlockNumber();
  rpc.setFault("http-500");
  await expect(client.getBlockNumber()).rejects.toThrow();
  const { body } = await metrics.render();
  return { clients, faults, lines: body.split("\n") };
}

test("answers and faults of one chain name no chain", async () => {
  const { faults, lines } = await observe([chain.chainId]);
  expect(faults).toEqual([{ endpoint: expect.any(String), reason: expect.any(String) }]);
  expect(lines).toContain('latchkey_rpc_requests_total{method="eth_blockNumber",outcome="ok"} 1');
});

test("answers and faults of several chains name theirs, and each client asks its own", async () => {
  const other = chain.chainId + 1;
  const { clients, faults, lines } = await observe([chain.chainId, other]);
  expect(faults).toEqual([expect.objectContaining({ chainId: chain.chainId })]);
  const labels = `method="eth_blockNumber",outcome="ok",chain="${chain.chainId}"`;
  expect(lines).toContain(`latchkey_rpc_requests_total{${labels}} 1`);
  rpc.setFault("none");
  await expect(getChainClient(clients, other).getBlockNumber()).rejects.toThrow(`not on chain ${other}`);
  expect(() => getChainClient(clients, 5)).toThrow("Chain 5 is not configured.");
});
