import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { createTestClient, http } from "viem";
import { foundry } from "viem/chains";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { closeDatabase, openDatabase } from "~/platform/database/database.server";
import { startServer } from "~e2e/support/running-server";
import { clientOf, openGate } from "./gate-fixture";
import type { Gate } from "./gate-fixture";

let gate: Gate;

beforeAll(async () => {
  gate = await openGate({ env: { KEY_USE_CONFIRMATIONS: "2", OWNERSHIP_CACHE_SECONDS: "0" } });
});
afterAll(() => gate.close());

async function mineBlocks(blocks: number): Promise<void> {
  await createTestClient({ mode: "anvil", chain: foundry, transport: http(gate.chain.rpcUrl) }).mine({
    blocks,
  });
}

/** A holder who got the key one block ago: only the newest block names them. */
async function newHolder() {
  const { account: seller, tokenId } = await gate.mintKey();
  await mineBlocks(5);
  const account = await gate.rich();
  await gate.transferKey({ from: seller, to: account.address, tokenId });
  return { account, tokenId };
}

async function isUsed(tokenId: string): Promise<unknown> {
  return (await gate.ask({ path: `/api/token-status/${tokenId}` })).body.used;
}

test("the form refuses a key just transferred with 409 without using it up, and accepts it two blocks later", async () => {
  const holder = await newHolder();
  const post = async () =>
    gate.post("/api/form-submission-gate", await gate.formBody({ ...holder, message: "Hello." }));

  const early = await post();
  expect(early.status).toBe(409);
  expect(early.body).toMatchObject({
    type: `${gate.origin}/problems/holding-too-recent`,
    title: "Holding too recent",
    detail: expect.stringMatching(
      / Wait until block \d+, about \d+ seconds from now, then try again\.$/,
    ) as string,
  });
  expect(Number(early.headers.get("Retry-After"))).toBeGreaterThan(0);
  expect(await isUsed(holder.tokenId)).toBe(false);
  expect((await fetch(`${gate.origin}/problems/holding-too-recent`)).status).toBe(200);

  await mineBlocks(2);
  expect((await post()).status).toBe(200);
  expect(await isUsed(holder.tokenId)).toBe(true);
});

test("mark_key_used says what to wait for while the key is too recent, and uses it up two blocks later", async () => {
  const holder = await newHolder();
  const { body } = await gate.signIn(holder);
  const call = async () =>
    gate.post(
      "/api/mcp",
      { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "mark_key_used", arguments: {} } },
      { Authorization: `Bearer ${String(body.accessToken)}`, Accept: "application/json, text/event-stream" },
    );

  const early = JSON.stringify((await call()).body);
  expect(early).toContain('"isError":true');
  expect(early).toMatch(/Wait until block \d+, about \d+ seconds from now, then try again\./);
  expect(await isUsed(holder.tokenId)).toBe(false);

  await mineBlocks(2);
  expect(JSON.stringify((await call()).body)).not.toContain('"isError":true');
  expect(await isUsed(holder.tokenId)).toBe(true);
});

/** An endpoint whose node may lag. It then answers questions about the latest block from an older one. */
async function startLaggingEndpoint() {
  const lag: { block: string | null } = { block: null };
  const server = createServer((request, response) => {
    void (async () => {
      const rpcCall = JSON.parse(await text(request)) as { method: string; params: unknown[] };
      const deployment = ["eth_getBlockByNumber", "eth_call"].indexOf(rpcCall.method);
      if (lag.block && deployment >= 0 && rpcCall.params[deployment] === "latest")
        rpcCall.params[deployment] = lag.block;
      const answer = await fetch(gate.chain.rpcUrl, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify(rpcCall),
      });
      response.writeHead(200, { "Content-Type": "application/json" }).end(await answer.text());
    })();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    lag,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () => void server.close(),
  };
}

test.each(["0", "1"])(
  "a lagging node does not let the seller use up a departed key, with %s confirmations",
  async (confirmations) => {
    const endpoint = await startLaggingEndpoint();
    const server = await startServer({
      env: {
        RPC_URL: endpoint.url,
        KEY_CONTRACT_ADDRESS: gate.contract,
        CHAIN_POLL_SECONDS: "1",
        KEY_USE_CONFIRMATIONS: confirmations,
      },
    });
    const database = await openDatabase({ url: server.databaseUrl });
    try {
      const seller = await gate.mintKey();
      const buyer = await gate.rich();
      await mineBlocks(3);
      const { result } = (await (
        await fetch(gate.chain.rpcUrl, {
          method: "POST",
          headers: { "Content-Type": "application/json" },
          body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_blockNumber", params: [] }),
        })
      ).json()) as { result: string };
      await gate.transferKey({ from: seller.account, to: buyer.address, tokenId: seller.tokenId });
      await vi.waitFor(async () => expect(await database.keyDeparture.count()).toBe(1), { timeout: 20_000 });

      endpoint.lag.block = result;
      const site = clientOf(server);
      const body = await site.formBody({ ...seller, message: "Mine still." });
      const { status } = await site.post("/api/form-submission-gate", body);
      expect([409, 503]).toContain(status);
      expect(await database.usedKey.count()).toBe(0);
    } finally {
      await closeDatabase(database);
      await server.stop();
      endpoint.stop();
    }
  },
);
