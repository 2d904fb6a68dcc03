import { cp, mkdtemp, readFile, readdir, readlink, rm, truncate } from "node:fs/promises";
import { request } from "node:http";
import type { IncomingMessage } from "node:http";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { demoContent } from "~e2e/support/demo-content";
import { waitUntil } from "~e2e/support/processes";
import { limitsOff } from "~e2e/support/limits";
import { openGate } from "./gate-fixture";
import type { Gate } from "./gate-fixture";

const fileBytes = 512 * 1024 * 1024;
const file = "lamp-room.wav";

let gate: Gate;
let contentDir: string;
beforeAll(async () => {
  contentDir = await mkdtemp(path.join(os.tmpdir(), "latchkey-content-"));
  await cp(demoContent, contentDir, { recursive: true });
  // A sparse file takes no room on the disk.
  await truncate(path.join(contentDir, file), fileBytes);
  gate = await openGate({ env: { ...limitsOff, CONTENT_DIR: contentDir } });
});
afterAll(async () => {
  await gate.close();
  await rm(contentDir, { recursive: true, force: true });
});

/** Every byte the server has read, by the operating system's count. */
async function readBytes(): Promise<number> {
  const io = await readFile(`/proc/${gate.server.pid}/io`, "utf8");
  return Number(/^rchar: (\d+)$/m.exec(io)?.[1]);
}

/** The server's open handles of the file. */
async function countHandles(): Promise<number> {
  const folder = `/proc/${gate.server.pid}/fd`;
  const handles = await readdir(folder);
  const targets = await Promise.all(handles.map((name) => readlink(path.join(folder, name)).catch(() => "")));
  return targets.filter((target) => target.endsWith(file)).length;
}

test.runIf(process.platform === "linux")(
  "a listener that takes nothing of a large file pauses its reading, and leaving closes it",
  { timeout: 90_000 },
  async () => {
    const { content } = (await gate.signIn(await gate.mintKey())).body as {
      content: { audioData: { audioSrc: string } };
    };
    const before = await readBytes();
    const outgoing = request({
      host: "127.0.0.1",
      port: gate.server.port,
      path: content.audioData.audioSrc,
      agent: false,
    });
    outgoing.on("error", () => undefined);
    const incoming = await new Promise<IncomingMessage>((resolve) =>
      outgoing.once("response", resolve).end(),
    );
    incoming.on("error", () => undefined);
    expect(incoming.headers["content-length"]).toBe(String(fileBytes));
    expect(await countHandles()).toBe(1);

    let seen = -1;
    let steadyTurns = 0;
    // The socket buffers fill first. After that almost nothing may be read.
    await waitUntil(
      async () => {
        const now = await readBytes();
        steadyTurns = now - seen < 256 * 1024 ? steadyTurns + 1 : 0;
        seen = now;
        return steadyTurns === 3;
      },
      { everyMs: 500, timeoutMs: 45_000 },
    );
    expect(seen - before).toBeLessThan(fileBytes / 8);
    expect(await countHandles()).toBe(1);

    outgoing.destroy();
    await waitUntil(async () => (await countHandles()) === 0);
  },
);
