import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { startServer } from "~/testing/running-server";
import { benchSettings } from "./bench-place";
import type { BenchOptions, BenchResult } from "./bench-options";
import { withClosers } from "./close-on-signals";
import type { Measurement } from "./figures";
import type { Load, LoadResult } from "./load-generator";
import { measureOperation } from "./measure";
import { repeating } from "./operation";
import type { Operation, Side, SideName, Target } from "./operation";
import { judgeAll, summarizeMeasurements, toRounds } from "./operation-costs";
import { toOperationTable } from "./operation-table";
import type { SdkSetup } from "./peers/sdk-tools-server";
import { verdictLines } from "./report";
import { startWorkerProcess } from "./worker-process";

const aimTimes = 5;
const question = "How do I get a key?";
/** What of the answer shows that the question was understood. */
const foundIn = "getting-and-using-a-key";

const envelope = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "bench", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": {},
};
const revisions = [
  { revision: "2026-07-28", isStateless: true },
  { revision: "2025-11-25", isStateless: false },
];

/** Lists of tools and searches by them, beside the official SDK's stateless server: the same bytes go to both. */
export const toolOperations: readonly Operation[] = revisions.flatMap(({ revision, isStateless }) => {
  const operation = ({
    method,
    params = {},
    holds,
    ...rest
  }: {
    method: string;
    params?: { name?: string; arguments?: object };
    holds: string;
  } & Pick<Operation, "slug" | "requests" | "warmUpRequests" | "aims">): Operation => {
    const name: Record<string, string> = params.name === undefined ? {} : { "Mcp-Name": params.name };
    const headers = {
      ...{ Accept: "application/json, text/event-stream", "MCP-Protocol-Version": revision },
      ...(isStateless ? { "Mcp-Method": method, ...name } : {}),
    };
    const all = { ...params, ...(isStateless ? { _meta: envelope } : {}) };
    const json = { jsonrpc: "2.0", id: 1, method, ...(Object.keys(all).length > 0 ? { params: all } : {}) };
    const request = repeating({ method: "POST", path: "/api/mcp", headers, json, expected: { holds } });
    return {
      name: `${method}, ${revision}`,
      ...rest,
      sides: { Latchkey: request, "MCP SDK": request },
    };
  };
  return [
    operation({
      ...{ method: "tools/list", slug: `tools-list-${revision}`, holds: '"tools":' },
      ...{ requests: 3000, warmUpRequests: 6000, aims: { minTimes: { side: "MCP SDK", times: aimTimes } } },
    }),
    operation({
      ...{ method: "tools/call", slug: `tools-call-${revision}`, holds: foundIn },
      params: { name: "libsql_search", arguments: { query: question, topK: 3 } },
      ...{ requests: 500, warmUpRequests: 1000, aims: {} },
    }),
  ];
});

/** The tools of the built server and of the official SDK's, in turn. */
export async function benchTools({ rounds, scale }: BenchOptions): Promise<BenchResult> {
  return await withClosers(async (closers) => {
    const sides = await openSides(closers);
    const generator = startWorkerProcess<Load, LoadResult>("load-generator.ts");
    closers.push(generator.stop);
    const getSide = (name: SideName) => sides[name]!;
    const place = { getSide, generateLoad: generator.ask };
    const measurements: Measurement[] = [];
    for (const operation of toolOperations) {
      console.error(`${operation.name} …`);
      measurements.push(await measureOperation({ place, operation, rounds, scale }));
    }
    return {
      rounds,
      text: toOperationTable(measurements),
      verdicts: verdictLines(judgeAll({ measurements, operations: toolOperations })),
      figures: summarizeMeasurements(measurements),
      measured: toRounds(measurements),
    };
  });
}

async function openSides(closers: (() => Promise<unknown>)[]): Promise<Partial<Record<SideName, Side>>> {
  // Neither lists nor searches ask a chain, so there is none.
  const noChain = { RPC_URL: "http://127.0.0.1:9", KEY_CONTRACT_ADDRESS: `0x${"12".repeat(20)}` };
  const server = await startServer({ env: { ...noChain, ...benchSettings } });
  closers.push(server.stop);
  const dataDir = await mkdtemp(path.join(os.tmpdir(), "latchkey-sdk-tools-"));
  closers.push(() => rm(dataDir, { recursive: true, force: true }));
  const sdk = startWorkerProcess<SdkSetup, { port: number }>("peers/sdk-tools-server.ts");
  closers.push(sdk.stop);
  const { port } = await sdk.ask({ tools: await readTools(server.origin), contentDir: "content", dataDir });
  const toTarget = (at: number): Target => ({
    ...{ port: at, chainId: 0, accessToken: "", holders: [], needsSignatures: false },
    takeUnusedKeys: () => [],
  });
  return {
    Latchkey: { target: toTarget(server.port), pid: server.pid },
    "MCP SDK": { target: toTarget(port), pid: sdk.pid },
  };
}

async function readTools(origin: string): Promise<SdkSetup["tools"]> {
  const response = await fetch(`${origin}/api/mcp`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ method: "tools/list" }),
  });
  if (response.status !== 200) throw new Error(`The tools were not listed: ${response.status}.`);
  return ((await response.json()) as { result: SdkSetup }).result.tools;
}
