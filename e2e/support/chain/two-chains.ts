import { afterAll, beforeEach } from "vitest";
import { createChainClient } from "~/platform/chain/chain-client.server";
import type { ChainClient, ChainClientOptions } from "~/platform/chain/chain-client.server";
import { startTestChain } from "./chain";
import { startRpcFaultServer } from "./rpc-fault-server";

/** Two chains with different ids, each behind an endpoint with faults, for all tests of a file. */
export async function openTwoChains() {
  const [first, second] = await Promise.all([openChain(31_337), openChain(31_338)]);
  const both = [first, second];
  beforeEach(() => {
    for (const { rpc, chain } of both) {
      rpc.setFault("none");
      rpc.setUpstream(chain.rpcUrl);
      rpc.setResult(null);
      rpc.onPost(() => {});
      rpc.onAnswer(() => {});
      rpc.posts.length = 0;
    }
  });
  return {
    first,
    second,
    /** A client for each chain, through its endpoint. */
    makeClients(options: Partial<ChainClientOptions> = {}): (chainId: number) => ChainClient {
      const clients = new Map(
        both.map(({ chain: { chainId }, rpc }) => [
          chainId,
          createChainClient({ rpcUrls: [rpc.url], chainId, ...options }),
        ]),
      );
      return (chainId) => {
        const client = clients.get(chainId);
        if (!client) throw new Error(`Chain ${chainId} is not open.`);
        return client;
      };
    },
    /** Requests to both endpoints, except for their chain id. */
    posts: () => both.map(({ rpc }) => rpc.posts.filter((method) => method !== "eth_chainId")),
  };
}

async function openChain(chainId: number) {
  const chain = await startTestChain({ chainId });
  const rpc = await startRpcFaultServer(chain.rpcUrl);
  afterAll(async () => {
    await rpc.stop();
    await chain.stop();
  });
  return { chain, rpc };
}
