import { existsSync } from "node:fs";
import { readFile, rename, writeFile } from "node:fs/promises";
import path from "node:path";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { limitsOff } from "~e2e/support/limits";
import { startKeysServer } from "./keys-fixture";
import type { KeysServer } from "./keys-fixture";

const [guest, latecomer] = [generatePrivateKey(), generatePrivateKey()].map((key) =>
  privateKeyToAccount(key),
);
const others = Array.from({ length: 9_999 }, (_, index) => `0x${(index + 1).toString(16).padStart(40, "0")}`);
const list = "guests.txt";
const listBytes = 10_000 * 43;
const requests = 40;

let gate: KeysServer;
beforeAll(async () => {
  const keysFile = {
    chains: { 31337: {} },
    keys: [
      {
        name: "guest",
        title: "Guests",
        standard: "membership",
        requires: { addressesFile: list, label: "On the guest list" },
      },
    ],
  };
  gate = await startKeysServer({
    text: JSON.stringify(keysFile),
    lists: { [list]: [...others, guest!.address] },
    // Lists never read a chain.
    rpcUrls: { 31337: "http://127.0.0.1:9/" },
    env: limitsOff,
  });
});
afterAll(() => gate.close());

/** Counts bytes by any call, from files and connections. */
async function countBytesRead(): Promise<number> {
  const counted = await readFile(`/proc/${gate.server.pid}/io`, "utf8");
  return Number(/^rchar: (\d+)$/m.exec(counted)?.[1]);
}

async function signIn(account: typeof guest): Promise<number> {
  return (await gate.post("/api/gate-access", await gate.siwe("guest", account!))).status;
}

test.skipIf(!existsSync("/proc/self/io"))(
  "a list of ten thousand that changes is read once for it, and never for a request",
  { timeout: 60_000 },
  async () => {
    expect(await signIn(guest)).toBe(200);
    expect(await signIn(latecomer)).toBe(403);
    const before = await countBytesRead();
    const written = path.join(gate.folder, "new.txt");
    await writeFile(written, [...others, latecomer!.address].join("\n"));
    await rename(written, path.join(gate.folder, list));
    for (let sent = 0; sent < requests; sent += 1) expect(await signIn(guest)).toBeOneOf([200, 403]);
    await expect.poll(gate.server.output, { timeout: 10_000 }).toContain('"msg":"address list read"');
    expect(await signIn(guest)).toBe(403);
    expect(await signIn(latecomer)).toBe(200);
    for (let sent = 0; sent < requests; sent += 1) expect(await signIn(latecomer)).toBe(200);

    const listsRead = ((await countBytesRead()) - before) / listBytes;
    expect(listsRead).toBeGreaterThan(1);
    // The rest belongs to the requests and the database.
    expect(listsRead).toBeLessThan(5);
  },
);
