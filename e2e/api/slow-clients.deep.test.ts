import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { limitsOff } from "~e2e/support/limits";
import { memoryReportOptions, readMemory } from "~e2e/support/measure/memory-report";
import { waitUntil } from "~e2e/support/processes";
import { chat, localProvider, openChat, readUntil, startChatServer, startProvider } from "./chat-fixture";
import { openGate } from "./gate-fixture";
import type { Gate } from "./gate-fixture";
import { sendRaw } from "./raw-http";

let gate: Gate;
beforeAll(async () => {
  gate = await openGate({ env: limitsOff });
});
afterAll(() => gate.close());

test("a head without an end is cut off at the time limit for headers", async () => {
  const answer = await sendRaw({
    port: gate.server.port,
    bytes: "GET /api/nonce HTTP/1.1\r\nHost: localhost\r\n",
    write: (socket) => {
      const drip = setInterval(
        () => (socket.destroyed ? clearInterval(drip) : socket.write("X-A: b\r\n")),
        500,
      );
    },
    limitMs: 25_000,
  });
  expect(answer.status).toBe(408);
  expect(answer.closedAfterMs).toBeLessThan(20_000);
});

test(
  "a reader that stops reading pauses the provider, and the server holds less than 1 MiB for it",
  { timeout: 60_000 },
  async () => {
    // Each character takes six bytes on the wire, so one reply exceeds the sockets' buffers by far.
    const piece = "\u0001".repeat(8 * 1024);
    const wholeBytes = 6 * 4_000_000;
    let sentBytes = 0;
    const provider = await startProvider(async (call) => {
      while (!call.isClosed()) {
        await call.text(piece);
        sentBytes += 6 * piece.length;
      }
    });
    const { server } = await startChatServer({
      gate,
      env: { ...localProvider(provider), AI_CHAT_MAX_OUTPUT_TOKENS: "1000000", AI_CHAT_MAX_DURATION: "60" },
      nodeOptions: memoryReportOptions,
    });
    await chat({ port: server.port });
    const before = { sentBytes };
    const readers = 16;
    const streams = await Promise.all(Array.from({ length: readers }, () => openChat({ port: server.port })));
    onTestFinished(() => streams.forEach(({ outgoing }) => outgoing.destroy()));
    for (const { incoming } of streams) await readUntil(incoming, "text-delta");
    let seen = -1;
    // The socket buffers fill first. After that nothing may move.
    await waitUntil(() => sentBytes === seen || ((seen = sentBytes), false), {
      everyMs: 1_000,
      timeoutMs: 30_000,
    });
    expect(sentBytes - before.sentBytes).toBeLessThan((readers * wholeBytes) / 2);
    const whileHeldBytes = (await readMemory(server)).heldBytes;
    streams[0]!.incoming.resume();
    await waitUntil(() => sentBytes > seen + 4 * 1024 * 1024);
    // Compared with the memory after they leave, so the server's other memory cancels out.
    for (const { outgoing } of streams) outgoing.destroy();
    await waitUntil(() => provider.calls.every((call) => call.isClosed()));
    // The text so far is also kept for a next step with tools. AI_CHAT_MAX_OUTPUT_TOKENS bounds it.
    const saidBytes = (seen - before.sentBytes) / 6;
    const heldBytes = whileHeldBytes - (await readMemory(server)).heldBytes - saidBytes;
    expect(heldBytes / readers).toBeLessThan(1024 * 1024);
  },
);
