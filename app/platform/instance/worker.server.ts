import cluster from "node:cluster";
import type { Server } from "node:http";
import type { Socket } from "node:net";
import type { Registry } from "prom-client";

const aliveIntervalMs = 1_000;

type Ready = { port: number; origin: string; mode: string; logLevel: string };

type Worker = {
  /** The port that other workers already serve. */
  openPort: number | null;
  tellReady: (ready: Ready) => void;
};

/**
 * The connection to the supervisor (app/commands/supervise.mjs); null for a process alone. If the supervisor dies, the
 * process drains and stops.
 */
export function joinSupervisor(): Worker | null {
  if (!cluster.worker) return null;
  // Otherwise Node would exit immediately.
  cluster.worker.exitedAfterDisconnect = true;
  process.once("disconnect", () => process.kill(process.pid, "SIGTERM"));
  const [, , , port] = process.argv;
  return {
    openPort: port === undefined ? null : Number(port),
    tellReady(ready) {
      tell({ type: "ready", ...ready });
      setInterval(tell, aliveIntervalMs, { type: "alive" }).unref();
    },
  };
}

/**
 * Call it before opening a port: takes over connections that wait at the supervisor because no worker has the port
 * open.
 */
export function takeOverPort(server: Server, port: number): void {
  if (!cluster.worker) return;
  process.on("message", (message: { type: string; port: number }, socket?: Socket) => {
    // Without a socket, its client has left.
    if (message.type !== "connection" || message.port !== port || !socket) return;
    server.emit("connection", socket);
    socket.resume();
  });
  tell({ type: "opening", port });
}

/** Metrics of all workers as text, whichever of them is scraped. */
export function shareMetrics(registry: Registry): () => Promise<string> {
  if (!cluster.worker) return () => registry.metrics();
  const waiting: ((body: string) => void)[] = [];
  process.on("message", (message: { type: string; body: string }) => {
    if (message.type === "scraped") waiting.shift()?.(message.body);
    if (message.type === "collect")
      void registry.getMetricsAsJSON().then((metrics) => tell({ type: "metrics", metrics }));
  });
  return () =>
    new Promise((resolve) => {
      waiting.push(resolve);
      tell({ type: "scrape" });
    });
}

/** Ignores a failed send: the supervisor is gone, and this process ends. */
function tell(message: object): void {
  process.send?.(message, undefined, undefined, () => {});
}
