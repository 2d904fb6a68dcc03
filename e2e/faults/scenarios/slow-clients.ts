import { cp, mkdtemp, rm, truncate } from "node:fs/promises";
import { once } from "node:events";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { demoContent } from "~e2e/support/demo-content";
import { memoryReportOptions, readMemory } from "~e2e/support/measure/memory-report";
import { startOpenAiServer, talkingForever } from "~e2e/support/providers/openai-server";
import { waitUntil } from "~e2e/support/processes";
import { hello, localProvider } from "~e2e/api/chat-fixture";
import { openGate } from "~e2e/api/gate-fixture";
import type { Gate } from "~e2e/api/gate-fixture";
import { limitsOff } from "~e2e/support/limits";
import { otherRoutes, startBystanders } from "../bystanders";
import { isHoldingTold, pollHeldConnections } from "../held-connections";
import type { HeldConnections } from "../held-connections";
import { scaled } from "../scenario";
import type { Figure, Scenario, ScenarioRun } from "../scenario";
import { countDescriptors, measuredOnly, megabyte, readResidentBytes } from "../server-measures";
import { createTally } from "../tally";
import { withCleanup } from "../cleanup";
import type { Later } from "../cleanup";

const audioFile = "lamp-room.wav";
const audioBytes = 256 * megabyte;
/** What the server allows for a head and for a whole request, and how often it looks, in seconds. */
const [headSeconds, requestSeconds, lookSeconds] = [10, 30, 2];
/** Instead of two minutes: how long a connection may stand still. */
const idleSeconds = 8;
const chatSeconds = 10;
/** How late a server on a busy machine may be: with the answer to others, and with what its limits say. */
const graceSeconds = 8;
/** How long beyond that is waited for the end, to tell when it came, and then for the client to see it. */
const patienceSeconds = 15;
const dripMs = 1_000;

/** Node options for a server that closes connections which stand still sooner than it would. */
function shortenIdle(): string[] {
  const program = `import http from "node:http";
  const setIdle = http.Server.prototype.setTimeout;
  http.Server.prototype.setTimeout = function (ms, ...rest) {
    return setIdle.call(this, ms === 120000 ? ${idleSeconds * 1000} : ms, ...rest);
  };`;
  return ["--import", `data:text/javascript,${encodeURIComponent(program)}`];
}

type SlowKind = {
  name: string;
  /** One of them. */
  one: string;
  count: number;
  /** Sent at once. */
  begin: (gate: Gate) => string;
  /** A byte of what is sent ever after; null for a client that sends no more, and takes nothing. */
  drip: string | null;
  /** The longest the server may let it go on; a standstill is seen at the second look. */
  withinSeconds: number;
};

function makeKinds(audioPath: string): SlowKind[] {
  const host = (gate: Gate) => `Host: localhost:${gate.server.port}\r\n`;
  const post = (at: string) => `POST ${at} HTTP/1.1\r\n`;
  const question = JSON.stringify(hello);
  const json = (length: number) => `Content-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`;
  return [
    {
      name: "heads",
      one: "head",
      count: 950,
      begin: (gate) => `${post("/api/gate-access")}${host(gate)}X-Slow: `,
      drip: "x",
      withinSeconds: headSeconds + lookSeconds,
    },
    {
      name: "bodies",
      one: "body",
      count: 900,
      begin: (gate) => `${post("/api/gate-access")}${host(gate)}${json(30_000)}{"address":"`,
      drip: "x",
      withinSeconds: requestSeconds + lookSeconds,
    },
    {
      name: "readers of audio",
      one: "reader of audio",
      count: 100,
      begin: (gate) => `GET ${audioPath} HTTP/1.1\r\n${host(gate)}\r\n`,
      drip: null,
      withinSeconds: 2 * idleSeconds,
    },
    {
      name: "readers of conversations",
      one: "reader of a conversation",
      count: 50,
      begin: (gate) => `${post("/api/chat")}${host(gate)}${json(question.length)}${question}`,
      drip: null,
      withinSeconds: 2 * idleSeconds + chatSeconds,
    },
  ];
}

type SlowEnd = {
  isCut: boolean;
  /** How long the server went on with it; null where the system does not tell, and the client cannot see it. */
  enduredMs: number | null;
};

/** One client that is slow on purpose, until the server has had enough of it. */
async function beSlow(gate: Gate, kind: SlowKind, held: HeldConnections | null): Promise<SlowEnd> {
  const socket = net.connect({ host: "127.0.0.1", port: gate.server.port });
  socket.on("error", () => socket.destroy());
  socket.once("connect", () => socket.write(kind.begin(gate)));
  const closed = new Promise<boolean>((resolve) => socket.once("close", () => resolve(true)));
  const { drip } = kind;
  const timer = drip === null ? undefined : setInterval(() => socket.writable && socket.write(drip), dripMs);
  // Time counts from the first bytes of the answer where there is one: that is when the server has turned to it.
  const begun = once(socket, drip === null ? "data" : "connect").catch(() => undefined);
  await Promise.race([begun, closed]);
  const begunAtMs = performance.now();
  if (drip === null) socket.pause();
  else socket.resume();
  const client = socket.localPort;
  // Who reads nothing sees the end only behind what came before it: the system is asked when it was.
  const letGo = drip === null && held && client !== undefined ? held.untilCut(client) : closed;
  const patienceMs = (kind.withinSeconds + graceSeconds + patienceSeconds) * 1_000;
  await Promise.race([letGo, closed, delay(patienceMs, undefined, { ref: false })]);
  const enduredMs = drip === null && held === null ? null : performance.now() - begunAtMs;
  clearInterval(timer);
  socket.resume();
  const isClosed = await Promise.race([closed, delay(patienceSeconds * 1_000, false, { ref: false })]);
  socket.destroy();
  // A file that came whole was not cut off.
  return { isCut: isClosed && socket.bytesRead < audioBytes, enduredMs };
}

async function play({
  gate,
  kinds,
  scale,
  say,
  later,
}: { gate: Gate; kinds: SlowKind[]; later: Later } & Pick<ScenarioRun, "scale" | "say">) {
  const { pid } = gate.server;
  // Has all code loaded and compiled, and lets the heap find its size.
  for (let round = 0; round < 300; round += 1)
    await gate.ask({ path: otherRoutes[round % otherRoutes.length]! });
  const rest = { memory: await readMemory(gate.server), descriptors: countDescriptors(pid) };
  let mostBytes = 0;
  let mostDescriptors = 0;
  const bystanders = startBystanders({
    gate,
    later,
    look: () => {
      mostBytes = Math.max(mostBytes, readResidentBytes(pid) ?? 0);
      mostDescriptors = Math.max(mostDescriptors, countDescriptors(pid) ?? 0);
    },
  });
  const others = bystanders.tally;
  const cut = createTally();
  const held = isHoldingTold ? pollHeldConnections(gate.server) : null;
  later(() => held?.stop());
  const longestMs = new Map<SlowKind, number>();
  await Promise.all(
    kinds.flatMap((kind) =>
      Array.from({ length: scaled({ count: kind.count, scale, least: 5 }) }, async (_, index) => {
        // Not all in one moment: the queue of connections that wait to be taken is short, and while the server and the
        // system's own buffers are being filled for those who read nothing, it takes few new ones.
        await delay(kind.drip === null ? 4_000 + index * 40 : index * 3);
        const { isCut, enduredMs } = await beSlow(gate, kind, held);
        cut.count(`${kind.name} ${isCut ? "cut off" : "endured"}`);
        if (enduredMs !== null) longestMs.set(kind, Math.max(longestMs.get(kind) ?? 0, enduredMs));
      }),
    ),
  );
  await bystanders.stop();
  say(`${cut.say()}; others ${others.say()}, the slowest after ${Math.round(others.slowestMs())} ms`);
  const isBack = () => (countDescriptors(pid) ?? 0) <= (rest.descriptors ?? 0) + 16;
  await waitUntil(isBack, { timeoutMs: 20_000 }).catch(() => undefined);
  const memory = await readMemory(gate.server);
  return {
    rest,
    others,
    cut,
    longestMs,
    memory,
    mostBytes,
    mostDescriptors,
    descriptors: countDescriptors(pid),
  };
}

async function measure({ scale, say, later }: ScenarioRun & { later: Later }): Promise<Figure[]> {
  const contentDir = await mkdtemp(path.join(os.tmpdir(), "latchkey-slow-"));
  later(() => rm(contentDir, { recursive: true, force: true }));
  await cp(demoContent, contentDir, { recursive: true });
  // Without its blocks: it takes no room on the disk.
  await truncate(path.join(contentDir, audioFile), audioBytes);
  const provider = await startOpenAiServer(talkingForever("x".repeat(4_000)));
  later(() => provider.close());
  const gate = await openGate({
    env: {
      ...limitsOff,
      ...localProvider(provider),
      CONTENT_DIR: contentDir,
      AI_CHAT_MAX_DURATION: String(chatSeconds),
      AI_CHAT_MAX_OUTPUT_TOKENS: "1000000",
    },
    nodeOptions: [...memoryReportOptions, ...shortenIdle()],
  });
  later(() => gate.close());
  const { body } = await gate.signIn(await gate.mintKey());
  const { audioData } = body.content as { audioData: { audioSrc: string } };
  const kinds = makeKinds(audioData.audioSrc);
  const { rest, others, cut, longestMs, memory, ...most } = await play({ gate, kinds, scale, say, later });
  const isMeasured = rest.descriptors !== null;
  const connections = cut.total();
  const none = (what: string, measured: number): Figure => ({ what, measured, bound: { equals: 0 } });
  return measuredOnly([
    { what: "slow connections", measured: connections, bound: { atLeast: 20 } },
    {
      what: "open files and sockets at the height, of as many slow connections",
      measured: isMeasured ? Math.min(1, most.mostDescriptors / connections) * 100 : null,
      unit: "%",
      bound: { atLeast: 80 },
    },
    ...kinds.flatMap((kind) => [
      {
        what: `longest a slow ${kind.one} was endured`,
        unit: "s",
        measured: longestMs.has(kind) ? longestMs.get(kind)! / 1_000 : null,
        bound: { atMost: kind.withinSeconds + graceSeconds },
      },
      none(`slow ${kind.name} not cut off`, cut.of(`${kind.name} endured`)),
    ]),
    none("other requests that failed meanwhile", others.of("failed")),
    {
      what: "slowest other request meanwhile",
      measured: others.slowestMs() / 1_000,
      unit: "s",
      bound: { atMost: graceSeconds },
    },
    {
      what: "memory of the process at the height, more than at rest",
      measured: isMeasured ? (most.mostBytes - rest.memory.rss) / megabyte : null,
      unit: "MB",
      bound: { atMost: 500 },
    },
    {
      what: "files and sockets afterwards, more than at rest",
      measured: isMeasured ? most.descriptors! - rest.descriptors! : null,
      bound: { atMost: 16 },
    },
    {
      what: "memory held afterwards, more than at rest",
      measured: (memory.heldBytes - rest.memory.heldBytes) / megabyte,
      unit: "MB",
      bound: { atMost: 20 },
    },
  ]);
}

export const slowClients: Scenario = {
  slug: "slow-clients",
  promise:
    "Two thousand clients that send or read very slowly are cut off in time and release what they held, while others are served.",
  inTests: false,
  run: (run) => withCleanup((later) => measure({ ...run, later })),
};
