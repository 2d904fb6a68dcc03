import { afterAll, beforeAll, expect, test } from "vitest";
import { sendPipelined } from "~e2e/support/pipelined-requests";
import { startRpcFaultServer } from "~e2e/support/chain/rpc-fault-server";
import type { RpcFaultServer } from "~e2e/support/chain/rpc-fault-server";
import { waitUntil } from "~e2e/support/processes";
import { startServer } from "~e2e/support/running-server";
import type { RunningServer } from "~e2e/support/running-server";
import { signInNew } from "./chat-fixture";
import { forwardedFor, openDoorClient, wiki } from "./door-fixture";
import { clientOf, openGate } from "./gate-fixture";
import type { Gate } from "./gate-fixture";

const questionsAtOnce = 10_000;
const visitor = "198.51.100.7";

let gate: Gate;
let rpc: RpcFaultServer;
/** The default limits apply. A page's questions must not use them up. */
let server: RunningServer;
beforeAll(async () => {
  gate = await openGate();
  rpc = await startRpcFaultServer(gate.chain.rpcUrl);
  server = await startServer({
    env: {
      RPC_URL: rpc.url,
      KEY_CONTRACT_ADDRESS: gate.contract,
      DOOR_HOSTS: wiki,
      TRUST_PROXY: "loopback",
      OWNERSHIP_CACHE_SECONDS: "300",
      CHAIN_POLL_SECONDS: "1",
    },
  });
});
afterAll(async () => {
  await server?.stop();
  await rpc?.stop();
  await gate?.close();
});

const countReads = () => rpc.posts.filter((method) => method === "eth_call").length;

/** One page's questions, as its proxy sends them. */
async function flood(cookie: string, count = questionsAtOnce): Promise<Map<string, number>> {
  const headers = { ...forwardedFor(wiki), "X-Forwarded-For": visitor, Cookie: cookie };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const request = `GET /api/door HTTP/1.1\r\nHost: localhost\r\n${lines.join("")}\r\n`;
  const batch = { connections: 100, depth: 4, count, write: () => request };
  return await sendPipelined({ port: server.port, ...batch });
}

test("10,000 questions of one page lock nobody out, and ask the chain once for each block at most", async () => {
  const at = openDoorClient(server);
  const holder = await signInNew(gate, clientOf(server));
  const cookie = await at.letIn(holder.token);
  const other = await signInNew(gate, clientOf(server));
  // Waits until the watcher has seen the blocks of the two mints.
  await new Promise((resolve) => setTimeout(resolve, 2_500));
  await at.question({ cookie });
  const before = countReads();
  const allIn = new Map([["200", questionsAtOnce]]);
  expect(await flood(cookie)).toEqual(allIn);
  expect(countReads()).toBe(before);

  const nonce = await at.send("/api/nonce", { "X-Forwarded-For": visitor });
  const [limit, remaining] = ["limit", "remaining"].map((name) => nonce.headers.get(`x-ratelimit-${name}`));
  expect([nonce.status, Number(remaining)]).toEqual([200, Number(limit) - 1]);
  expect((await at.question({ cookie: await at.letIn(other.token) })).status).toBe(200);

  const settled = countReads();
  await gate.mintKey();
  const newBlock = async () => (await flood(cookie, 500), countReads() > settled);
  await waitUntil(newBlock, { timeoutMs: 10_000, everyMs: 50 });
  expect(await flood(cookie, 1_000)).toEqual(new Map([["200", 1_000]]));
  expect(countReads()).toBe(settled + 1);
}, 120_000);
