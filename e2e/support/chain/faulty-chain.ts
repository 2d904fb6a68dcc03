import { afterAll } from "vitest";
import { startTestChain } from "./chain";
import { startRpcFaultServer } from "./rpc-fault-server";

/** A chain behind an endpoint with faults, for all tests of a file. */
export async function openFaultyChain() {
  const chain = await startTestChain();
  const rpc = await startRpcFaultServer(chain.rpcUrl);
  afterAll(async () => {
    await rpc.stop();
    await chain.stop();
  });
  return { chain, rpc };
}
