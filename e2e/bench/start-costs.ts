import { readResidentBytes } from "~e2e/faults/server-measures";
import { listChildren } from "~e2e/support/processes";
import { startServer } from "~e2e/support/running-server";
import { startTestChain } from "~e2e/support/chain/chain";
import { benchSettings } from "./bench-site";
import { withClosers } from "./close-on-signals";
import { originOf } from "./http-requests";
import { median } from "./measure";
import type { Row } from "./report";

export const startSlug = "start";

/** From the spawn on an empty data folder until /readyz answers 200, and the memory held then. */
export async function measureStarts(rounds: number): Promise<Row[]> {
  const starts: { seconds: number; megabytes: number }[] = [];
  for (let round = 0; round < rounds; round += 1) starts.push(await measureStart());
  const row = { slug: startSlug, peers: [] };
  return [
    {
      ...row,
      name: "start to ready",
      unit: "s",
      value: median(starts.map(({ seconds }) => seconds)),
      atMost: 1.5,
    },
    {
      ...row,
      name: "memory when ready",
      unit: "MB",
      value: median(starts.map(({ megabytes }) => megabytes)),
      atMost: 180,
    },
  ];
}

async function measureStart() {
  return await withClosers(async (closers) => {
    // A server is ready only if its chain answers.
    const { stop, rpcUrl, key } = await startTestChain();
    closers.push(stop);
    const chain = { RPC_URL: rpcUrl, KEY_CONTRACT_ADDRESS: key.address };
    const began = performance.now();
    const server = await startServer({ env: { NODE_ENV: "production", ...chain, ...benchSettings } });
    closers.push(server.stop);
    const { status } = await fetch(`${originOf(server)}/readyz`);
    const seconds = (performance.now() - began) / 1000;
    if (status !== 200) throw new Error(`/readyz answered ${status}.`);
    const bytes = [server.pid, ...listChildren(server.pid)].map((pid) => readResidentBytes(pid) ?? 0);
    return { seconds, megabytes: bytes.reduce((sum, own) => sum + own, 0) / 2 ** 20 };
  });
}
