import http from "node:http";
import { listChildren, waitUntil } from "~e2e/support/processes";
import type { RunningServer } from "~e2e/support/running-server";
import { openGate } from "../api/gate-fixture";

/** The first worker starts alone, then the others. */
export const startLimitMs = 60_000;
const metricsToken = "metrics-token-of-the-tests-0123";

/** A gate with `count` workers on its port. */
export async function openWorkers(count: number, env: Record<string, string> = {}) {
  const settings = { WORKERS: String(count), METRICS_TOKEN: metricsToken, ...env };
  const gate = await openGate({ env: settings, startLimitMs });
  const { server } = gate;
  await waitUntil(() => findWorkers(server).length === count);
  async function readMetrics(): Promise<string> {
    const { body } = await askAlone({
      port: server.port,
      path: "/metrics",
      headers: { Authorization: `Bearer ${metricsToken}` },
    });
    return body;
  }
  return {
    ...gate,
    readMetrics,
    /** Sums this metric over all labels that begin so. */
    sample: async (beginning: string) => sumSamples(await readMetrics(), beginning),
  };
}

export function sumSamples(text: string, beginning: string): number {
  return text
    .split("\n")
    .filter((line) => line.startsWith(beginning))
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(" ") + 1)), 0);
}

/** The processes a supervisor has started. */
export function findWorkers({ pid }: Pick<RunningServer, "pid">): number[] {
  return listChildren(pid);
}

export function readLogLines(server: RunningServer): Record<string, unknown>[] {
  const lines = server.output().split("\n");
  return lines
    .filter((line) => /^\{.*\}$/.test(line))
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

/** Processes that have answered requests so far. */
export function findAnswering(server: RunningServer): Set<number> {
  const lines = readLogLines(server).filter(({ msg }) => msg === "request");
  return new Set(lines.map(({ pid }) => Number(pid)));
}

type AskAlone = { port: number; path: string; headers?: Record<string, string> };

/** Uses a new connection, so any worker may answer. Rejects if the connection breaks. */
export function askAlone({ port, path, headers = {} }: AskAlone): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const options = { host: "127.0.0.1", port, path, headers, agent: false, timeout: 20_000 };
    const request = http.get(options, (response) => {
      let body = "";
      response.setEncoding("utf8").on("data", (chunk: string) => (body += chunk));
      response.on("end", () => resolve({ status: response.statusCode!, body }));
      response.on("error", reject);
    });
    request.on("error", reject);
    request.on("timeout", () => request.destroy(new Error("There was no answer.")));
  });
}

type Asked = { startedAtMs: number; endedAtMs: number; status: number | null };

/** Asks on several connections at once, each request on a new one, until `end` is called. */
export function startLoad(port: number, { connections = 8, path = "/api/nonce" } = {}) {
  const asked: Asked[] = [];
  let isOver = false;
  async function ask(): Promise<void> {
    while (!isOver) {
      const startedAtMs = performance.now();
      const answer = await askAlone({ port, path }).catch(() => null);
      asked.push({ startedAtMs, endedAtMs: performance.now(), status: answer?.status ?? null });
    }
  }
  const running = Promise.all(Array.from({ length: connections }, ask));
  return {
    asked,
    end: async () => {
      isOver = true;
      await running;
      return asked;
    },
  };
}
