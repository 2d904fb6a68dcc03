import net from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { limitsOff } from "~e2e/support/limits";
import { memoryReportOptions, readMemory } from "~e2e/support/measure/memory-report";
import { waitUntil } from "~e2e/support/processes";
import { openGate } from "./gate-fixture";
import type { Gate } from "./gate-fixture";

const maxBodiesOfClient = 64;
const mib = 1024 * 1024;
const bodyBytes = 255 * 1024;

let gate: Gate;
beforeAll(async () => {
  gate = await openGate({ env: limitsOff, nodeOptions: memoryReportOptions });
  await gate.ask({ path: "/api/mcp", method: "POST", json: message });
});
afterAll(() => gate.close());

const message = { jsonrpc: "2.0", id: 1, method: "ping" };

/** The body follows its head after a moment, because a body that arrives with its head takes no place. */
async function send(): Promise<number> {
  const body = JSON.stringify(message);
  const { socket, status } = begin(`Content-Length: ${body.length}`, []);
  await delay(50);
  socket.write(body);
  await waitUntil(() => status() !== 0);
  socket.destroy();
  return status();
}

/** A request with an unfinished body. It never sends its last byte. */
function begin(framing: string, pieces: readonly string[]) {
  const socket = net.connect({ host: "127.0.0.1", port: gate.server.port });
  let text = "";
  socket.on("data", (chunk) => (text += chunk.toString()));
  socket.on("error", () => socket.destroy());
  const host = `Host: localhost:${gate.server.port}`;
  socket.write(`POST /api/mcp HTTP/1.1\r\n${host}\r\nContent-Type: application/json\r\n${framing}\r\n\r\n`);
  for (const piece of pieces) socket.write(piece);
  onTestFinished(() => void socket.destroy());
  return { socket, status: () => Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1] ?? 0) };
}

test(
  "a thousand bodies of one client that never end take 64 places, and leave nothing behind",
  { timeout: 120_000 },
  async () => {
    const before = (await readMemory(gate.server)).heldBytes;
    const rest = JSON.stringify(message)
      .padStart(bodyBytes + 1)
      .slice(-100);
    const requests = Array.from({ length: 1_000 }, () =>
      begin(`Content-Length: ${bodyBytes + 1}`, [" ".repeat(bodyBytes + 1 - rest.length)]),
    );
    const refused = () => requests.filter(({ status }) => status() === 429);
    await waitUntil(() => refused().length === requests.length - maxBodiesOfClient, { timeoutMs: 20_000 });
    expect((await readMemory(gate.server)).heldBytes - before).toBeLessThan(64 * mib);
    expect(await send()).toBe(429);
    // One ends and one leaves, which frees two places.
    const [ending, leaving, ...held] = requests.filter(({ status }) => status() === 0);
    ending!.socket.write(rest);
    leaving!.socket.destroy();
    await waitUntil(() => ending!.status() === 200);
    await waitUntil(async () => (await send()) === 200);
    expect(held.map(({ status }) => status())).toEqual(held.map(() => 0));
    for (const { socket } of requests) socket.destroy();
    await waitUntil(async () => (await readMemory(gate.server)).heldBytes - before < 8 * mib, {
      timeoutMs: 20_000,
    });
  },
);

test("bodies whose pieces are mostly framing are refused soon", { timeout: 120_000 }, async () => {
  const pieces = Array.from({ length: 200 }, () => "1\r\n \r\n".repeat(1_000));
  const requests = Array.from({ length: 16 }, () => begin("Transfer-Encoding: chunked", pieces));
  await waitUntil(() => requests.every(({ status }) => status() === 413), { timeoutMs: 60_000 });
});
