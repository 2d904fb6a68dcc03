import { readResidentBytes } from "~e2e/faults/server-measures";
import { listChildren } from "~e2e/support/processes";
import { startServer } from "~e2e/support/running-server";
import { benchSettings, withoutChain } from "./bench-site";
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
    const began = performance.now();
    const server = await startServer({ env: { ...withoutChain, ...benchSettings } });
    closers.push(server.stop);
    const { status } = await fetch(`${originOf(server)}/readyz`);
    const seconds = (performance.now() - began) / 1000;
    if (status !== 200) throw new Error(`/readyz answered ${status}.`);
    const bytes = [server.pid, ...listChildren(server.pid)].map((pid) => readResidentBytes(pid) ?? 0);
    return { seconds, megabytes: bytes.reduce((sum, own) => sum + own, 0) / 2 ** 20 };
  });
}
