import { readdirSync, readFileSync } from "node:fs";
import type { BenchSite } from "./bench-site";
import { generateLoad } from "./load-generator";
import type { Operation, Peer } from "./operations";
import type { Row } from "./report";

/** Warm-up requests for each measured one of a round: the engine optimises over some thousand. */
const warmUp = 2;

/** For each request. */
type Round = { cpuMs: number; ms: number };

/** CPU time of a process's living threads. Linux only: the kernel counts it there to the nanosecond. */
export function findCpuMs(pid: number): number {
  const read = (id: string) =>
    Number(readFileSync(`/proc/${pid}/task/${id}/schedstat`, "utf8").split(" ")[0]) / 1e6;
  return readdirSync(`/proc/${pid}/task`).reduce((total, id) => total + read(id), 0);
}

/** Measures every side in each round. The first side changes, so other load affects all equally. */
export async function takeTurns<Value>(
  runners: readonly (() => Promise<Value>)[],
  rounds: number,
): Promise<Value[][]> {
  const measured: Value[][] = [];
  for (let round = 0; round < rounds; round += 1) {
    const values: Value[] = [];
    for (let turn = 0; turn < runners.length; turn += 1) {
      const side = (round + turn) % runners.length;
      values[side] = await runners[side]!();
    }
    measured.push(values);
  }
  return measured;
}

/** One operation on the built server and on its peers. */
export async function measureOperation(site: BenchSite, operation: Operation, rounds: number): Promise<Row> {
  const { slug, name, peers, requests, atMostMs, holds } = operation;
  const sides = [{ server: operation.server, prepare: operation.prepare, holds }, ...peers];
  const measure = (side: Side, count: number) => measureRound(site, side, count);
  for (const side of sides) await measure({ holds, ...side }, requests * warmUp);
  const runners = sides.map((side) => () => measure({ holds, ...side }, requests));
  const measured = await takeTurns(runners, rounds);
  return {
    slug,
    name,
    unit: "ms of CPU",
    value: median(measured.map(([own]) => own!.cpuMs)),
    atMost: atMostMs,
    peers: peers.map(({ name: peer, atMost, by }, index) => {
      const figure = by === "cpu" ? "cpuMs" : "ms";
      const times = median(measured.map((round) => round[0]![figure] / round[index + 1]![figure]));
      return { name: peer, times, atMost, by };
    }),
  };
}

type Side = Pick<Peer, "server" | "prepare"> & { holds: string };

async function measureRound(
  site: BenchSite,
  { server, prepare, holds }: Side,
  count: number,
): Promise<Round> {
  const { target, pid } = site[server]!;
  const requests = await prepare(target, count);
  const before = findCpuMs(pid);
  const { ms, bodies } = await generateLoad({ port: target.port, requests, count, holds });
  return { cpuMs: (findCpuMs(pid) - before) / bodies.length, ms };
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  const middle = sorted.length / 2;
  return (sorted[Math.ceil(middle) - 1]! + sorted[Math.floor(middle)]!) / 2;
}
