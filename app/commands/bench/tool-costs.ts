import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { startServer } from "~/testing/running-server";
import { median } from "./figures";
import type { Load, LoadResult } from "./load-generator";
import type { SdkSetup } from "./sdk-tools-server";
import { replaceBetweenMarks } from "./replace-between-marks";
import { startWorkerProcess } from "./worker-process";

export type ToolCosts = { dialect: string; oursPerSecond: number; sdkPerSecond: number; times: number };

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
  const sdk = startWorkerProcess<SdkSetup, { port: number }>("sdk-tools-server.ts");
  try {
    const { port: sdkPort } = await sdk.ask({ tools: await readTools(server.origin) });
    const sides = { ours: server.port, sdk: sdkPort };
    const costs: ToolCosts[] = [];
    for (const { dialect, ...request } of dialects) {
      const run = async ({ port, repeat }: { port: number; repeat: number }) => {
        const requests = [toHttp({ port, ...request })];
        const load = { port, requests, connections, maxSeconds: maxRoundSeconds };
        const { requests: answered, seconds } = await generator.ask({
          ...load,
          repeat: Math.round(repeat * scale),
        });
        return answered / seconds;
      };
      for (const port of Object.values(sides)) await run({ port, repeat: warmUpRequests });
      const measured: { ours: number; sdk: number }[] = [];
      for (let index = 0; index < rounds; index++) {
        const order = index % 2 === 0 ? (["ours", "sdk"] as const) : (["sdk", "ours"] as const);
        const round = { ours: 0, sdk: 0 };
        for (const side of order) round[side] = await run({ port: sides[side], repeat: requestsPerRound });
        measured.push(round);
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

/** The ratio is the median over the rounds, each round against its own partner. */
export function summarizeTools({
  dialect,
  measured,
}: {
  dialect: string;
  measured: readonly { ours: number; sdk: number }[];
}): ToolCosts {
  return {
    dialect,
    oursPerSecond: median(measured.map(({ ours }) => ours)),
    sdkPerSecond: median(measured.map(({ sdk }) => sdk)),
    times: median(measured.map(({ ours, sdk }) => ours / sdk)),
  };
}

export function toToolTable(costs: readonly ToolCosts[]): string {
  const rows = costs.map(({ dialect, oursPerSecond, sdkPerSecond, times }) => {
    const verdict = times >= aimTimes ? "met" : "missed";
    return `| ${dialect} | ${oursPerSecond.toFixed(0)} | ${sdkPerSecond.toFixed(0)} | ${times.toFixed(1)}x | ${verdict} |`;
  });
  return [
    `| tools/list of revision | Latchkey, a second | official SDK, a second | times | aim of ${aimTimes}x |`,
    "|---|---|---|---|---|",
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
