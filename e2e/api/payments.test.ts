import { createPublicClient, http } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { limitsOff } from "~e2e/support/limits";
import { chat, hello, localProvider, signInNew, startChatServer, startProvider } from "./chat-fixture";
import { openGate } from "./gate-fixture";
import type { Gate } from "./gate-fixture";
import { mcpOf } from "./mcp-fixture";

const name = "send_crypto_to_signed_in_user";
const destructive = ["mark_key_used", name];
const privateKey = generatePrivateKey();
const payer = privateKeyToAccount(privateKey).address;
const args = { amount: "0.0001", idempotencyKey: "payment-1" };
const amountWei = 10n ** 14n;
const metricsToken = "a-token-of-the-tests-for-metrics-only";

let gate: Gate;
let viewer: ReturnType<typeof createPublicClient>;
beforeAll(async () => {
  const switches = { AI_PRIVATE_KEY: privateKey, METRICS_TOKEN: metricsToken };
  gate = await openGate({ env: { ...limitsOff, ...switches } });
  viewer = createPublicClient({ transport: http(gate.chain.rpcUrl) });
  await viewer.request({
    method: "anvil_setBalance" as never,
    params: [payer, "0xde0b6b3a7640000"] as never,
  });
});
afterAll(() => gate.close());

const balanceOf = (address: `0x${string}`) => viewer.getBalance({ address });

test("a holder is paid once, at the address that signed in, and nobody else is paid", async () => {
  const mcp = mcpOf(gate);
  const anybody = await mcp.callTool({ name, args });
  expect([anybody.status, anybody.body]).toMatchObject([401, { error: { code: -32001 } }]);

  const { account, bearer } = await signInNew(gate);
  const before = await balanceOf(account.address);
  const calls = await Promise.all(
    Array.from({ length: 5 }, () => mcp.callTool({ name, args, headers: bearer })),
  );
  const [first] = calls;
  expect(first!.result!.structuredContent).toMatchObject({
    status: "paid",
    amount: "0.0001",
    to: account.address.toLowerCase(),
    chainId: 31337,
  });
  for (const { result } of calls) expect(result).toEqual(first!.result);
  expect(await balanceOf(account.address)).toBe(before + amountWei);

  const other = await mcp.callTool({ name, args: { ...args, amount: "0.0002" }, headers: bearer });
  expect(other.error).toMatchObject({ code: -32000 });
  expect(other.text).toContain("another amount");
  const diverted = await mcp.callTool({ name, args: { ...args, to: payer }, headers: bearer });
  expect(diverted.body).toMatchObject({ error: { code: -32602 } });
});

test("the process that owns the payments lease shows it, and how many payments are open", async () => {
  const readMetrics = async () => {
    const headers = { Authorization: `Bearer ${metricsToken}` };
    return await (await fetch(`${gate.origin}/metrics`, { headers })).text();
  };
  await expect.poll(readMetrics, { timeout: 10_000 }).toContain('latchkey_lease_held{lease="payments"} 1');
  expect(await readMetrics()).toContain("latchkey_payments_open 0");
});

test("a former holder is no longer paid", async () => {
  const { account, tokenId, bearer } = await signInNew(gate);
  const to = (await gate.rich()).address;
  await gate.transferKey({ from: account, to, tokenId });
  const before = await balanceOf(account.address);
  const { status, error } = await mcpOf(gate).callTool({ name, args, headers: bearer });
  if (status !== 401) expect([status, error?.code]).toEqual([200, -32000]);
  expect(await balanceOf(account.address)).toBe(before);
});

test("MCP clients see that the tool spends, and without a key to pay with it does not exist", async () => {
  type Listed = { tools: { name: string; annotations?: { destructiveHint?: boolean } }[] };
  const list = async (site: { origin: string }) =>
    ((await mcpOf(site).post({ method: "tools/list" })).body!.result as Listed).tools;
  const offered = await list(gate);
  expect(offered.find((tool) => tool.name === name)).toMatchObject({
    annotations: { destructiveHint: true },
  });
  expect(gate.server.output()).toContain(payer);
  expect(gate.server.output()).not.toContain(privateKey.slice(2));

  const without = await startChatServer({ gate, env: {} });
  const others = await list({ origin: without.origin });
  expect(others.map((tool) => tool.name)).not.toContain(name);
  const { body } = await mcpOf({ origin: without.origin }).callTool({ name, args });
  expect(body).toMatchObject({ error: { code: -32602 } });
});

test("the chat's model is offered no tool that destroys or spends, and a call to one is not run", async () => {
  const provider = await startProvider(
    async ({ start, delta, finish }) => {
      start();
      const tool_calls = destructive.map((toolName, index) => ({
        index,
        id: `call-${index}`,
        type: "function",
        function: { name: toolName, arguments: toolName === name ? JSON.stringify(args) : "{}" },
      }));
      await delta({ tool_calls });
      await finish("tool_calls");
    },
    async ({ start, text, finish }) => {
      start();
      await text("I cannot.");
      await finish();
    },
  );
  const { server, ...client } = await startChatServer({
    gate,
    env: { ...localProvider(provider), AI_PRIVATE_KEY: privateKey },
  });
  const { account, tokenId, bearer } = await signInNew(gate, client);
  const before = await balanceOf(account.address);
  const { status, events } = await chat({ port: server.port, json: hello, headers: bearer });
  expect(status).toBe(200);
  expect(events.filter(({ type }) => type === "tool-output-available")).toEqual([]);
  const offered = provider.calls[0]!.body.tools!.map((tool) => tool.function.name);
  expect(offered).toContain("get_gated_content");
  for (const each of destructive) expect(offered).not.toContain(each);
  expect(await balanceOf(account.address)).toBe(before);
  const standing = await mcpOf({ origin: client.origin }).callTool({ name: "key_status", args: { tokenId } });
  expect(standing.result!.structuredContent).toMatchObject({ used: false });
});
