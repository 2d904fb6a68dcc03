import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { startServer } from "~/testing/running-server";
import { median } from "./figures";
import type { Load, LoadResult } from "./load-generator";
import { findProcessCpuMicros } from "./process-cpu";
import type { SdkSetup } from "./peers/sdk-tools-server";
import { replaceBetweenMarks } from "./replace-between-marks";
import { startWorkerProcess } from "./worker-process";

/** `cpuMicros`: of one answer, in all threads of the process; null where the system does not tell. */
export type ToolLoad = { perSecond: number; cpuMicros: number | null };
type Round = Record<"ours" | "sdk", ToolLoad>;
export type ToolCosts = {
  dialect: string;
  ours: ToolLoad;
  sdk: ToolLoad;
  times: number;
  timesByCpu: number | null;
};

const aimTimes = 5;
const connections = 8;
const maxRoundSeconds = 15;
const warmUpRequests = 6000;
const requestsPerRound = 3000;
const decisionFile = "docs/decisions/022-own-mcp-dispatcher.md";

const envelope = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "bench", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": {},
};
/** The same bytes go to both sides. */
const dialects: { dialect: string; headers: Record<string, string>; message: object }[] = [
  {
    dialect: "2026-07-28",
    headers: { "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/list" },
    message: { jsonrpc: "2.0", id: 1, method: "tools/list", params: { _meta: envelope } },
  },
  {
    dialect: "2025-11-25",
    headers: { "MCP-Protocol-Version": "2025-11-25" },
    message: { jsonrpc: "2.0", id: 1, method: "tools/list" },
  },
];

/** How many times as many lists of tools a second as the official SDK's stateless server, round by round in turn. */
export async function benchTools({
  resultsDir,
  rounds,
  scale,
  write,
}: {
  resultsDir: string;
  rounds: number;
  scale: number;
  write: boolean;
}): Promise<void> {
  const server = await startServer({
    // Listing tools asks no chain, so there is none.
    env: {
      RPC_URL: "http://127.0.0.1:9",
      KEY_CONTRACT_ADDRESS: `0x${"12".repeat(20)}`,
      CHAIN_POLL_SECONDS: "300",
      // The other side counts nobody.
      RATE_LIMIT_MCP: "0",
    },
  });
  const generator = startWorkerProcess<Load, LoadResult>("load-generator.ts");
  const sdk = startWorkerProcess<SdkSetup, { port: number }>("peers/sdk-tools-server.ts");
  try {
    const { port: sdkPort } = await sdk.ask({ tools: await readTools(server.origin) });
    const sides = { ours: { port: server.port, pid: server.pid }, sdk: { port: sdkPort, pid: sdk.pid } };
    const costs: ToolCosts[] = [];
    for (const { dialect, ...request } of dialects) {
      const run = (side: "ours" | "sdk", repeat: number) =>
        measureLoad({ ...sides[side], request, repeat: Math.round(repeat * scale), generate: generator.ask });
      for (const side of ["ours", "sdk"] as const) await run(side, warmUpRequests);
      const measured: Round[] = [];
      for (let index = 0; index < rounds; index++) {
        // Each goes first in half of the rounds.
        const isOursFirst = index % 2 === 0;
        const sdkFirst = isOursFirst ? null : await run("sdk", requestsPerRound);
        const ours = await run("ours", requestsPerRound);
        measured.push({ ours, sdk: sdkFirst ?? (await run("sdk", requestsPerRound)) });
      }
      costs.push(summarizeTools({ dialect, measured }));
    }
    const table = toToolTable(costs);
    console.log(table);
    writeFileSync(path.join(resultsDir, "tools.json"), `${JSON.stringify(costs, null, 2)}\n`);
    if (!write) return;
    const document = readFileSync(decisionFile, "utf8");
    writeFileSync(decisionFile, replaceBetweenMarks({ document, name: "tools", text: table }));
    console.log(`${decisionFile} holds the table now.`);
  } finally {
    await Promise.all([generator.stop(), sdk.stop(), server.stop()]);
  }
}

async function measureLoad({
  port,
  pid,
  request,
  repeat,
  generate,
}: {
  port: number;
  pid: number;
  request: Pick<(typeof dialects)[number], "headers" | "message">;
  repeat: number;
  generate: (load: Load) => Promise<LoadResult>;
}): Promise<ToolLoad> {
  const requests = [toHttp({ port, ...request })];
  const cpuBefore = findProcessCpuMicros(pid);
  const expected = { holds: '"tools":' };
  const load = { port, requests, repeat, connections, expected, maxSeconds: maxRoundSeconds };
  const { requests: answered, seconds } = await generate(load);
  const cpuAfter = findProcessCpuMicros(pid);
  const cpuMicros = cpuBefore === null || cpuAfter === null ? null : (cpuAfter - cpuBefore) / answered;
  return { perSecond: answered / seconds, cpuMicros };
}

/** The ratio is the median over the rounds, each round against its own partner. */
export function summarizeTools({
  dialect,
  measured,
}: {
  dialect: string;
  measured: readonly Round[];
}): ToolCosts {
  const medianOf = (side: "ours" | "sdk"): ToolLoad => ({
    perSecond: median(measured.map((round) => round[side].perSecond)),
    cpuMicros: medianOrNull(measured.map((round) => round[side].cpuMicros)),
  });
  return {
    dialect,
    ours: medianOf("ours"),
    sdk: medianOf("sdk"),
    times: median(measured.map(({ ours, sdk }) => ours.perSecond / sdk.perSecond)),
    timesByCpu: medianOrNull(
      measured.map(({ ours, sdk }) =>
        ours.cpuMicros === null || sdk.cpuMicros === null ? null : sdk.cpuMicros / ours.cpuMicros,
      ),
    ),
  };
}

function medianOrNull(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === values.length ? median(known) : null;
}

export function toToolTable(costs: readonly ToolCosts[]): string {
  const show = (value: number | null, digits: number) => (value === null ? "unknown" : value.toFixed(digits));
  const rows = costs.map(({ dialect, ours, sdk, times, timesByCpu }) => {
    const verdict = times >= aimTimes ? "met" : "missed";
    const speed = `${ours.perSecond.toFixed(0)} | ${sdk.perSecond.toFixed(0)} | ${times.toFixed(1)}x`;
    const cpu = `${show(ours.cpuMicros, 0)} | ${show(sdk.cpuMicros, 0)} | ${show(timesByCpu, 1)}x`;
    return `| ${dialect} | ${speed} | ${cpu} | ${verdict} |`;
  });
  return [
    `| tools/list of revision | Latchkey, a second | official SDK, a second | times | Latchkey, CPU µs | official SDK, CPU µs | times by CPU | aim of ${aimTimes}x a second |`,
    "|---|---:|---:|---:|---:|---:|---:|---|",
    ...rows,
  ].join("\n");
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

function toHttp({
  port,
  headers,
  message,
}: {
  port: number;
  headers: Record<string, string>;
  message: object;
}): string {
  const body = JSON.stringify(message);
  const all = {
    Host: `localhost:${port}`,
    Accept: "application/json, text/event-stream",
    "Content-Type": "application/json",
    "Content-Length": String(Buffer.byteLength(body)),
    ...headers,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  return ["POST /api/mcp HTTP/1.1", ...lines, "", body].join("\r\n");
}
