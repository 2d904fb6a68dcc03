import { createMCPClient } from "@ai-sdk/mcp";
import {
  Client as NewClient,
  StreamableHTTPClientTransport as NewTransport,
} from "@modelcontextprotocol/client";
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as OldTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { limitsOff } from "~e2e/support/limits";
import { signInNew } from "./chat-fixture";
import { openGate } from "./gate-fixture";
import type { Gate } from "./gate-fixture";

let gate: Gate;
let url: URL;
beforeAll(async () => {
  gate = await openGate({ env: { ...limitsOff, NEXT_PUBLIC_AI_CHAT_REQUIRES_JWT: "true" } });
  url = new URL("/api/mcp", gate.origin);
});
afterAll(() => gate.close());

const toolNames = ["libsql_search", "key_status", "get_gated_content", "mark_key_used"];
const info = { name: "a-test-client", version: "1.0.0" };

type Result = { structuredContent?: unknown; isError?: unknown; content?: unknown };
type Connected = {
  listNames: () => Promise<string[]>;
  call: (name: string, args?: Record<string, unknown>) => Promise<Result>;
};
type Connect = (headers: Record<string, string>) => Promise<Connected>;

async function connectOld(headers: Record<string, string>): Promise<Connected> {
  const client = new OldClient(info);
  await client.connect(new OldTransport(url, { requestInit: { headers } }));
  onTestFinished(() => client.close());
  return {
    listNames: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: async (name, args = {}) => (await client.callTool({ name, arguments: args })) as Result,
  };
}

function connectNew(mode: "legacy" | "auto"): Connect {
  return async (headers) => {
    const client = new NewClient(info, { versionNegotiation: { mode } });
    await client.connect(new NewTransport(url, { requestInit: { headers } }));
    onTestFinished(() => client.close());
    expect(client.getNegotiatedProtocolVersion()).toBe(mode === "auto" ? "2026-07-28" : "2025-11-25");
    return {
      listNames: async () => (await client.listTools()).tools.map(({ name }) => name),
      call: (name, args = {}) => client.callTool({ name, arguments: args }),
    };
  };
}

async function connectAiSdk(headers: Record<string, string>): Promise<Connected> {
  const client = await createMCPClient({ transport: { type: "http", url: url.href, headers } });
  onTestFinished(() => client.close());
  return {
    listNames: async () => Object.keys(await client.tools()),
    call: async (name, args = {}) => {
      const tool = (await client.tools())[name]!;
      return (await tool.execute(args, { toolCallId: "1", messages: [] })) as Result;
    },
  };
}

const clients: [string, Connect][] = [
  ["the SDK of the first generation", connectOld],
  ["the SDK of the second generation, with a handshake", connectNew("legacy")],
  ["the SDK of the second generation, without one", connectNew("auto")],
  ["the AI SDK's client", connectAiSdk],
];

test.each(clients)("%s lists the tools and calls them", async (_name, connect) => {
  const { tokenId, bearer, account } = await signInNew(gate);
  const { listNames, call } = await connect(bearer);
  expect(await listNames()).toEqual(toolNames);
  expect(await call("key_status", { tokenId })).toMatchObject({
    structuredContent: { tokenId, owner: account.address, used: false },
  });
  expect(await call("libsql_search", { query: "What is the one-time form?", topK: 1 })).toMatchObject({
    structuredContent: { topK: 1, namespace: "__default__" },
  });
  expect(await call("get_gated_content")).toMatchObject({
    content: [{ type: "text", text: expect.stringContaining("# Welcome") as string }],
  });
  const used = await call("mark_key_used");
  expect(used.isError ?? false).toBe(false);
  expect(used.structuredContent).toMatchObject({ tokenId });
  await expect(call("get_gated_content")).rejects.toThrow(/401|nauthorized/);
});

test.each(clients)(
  "two concurrent clients of %s that use the same ids each get their own answers",
  async (_name, connect) => {
    const holders = await Promise.all([signInNew(gate), signInNew(gate)]);
    const connected = await Promise.all(holders.map(({ bearer }) => connect(bearer)));
    const rooms = await Promise.all(
      connected.flatMap(({ call }) => Array.from({ length: 8 }, () => call("get_gated_content"))),
    );
    for (const [index, room] of rooms.entries()) {
      const [own, other] = index < 8 ? holders : [...holders].reverse();
      expect(JSON.stringify(room)).toContain(`/media/${own!.tokenId}/`);
      expect(JSON.stringify(room)).not.toContain(`/media/${other!.tokenId}/`);
    }
  },
);

test.each(clients)("%s gets a readable refusal without a token", async (_name, connect) => {
  await expect(
    (async () => {
      await (await connect({})).listNames();
    })(),
  ).rejects.toThrow(/401|nauthorized/);
});

test("invalid arguments are a result in the newest revisions and an error in the older ones", async () => {
  const { bearer } = await signInNew(gate);
  for (const mode of ["legacy", "auto"] as const) {
    const { call } = await connectNew(mode)(bearer);
    expect(await call("libsql_search", { query: "x", topK: "5" })).toMatchObject({ isError: true });
    await expect(call("no_such_tool")).rejects.toThrow(/no tool called no_such_tool/);
  }
  const ask = async (version: string) => {
    const response = await fetch(url, {
      method: "POST",
      headers: { "Content-Type": "application/json", "MCP-Protocol-Version": version, ...bearer },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: { name: "key_status", arguments: { tokenId: "x" } },
      }),
    });
    return (await response.json()) as Record<string, unknown>;
  };
  expect(await ask("2025-06-18")).toEqual({
    jsonrpc: "2.0",
    id: 1,
    error: { code: -32602, message: expect.stringContaining("tokenId") as string },
  });
  expect(await ask("2025-11-25")).toMatchObject({ result: { isError: true } });
});
