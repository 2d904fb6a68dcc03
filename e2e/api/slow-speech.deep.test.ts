import { readdir } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { limitsOff } from "~e2e/support/limits";
import { soundingLong } from "~e2e/support/providers/speech-server";
import { openGate } from "./gate-fixture";
import type { Gate } from "./gate-fixture";
import { localSpeaker, openSpeech, speechLimitOff, startSpeaker, startSpeechGate } from "./tts-fixture";

let gate: Gate;
beforeAll(async () => {
  gate = await openGate({ env: { ...limitsOff, ...speechLimitOff } });
});
afterAll(() => gate.close());

test(
  "a client that takes nothing pauses the provider, and one that leaves ends its work",
  { timeout: 120_000 },
  async () => {
    const { baseUrl, calls } = await startSpeaker(soundingLong(2_000));
    const { server } = await startSpeechGate({ gate, env: localSpeaker({ baseUrl }) });
    const { outgoing, incoming } = await openSpeech({ port: server.port });
    incoming.pause();
    let latest = -1;
    await expect
      .poll(
        () => {
          const sent = calls[0]!.bytesSent();
          const isStill = sent === latest && sent > 0;
          latest = sent;
          return isStill;
        },
        { interval: 500, timeout: 20_000 },
      )
      .toBe(true);
    // Socket buffers on both ways, and a megabyte between them.
    expect(calls[0]!.bytesSent()).toBeLessThan(40 * 1024 * 1024);
    expect(calls[0]!.isClosed()).toBe(false);
    outgoing.destroy();
    await calls[0]!.closed;
    await expect.poll(() => readdir(path.join(server.dataDir, "speech"))).toEqual([]);
  },
);
