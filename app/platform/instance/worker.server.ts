import cluster from "node:cluster";
import type { Server } from "node:http";
import type { Socket } from "node:net";
import type { Registry } from "prom-client";

/** The interval of a worker's heartbeats to the supervisor. */
const aliveIntervalMs = 1_000;

type Ready = { port: number; origin: string; mode: string; logLevel: string };

export type Worker = {
  /** Where others of this service serve already; null where nobody does. */
  openPort: number | null;
  tellReady: (ready: Ready) => void;
};

/**
 * The way to the supervisor (app/commands/supervise.mjs) of a process that serves a port together with others; null
 * for one that serves alone. When the supervisor is gone the process stops in order.
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

/** Before a port is opened: connections that wait for it at the supervisor, because no worker has it open, go on here. */
export function takeOverPort(server: Server, port: number): void {
  if (!cluster.worker) return;
  process.on("message", (message: { type: string; port: number }, socket?: Socket) => {
    // Without a socket: its client has left meanwhile.
    if (message.type !== "connection" || message.port !== port || !socket) return;
    server.emit("connection", socket);
    socket.resume();
  });
  tell({ type: "opening", port });
}

/** The metrics as text: of all workers where there are several, whichever of them is asked. */
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

/** A failed send is ignored: the supervisor is gone, and this process ends. */
function tell(message: object): void {
  process.send?.(message, undefined, undefined, () => {});
}
