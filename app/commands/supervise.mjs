// Several servers on one port (WORKERS): starts them, replaces those that die or hang, stops them, and adds up their
// metrics. The other end of each message is app/platform/instance/worker.server.ts.
import cluster from "node:cluster";
import { createServer } from "node:net";
import { fileURLToPath } from "node:url";
import { performance } from "node:perf_hooks";
import { pino, stdTimeFunctions } from "pino";
import { AggregatorRegistry } from "prom-client";
import { openOutput } from "../platform/log/open-output.mjs";
import { isTextFormat, toTextLine } from "../platform/log/text-line.mjs";

/**
 * Workers send a heartbeat every second. We count seconds instead of measuring time, because a machine may sleep. On a
 * busy one, a worker with hundreds of new requests may send none for several seconds.
 */
const maxSilentSeconds = 15;
/** Each worker is started at most once in this time, so that a crash loop doesn't load the machine. */
const restartMs = 1_000;
/** Longer than a worker takes. */
const stopLimitMs = 9_750;
/** At a port that no worker has open. */
const [maxHeldConnections, maxHeldMs] = [1_000, 5_000];
const heldTooLong = "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 2\r\nConnection: close\r\n\r\n";
const exec = fileURLToPath(new URL("start.mjs", import.meta.url));
/** After it, a worker counts with its previous metrics. */
const collectLimitMs = 2_000;

/** Never waits: a line that a full pipe doesn't take goes out with the next one. */
const output = pino.destination({
  dest: openOutput(1),
  sync: true,
  maxLength: 65_536,
  retryEAGAIN: () => false,
});
output.on("error", () => {});
const isText = isTextFormat(process.env.LOG_FORMAT);
const log = pino(
  { timestamp: stdTimeFunctions.isoTime, formatters: { level: (level) => ({ level }) } },
  { write: (line) => output.write(isText ? `${toTextLine(line)}\n` : line) },
);
/** The living workers, each with its state. */
const members = new Map();
/** Connections at ports that no worker has open. */
const held = new Map();
/** Counts of ended workers: sums must not fall when one dies. */
let endedCounts = [];
let count = 0;
let servedPort = null;
let readyCount = 0;
let isStopping = false;
let exitCode = 0;

/** The first worker starts alone: it migrates the database, and reports faults in the settings once. */
export function supervise(workers) {
  count = workers;
  // The kernel gives each connection to a worker. Through this process, a connection on its way to a dying worker would
  // hang.
  cluster.schedulingPolicy = cluster.SCHED_NONE;
  cluster.on("listening", ({ id }, { address, port }) => {
    if (!held.has(port)) held.set(port, createHold(address));
    members.get(id)?.ports.add(port);
  });
  startWorker();
  setInterval(checkWorkers, 1_000);
  for (const signal of ["SIGTERM", "SIGINT"]) process.on(signal, () => stop(signal));
}

function startWorker() {
  if (isStopping) return;
  // The first one opens the port at once, and lets requests wait; the others when they are ready.
  const args = ["worker", ...(servedPort === null ? [] : [String(servedPort)])];
  cluster.setupPrimary({ exec, args, serialization: "advanced" });
  const worker = cluster.fork();
  const startedAtMs = performance.now();
  const member = { worker, port: null, ports: new Set(), startedAtMs, silentSeconds: 0, metrics: [] };
  members.set(worker.id, member);
  worker.once("disconnect", holdPorts);
  worker.on("message", (message) => receive(member, message));
  worker.once("exit", (code, signal) => onEnd(member, { code, signal }));
  // A process that could not start has no exit.
  worker.on("error", (error) => {
    if (worker.process.pid === undefined) onEnd(member, { code: 1, reason: error.message });
  });
}

function receive(member, message) {
  member.silentSeconds = 0;
  if (message.type === "ready") onReady(member, message);
  // The worker opens the port itself with its next message.
  if (message.type === "opening") held.get(message.port)?.server.close();
  if (message.type === "metrics") member.onMetrics?.(message.metrics);
  if (message.type === "scrape") {
    renderAll().then((body) => member.worker.send({ type: "scraped", body }, () => {}));
  }
}

function createHold(host) {
  const waiting = new Map();
  const server = createServer({ pauseOnConnect: true }, (socket) => {
    const giveUp = () => waiting.delete(socket) && socket.resume().end(heldTooLong);
    waiting.set(socket, setTimeout(giveUp, maxHeldMs));
    socket.on("error", () => {});
  });
  server.maxConnections = maxHeldConnections;
  // Another program may have been quicker.
  server.on("error", () => {});
  return { host, server, waiting };
}

/**
 * With its last worker a port is closed. Until the next one opens it, connections wait here instead of being refused.
 */
function holdPorts() {
  const living = [...members.values()].filter(({ worker }) => worker.isConnected());
  for (const [port, { host, server }] of held) {
    const isOpen = server.listening || living.some(({ ports }) => ports.has(port));
    if (!isOpen && !isStopping) server.listen({ port, host });
  }
}

/** When the worker has opened all its ports, it gets the waiting connections. */
function handOver({ worker, ports }) {
  for (const port of ports) {
    const { waiting } = held.get(port);
    for (const [socket, timer] of waiting) {
      clearTimeout(timer);
      worker.send({ type: "connection", port }, socket, () => {});
    }
    waiting.clear();
  }
}

function onReady(member, { port, logLevel, ...fields }) {
  member.port = port;
  servedPort = port;
  handOver(member);
  readyCount += 1;
  log.level = logLevel;
  if (readyCount === 1) for (let started = 1; started < count; started += 1) startWorker();
  if (readyCount === count) log.info({ port, ...fields, workers: count }, "server ready");
  if (readyCount > count) log.info({ worker: member.worker.process.pid }, "worker replaced");
}

function onEnd(member, { code, signal, reason }) {
  members.delete(member.worker.id);
  keepCounts(member);
  if (isStopping || readyCount === 0) {
    // A worker that is still loading ends by the signal itself.
    exitCode ||= code ?? (signal === "SIGTERM" ? 0 : 1);
    if (members.size === 0) end(isStopping ? exitCode : exitCode || 1);
    return;
  }
  const { pid } = member.worker.process;
  log.error({ worker: pid, code, signal, reason }, "worker ended; another one is started");
  setTimeout(startWorker, Math.max(0, member.startedAtMs + restartMs - performance.now()));
}

/** A migration may take any time, so the check begins after the start. */
function checkWorkers() {
  for (const member of members.values()) {
    if (member.port === null || (member.silentSeconds += 1) <= maxSilentSeconds) continue;
    log.error({ worker: member.worker.process.pid, maxSilentSeconds }, "worker hangs and is killed");
    member.worker.process.kill("SIGKILL");
  }
}

function stop(signal) {
  if (isStopping) return;
  isStopping = true;
  log.info({ signal }, "shutdown started");
  for (const { worker } of members.values()) worker.process.kill("SIGTERM");
  setTimeout(() => {
    for (const { worker } of members.values()) worker.process.kill("SIGKILL");
  }, stopLimitMs);
  if (members.size === 0) end(0);
}

function end(code) {
  if (isStopping) log.info("shutdown complete");
  process.exit(code);
}

async function renderAll() {
  const listReady = () => [...members.values()].filter(({ port }) => port !== null);
  await Promise.all(listReady().map(collect));
  // A worker that has ended meanwhile is among the ended counts.
  return AggregatorRegistry.aggregate([endedCounts, ...listReady().map(({ metrics }) => metrics)]).metrics();
}

/** Concurrent scrapes share one result. */
function collect(member) {
  member.collecting ??= new Promise((resolve) => {
    const timer = setTimeout(resolve, collectLimitMs);
    member.onMetrics = (metrics) => {
      member.metrics = metrics;
      clearTimeout(timer);
      resolve();
    };
    member.worker.send({ type: "collect" }, () => {});
  }).finally(() => (member.collecting = null));
  return member.collecting;
}

function keepCounts({ metrics, onMetrics }) {
  onMetrics?.(metrics);
  endedCounts = AggregatorRegistry.aggregate([endedCounts, metrics])
    .getMetricsAsArray()
    .filter(({ type }) => type === "counter" || type === "histogram");
}
