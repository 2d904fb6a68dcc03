import { expect, onTestFinished, test } from "vitest";
import { createChainClient } from "~/platform/chain/chain-client.server";
import { startTestChain } from "~e2e/support/chain/chain";
import type { ChainCursor } from "./chain-cursor.store.server";
import { createTransferWatcher } from "./transfer-watcher.server";

test("a poll that hangs is given up and counted as the lease's failure, and its late writes are dropped", async () => {
  const chain = await startTestChain();
  onTestFinished(chain.stop);
  const { number, hash } = await chain.viewer.getBlock();
  const tokenId = await chain.mintKey(1);
  await chain.transferKey({ tokenId, from: 1, to: chain.addressOf(2) });
  let letGo = () => {};
  const isHeld = new Promise<void>((resolve) => (letGo = resolve));
  const saved: bigint[] = [];
  const noted: string[] = [];
  const departed: string[] = [];
  const watcher = createTransferWatcher({
    client: createChainClient({ rpcUrls: [chain.rpcUrl], chainId: chain.chainId }),
    contracts: [{ contractAddress: chain.key.address, standard: "erc721" }],
    pollSeconds: 300,
    longPollMs: 1_000,
    clock: () => 1_000,
    cursor: {
      load: async () => ({ blockNumber: number, blockHash: hash, blockSeconds: 0n }),
      save: async (cursor: ChainCursor) => saved.push(cursor.blockNumber) > 0,
    },
    lease: {
      findHold: () => ({ name: "watcher", owner: "h", term: 1n }),
      onAcquired: () => {},
      noteSuccess: () => void noted.push("success"),
      noteFailure: () => void noted.push("failure"),
    },
    onDepartures: async ({ departures }) => {
      departed.push(...departures.map((key) => key.tokenId));
      if (departed.length === 1) await isHeld;
    },
    onBlock: () => {},
    log: { info: () => {}, warn: () => {} },
  });
  await expect(watcher.pollOnce()).rejects.toThrow("not read within 2000 ms");
  expect(watcher.status()).toMatchObject({ consecutiveFailures: 1, blockNumber: null });
  await watcher.pollOnce();
  expect(noted).toEqual(["failure", "success"]);
  expect(departed).toEqual([tokenId, tokenId]);
  expect(saved).toHaveLength(1);
  letGo();
  await watcher.pollOnce();
  expect(saved).toHaveLength(1);
});
