import { afterAll, beforeAll, expect, test } from "vitest";
import { callingTools, saying } from "~e2e/support/providers/openai-server";
import { waitUntil } from "~e2e/support/processes";
import { chat, localProvider, quotaOn } from "./chat-fixture";
import { signInNew, startChatServer, startProvider } from "./chat-fixture";
import { openGate } from "./gate-fixture";
import type { Gate } from "./gate-fixture";

let gate: Gate;
beforeAll(async () => {
  gate = await openGate();
});
afterAll(() => gate.close());

const metricsToken = "metrics-token-of-the-tests-0123";

/** The value of one sample. Null if it is missing. */
function findSample(text: string, sample: string): number | null {
  const line = text.split("\n").find((candidate) => candidate.startsWith(`${sample} `));
  return line === undefined ? null : Number(line.slice(sample.length + 1));
}

async function start(env: Record<string, string>) {
  const opened = await startChatServer({
    gate,
    env: { METRICS_TOKEN: metricsToken, CHAIN_POLL_SECONDS: "1", ...env },
  });
  async function read(): Promise<string> {
    const headers = { Authorization: `Bearer ${metricsToken}` };
    return String((await opened.ask({ path: "/metrics", headers })).body.text);
  }
  return { ...opened, read, sample: async (name: string) => findSample(await read(), name) };
}

test("the metrics show what a running server does", async () => {
  const provider = await startProvider(
    callingTools({ id: "a", name: "libsql_search", fragments: ['{"query":"lamp"}'] }),
    saying("one two"),
    saying("three"),
  );
  const api = await start({
    ...quotaOn,
    ...localProvider(provider),
    AI_CHAT_QUOTA_TOKENS: "40",
    AI_CHAT_MAX_OUTPUT_TOKENS: "30",
  });
  const { account, tokenId, bearer } = await signInNew(gate, api);
  expect((await chat({ port: api.server.port, headers: bearer })).status).toBe(200);
  const [second, third] = [
    await chat({ port: api.server.port, headers: bearer }),
    await api.post("/api/tts", { text: "Read this." }, bearer),
  ];
  expect([second.status, third.status]).toEqual([200, 200]);
  for (let answers = 0; answers < 40; answers++) {
    if ((await chat({ port: api.server.port, headers: bearer })).status === 429) break;
  }
  await gate.transferKey({ from: account, to: (await gate.rich()).address, tokenId });
  await waitUntil(async () => (await api.sample("latchkey_departures_total")) === 1);

  const text = await api.read();
  const sample = (name: string) => findSample(text, name);
  expect(sample('latchkey_grants_total{proof="siwe"}')).toBe(1);
  expect(sample('latchkey_refusals_total{slug="quota-exceeded"}')).toBe(1);
  expect(sample('latchkey_quota_refusals_total{kind="token"}')).toBe(1);
  expect(sample('latchkey_quota_reserved_total{kind="token"}')).toBeGreaterThan(30);
  expect(sample('latchkey_quota_settled_total{kind="token"}')).toBe(
    sample('latchkey_chat_tokens_total{direction="out"}'),
  );
  expect(sample('latchkey_chat_tokens_total{direction="in"}')).toBeGreaterThan(10);
  expect(
    sample('latchkey_provider_requests_total{kind="chat",provider="local",outcome="ok"}'),
  ).toBeGreaterThan(2);
  expect(
    sample('latchkey_provider_first_answer_seconds_count{kind="chat",provider="local"}'),
  ).toBeGreaterThan(2);
  expect(sample('latchkey_provider_requests_total{kind="search",provider="libsql",outcome="ok"}')).toBe(1);
  expect(sample('latchkey_tool_calls_total{tool="libsql_search",outcome="ok"}')).toBe(1);
  expect(sample('latchkey_provider_requests_total{kind="speech",provider="flite",outcome="ok"}')).toBe(1);
  expect(sample('latchkey_spoken_answers_total{source="spoken"}')).toBe(1);
  expect(sample("latchkey_database_statement_duration_seconds_count")).toBeGreaterThan(10);
  expect(sample("latchkey_database_transaction_duration_seconds_count")).toBeGreaterThan(2);
  expect(sample('latchkey_rpc_request_duration_seconds_count{method="eth_call"}')).toBeGreaterThan(0);
  expect(sample('latchkey_lease_held{lease="watcher"}')).toBe(1);
  expect(sample("latchkey_outbox_pending")).toBe(0);
  expect(text).not.toContain("latchkey_trace_spans_total{");
});

test("values made up by clients do not become labels", async () => {
  const api = await start({});
  for (let index = 0; index < 100; index++) {
    await api.ask({ path: `/hostile-${index}`, method: index % 2 ? "GET" : "PURGE" });
    await api.ask({ path: `/api/token-status/hostile-${index}` });
    await api.post("/api/mcp", {
      jsonrpc: "2.0",
      id: index,
      method: "tools/call",
      params: { name: `hostile-${index}`, arguments: {} },
    });
  }
  const text = await api.read();
  expect(text).not.toContain("hostile");
  expect(text).not.toContain("PURGE");
  expect(text).toContain('route="/api/token-status/:tokenId"');
});
