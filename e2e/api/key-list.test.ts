import { mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { clientOf } from "./gate-fixture";
import { startServer } from "~e2e/support/running-server";

const contract = "0x5fbdb2315678afecb367f032d93f642f64180aa3";
const guest = "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266";
const guests = { addressesFile: "guests.txt", label: "On the guest list" };
const hidden = { erc20: contract, chainId: 31337, atLeast: "77", label: "hunter2", secret: true };
const file = {
  chains: { 31337: {}, 1: { rpcUrl: ["http://127.0.0.1:9/a-key-of-hunter3"] } },
  keys: [
    { name: "founder", title: "Founder's key", standard: "erc4907", chainId: 31337, contract },
    {
      name: "guest",
      title: "Guests",
      standard: "membership",
      chainId: 1,
      requires: { any: [guests, hidden] },
      opens: ["room"],
    },
  ],
};
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), "latchkey-key-list-"));
  await writeFile(path.join(folder, "keys.json"), JSON.stringify(file));
  await writeFile(path.join(folder, "guests.txt"), guest);
});
afterAll(() => rm(folder, { recursive: true }));

/** These requests never reach the chain. */
const nobody = "http://127.0.0.1:9/";

async function openServer(env: Record<string, string | undefined>) {
  const server = await startServer({ env });
  onTestFinished(() => server.stop().then(() => undefined));
  return server;
}

const withFile = () => ({
  CHAIN_ID: undefined,
  KEYS_FILE: path.join(folder, "keys.json"),
  RPC_URL_31337: nobody,
});

test("the kinds of the file are listed for everybody, without lists, secrets and RPC addresses", async () => {
  const server = await openServer(withFile());
  const { ask } = clientOf(server);
  const { status, headers, body } = await ask({ path: "/api/keys" });
  expect(status).toBe(200);
  expect(body).toEqual({
    keys: [
      {
        name: "founder",
        title: "Founder's key",
        standard: "erc4907",
        chainId: 31337,
        contract,
        opens: ["room", "chat", "tts", "tools"],
      },
      {
        name: "guest",
        title: "Guests",
        standard: "membership",
        chainId: 1,
        requires: { any: [{ list: true, label: "On the guest list" }, { secret: true }] },
        opens: ["room"],
      },
    ],
  });
  expect(headers.get("x-ratelimit-limit")).toBe("60");
  const etag = headers.get("etag")!;
  const again = await ask({ path: "/api/keys", headers: { "If-None-Match": etag } });
  expect([again.status, again.body, again.headers.get("etag")]).toEqual([304, { text: "" }, etag]);
  const head = await ask({ path: "/api/keys", method: "HEAD" });
  expect([head.status, head.body, head.headers.get("etag")]).toEqual([200, { text: "" }, etag]);
  expect((await ask({ path: "/api/keys", method: "POST", json: {} })).status).toBe(405);
  expect(server.output()).not.toMatch(/hunter/);
});

test("without a file the one kind of the four settings is listed", async () => {
  const server = await openServer({ RPC_URL: nobody, KEY_CONTRACT_ADDRESS: contract, BRAND_NAME: "Salon" });
  const { body } = await clientOf(server).ask({ path: "/api/keys" });
  const opens = ["room", "chat", "tts", "tools"];
  expect(body).toEqual({
    keys: [{ name: "key", title: "Salon", standard: "erc721", chainId: 31337, contract, opens }],
  });
});

test("a changed list is read while the server runs, and a broken one is told in its log", async () => {
  const { output } = await openServer(withFile());
  await writeFile(path.join(folder, "guests.txt"), `${guest}\n0x0000000000000000000000000000000000000001\n`);
  await expect.poll(output, { timeout: 10_000 }).toMatch(/"addresses":2,"msg":"address list read"/);
  await writeFile(path.join(folder, "guests.txt"), "nobody\n");
  await expect.poll(output, { timeout: 10_000 }).toContain("line 1 must be an address");
}, 60_000);

test("a mistake in the file stops the start, with its place", async () => {
  await writeFile(path.join(folder, "bad.json"), JSON.stringify({ ...file, keys: [{ name: "x" }] }));
  const start = startServer({ env: { ...withFile(), KEYS_FILE: path.join(folder, "bad.json") } });
  await expect(start).rejects.toThrow("- KEYS_FILE keys[0].standard: is missing.");
});
