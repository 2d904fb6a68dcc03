import { request } from "node:http";
import { afterAll, beforeAll, expect, test } from "vitest";
import { combinePlaced, tokenPlacements } from "~e2e/support/token-placements";
import { limitsOff } from "~e2e/support/limits";
import { signInNew, startChatServer } from "./chat-fixture";
import { openGate } from "./gate-fixture";
import type { Gate } from "./gate-fixture";
import { mcpOf } from "./mcp-fixture";
import { sendRaw } from "./raw-http";

const json = { "Content-Type": "application/json" };
const required = { NEXT_PUBLIC_AI_CHAT_REQUIRES_JWT: "true" };

let gate: Gate;
let mcp: ReturnType<typeof mcpOf>;
beforeAll(async () => {
  gate = await openGate({ env: limitsOff });
  mcp = mcpOf(gate);
});
afterAll(() => gate.close());

test("bare messages are answered with {result} or {error} and no other member", async () => {
  const { status, body } = await mcp.post({ method: "tools/list" });
  expect(status).toBe(200);
  expect(Object.keys(body!)).toEqual(["result"]);
  const { tools } = body!.result as { tools: { name: string; inputSchema: unknown }[] };
  expect(tools.map(({ name }) => name)).toEqual([
    "libsql_search",
    "key_status",
    "get_gated_content",
    "mark_key_used",
  ]);
  for (const { inputSchema } of tools) expect(inputSchema).toMatchObject({ type: "object" });
  expect(await mcp.post({ id: 7, method: "tools/list" })).toMatchObject({ body });

  for (const [message, code, httpStatus] of [
    [{ method: "tools/none" }, -32601, 200],
    [{ method: "tools/call" }, -32602, 200],
    [{ method: "tools/call", params: { name: "no_such_tool" } }, -32602, 200],
    [{ method: "tools/call", params: { name: "key_status", arguments: [] } }, -32602, 200],
    [{ method: "tools/call", params: { name: "key_status", arguments: { tokenId: "0x1" } } }, -32602, 200],
    [{ method: "tools/call", params: [] }, -32602, 400],
    [{ params: {} }, -32600, 400],
    [[], -32600, 400],
    [[{ method: "tools/list" }], -32600, 400],
    [null, -32600, 400],
    ["tools/list", -32600, 400],
  ] as const) {
    const answer = await mcp.post(message);
    const about = JSON.stringify(message);
    expect(answer.status, about).toBe(httpStatus);
    expect(answer.body, about).toEqual({ error: { code, message: expect.any(String) as string } });
  }
});

test("the search tool refuses values outside its schema before it searches", async () => {
  for (const topK of [-1, 0, 1e9, "5", 1.5, null]) {
    const { status, body } = await mcp.callTool({ name: "libsql_search", args: { query: "key", topK } });
    expect([status, body]).toEqual([
      200,
      { error: { code: -32602, message: expect.stringContaining("topK") as string } },
    ]);
  }
  const found = await mcp.callTool({ name: "libsql_search", args: { query: "one-time form", topK: 2 } });
  expect(found.result).toMatchObject({ structuredContent: { query: "one-time form", topK: 2 } });
});

test("bodies that are not JSON, not POST or too large are refused in the documented shapes", async () => {
  for (const body of ["{", "", "nonsense", '{"method":', "\u0000"]) {
    const answer = await mcp.send({ headers: json, body });
    expect(answer.status).toBe(400);
    expect(answer.body).toEqual({ error: { code: -32700, message: expect.any(String) as string } });
  }
  const asMcp = { ...json, Accept: "application/json, text/event-stream" };
  expect((await mcp.send({ headers: asMcp, body: "{" })).body).toMatchObject({
    jsonrpc: "2.0",
    id: null,
    error: { code: -32700 },
  });
  for (const method of ["GET", "PUT", "DELETE", "PATCH"]) {
    const answer = await mcp.send({ method });
    expect([answer.status, answer.body]).toEqual([
      405,
      { error: "MCP endpoint only supports POST requests" },
    ]);
    expect(answer.headers.get("allow")).toBe("POST, OPTIONS");
  }
  const error = { code: -32600, message: expect.any(String) as string };
  const text = await mcp.send({ headers: { "Content-Type": "text/plain" }, body: "{}" });
  expect([text.status, text.body]).toEqual([415, { error }]);
  const large = await mcp.send({ headers: json, body: `{"method":"${"a".repeat(256 * 1024)}"}` });
  expect([large.status, large.body]).toEqual([413, { error }]);
  const exact = `{"method":"${"a".repeat(256 * 1024 - 13)}"}`;
  expect(exact).toHaveLength(256 * 1024);
  expect((await mcp.send({ headers: json, body: exact })).body).toMatchObject({ error: { code: -32601 } });
});

test("MCP messages are answered: the handshake, ping, notifications, and every kind of id", async () => {
  const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "c", version: "1" } };
  const opened = await mcp.post({ jsonrpc: "2.0", id: "a", method: "initialize", params });
  expect(opened.body).toEqual({
    jsonrpc: "2.0",
    id: "a",
    result: {
      protocolVersion: "2025-06-18",
      capabilities: { tools: {} },
      serverInfo: { name: "latchkey", title: "Latchkey", version: expect.any(String) as string },
      instructions: expect.any(String) as string,
    },
  });
  const unknown = { ...params, protocolVersion: "1999-01-01" };
  expect(
    (await mcp.post({ jsonrpc: "2.0", id: 1, method: "initialize", params: unknown })).body,
  ).toMatchObject({
    result: { protocolVersion: "2025-11-25" },
  });
  for (const id of [0, -5, 1, 2 ** 53 - 1, "", "x", "ü".repeat(1000)]) {
    const { body } = await mcp.post({ jsonrpc: "2.0", id, method: "ping" });
    expect(body).toEqual({ jsonrpc: "2.0", id, result: {} });
  }
  for (const id of [null, 1.5, 2 ** 60, true, {}, [1], undefined]) {
    const answer = await mcp.post({ jsonrpc: "2.0", id, method: "ping" });
    expect([answer.status, answer.body]).toMatchObject([
      400,
      { jsonrpc: "2.0", id: null, error: { code: -32600 } },
    ]);
  }
  for (const method of ["notifications/initialized", "notifications/cancelled", "notifications/unheard-of"]) {
    const answer = await mcp.post({ jsonrpc: "2.0", method });
    expect([answer.status, answer.body]).toEqual([202, undefined]);
  }
  const batch = await mcp.post([{ jsonrpc: "2.0", id: 1, method: "ping" }]);
  expect([batch.status, batch.body]).toMatchObject([
    400,
    { jsonrpc: "2.0", id: null, error: { code: -32600 } },
  ]);
  const version = { "MCP-Protocol-Version": "2020-01-01" };
  const refused = await mcp.post({ jsonrpc: "2.0", id: 1, method: "ping" }, version);
  expect([refused.status, refused.body]).toMatchObject([400, { id: 1, error: { code: -32022 } }]);
});

test("concurrent clients that use one id each get the answer to their own question", async () => {
  const tokenIds = Array.from({ length: 60 }, (_, index) => String(index + 1000));
  const answers = await Promise.all(
    tokenIds.map((tokenId) =>
      mcp.post({
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: { name: "key_status", arguments: { tokenId } },
      }),
    ),
  );
  expect(
    answers.map(
      ({ body }) => (body!.result as { structuredContent: { tokenId: string } }).structuredContent.tokenId,
    ),
  ).toEqual(tokenIds);
});

test("another host is refused, and so is the page of another site, a loopback address is not", async () => {
  const { port } = gate.server;
  const ask = (headers: Record<string, string>) =>
    new Promise<{ status: number | undefined; text: string }>((resolve, reject) => {
      const outgoing = request(
        { host: "127.0.0.1", port, path: "/api/mcp", method: "POST", headers: { ...json, ...headers } },
        (incoming) => {
          let text = "";
          incoming.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
          incoming.once("end", () => resolve({ status: incoming.statusCode, text }));
        },
      );
      outgoing.once("error", reject).end(JSON.stringify({ method: "tools/list" }));
    });
  const own = `localhost:${port}`;
  const foreign: Record<string, string>[] = [
    { Host: "evil.example" },
    { Host: `evil.example:${port}` },
    { Host: `localhost.evil.example:${port}` },
    { Host: own, Origin: "http://evil.example" },
    { Host: own, Origin: "null" },
    { Host: `127.0.0.1:${port}`, Origin: "http://evil.example" },
  ];
  for (const headers of foreign) {
    const { status, text } = await ask(headers);
    expect(status, JSON.stringify(headers)).toBe(403);
    expect(JSON.parse(text)).toMatchObject({ error: { code: -32600 } });
  }
  const familiar: Record<string, string>[] = [
    { Host: own },
    { Host: `127.0.0.1:${port}` },
    { Host: `[::1]:${port}` },
    { Host: own, Origin: `http://${own}` },
  ];
  for (const headers of familiar) {
    expect((await ask(headers)).status, JSON.stringify(headers)).toBe(200);
  }
});

test("different hosts on one connection are each judged by their own name", async () => {
  const { port } = gate.server;
  const own = `localhost:${port}`;
  const message = JSON.stringify({ method: "ping" });
  // As many as may be pipelined.
  const hosts = [own, "evil.example", own, `evil.example:${port}`, own];
  const bytes = hosts.map((host, index) => {
    const connection = index === hosts.length - 1 ? "close" : "keep-alive";
    const head = `Host: ${host}\r\nContent-Type: application/json\r\nContent-Length: ${message.length}`;
    return `POST /api/mcp HTTP/1.1\r\n${head}\r\nConnection: ${connection}\r\n\r\n${message}`;
  });
  const { text } = await sendRaw({ port, bytes: bytes.join("") });
  expect([...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => status)).toEqual(
    hosts.map((host) => (host === own ? "200" : "403")),
  );
});

test("a required token is read from six locations, and the first one decides", async () => {
  const { origin, server, signIn } = await startChatServer({ gate, env: required });
  const strict = mcpOf({ origin });
  const { token, bearer } = await signInNew(gate, { signIn });
  const list = { method: "tools/list" };
  const resourceMetadata = `resource_metadata="${origin}/.well-known/oauth-protected-resource/api/mcp"`;

  const without = await strict.post(list);
  expect([without.status, without.body]).toEqual([
    401,
    { error: { code: -32001, message: "Unauthorized: missing JWT" } },
  ]);
  expect(without.headers.get("www-authenticate")).toBe(`Bearer realm="latchkey", ${resourceMetadata}`);
  const initialize = await strict.post({ jsonrpc: "2.0", id: "i", method: "initialize", params: {} });
  expect([initialize.status, initialize.body]).toMatchObject([
    401,
    { jsonrpc: "2.0", id: "i", error: { code: -32001 } },
  ]);
  expect((await strict.post({ jsonrpc: "2.0", method: "notifications/initialized" })).status).toBe(401);

  const wrong = `${token.slice(0, -6)}AAAAAA`;
  const ask = (parts: Parameters<typeof combinePlaced>[0]) => {
    const { headers, query, body } = combinePlaced(parts);
    const search = new URLSearchParams(query).toString();
    return strict.send({
      headers: { ...json, ...headers },
      body: JSON.stringify({ ...list, ...body }),
      query: search && `?${search}`,
    });
  };
  for (const [index, { location, place }] of tokenPlacements.entries()) {
    expect((await ask([place(token)])).status, location).toBe(200);
    const refused = await ask([place(wrong)]);
    expect([refused.status, refused.body], location).toEqual([
      401,
      {
        error: {
          code: -32001,
          message: "Unauthorized: invalid JWT. The signature of the access token is wrong. Sign in again.",
        },
      },
    ]);
    expect(refused.headers.get("www-authenticate")).toBe(
      `Bearer realm="latchkey", error="invalid_token", ${resourceMetadata}`,
    );
    for (const later of tokenPlacements.slice(index + 1)) {
      expect((await ask([place(wrong), later.place(token)])).status, `${location}, ${later.location}`).toBe(
        401,
      );
      expect((await ask([place(token), later.place(wrong)])).status, `${location}, ${later.location}`).toBe(
        200,
      );
    }
  }
  for (const authorization of ["Bearer", `bearer ${token}`, `Bearer  ${token}`, `Basic ${token}`, ""]) {
    expect((await strict.post(list, { authorization })).status, authorization).toBe(401);
  }
  const crossSite = await strict.post(list, { cookie: `jwt=${token}`, "sec-fetch-site": "cross-site" });
  expect([crossSite.status, crossSite.body]).toMatchObject([403, { error: { code: -32600 } }]);
  expect((await strict.post(list, bearer)).status).toBe(200);
  expect(server.output()).not.toContain(token);
});

test("tools about one's own key require a token even where others do not, and an invalid one is refused", async () => {
  for (const name of ["get_gated_content", "mark_key_used"]) {
    const answer = await mcp.callTool({ name });
    expect([answer.status, answer.body]).toEqual([
      401,
      { error: { code: -32001, message: "Unauthorized: missing JWT" } },
    ]);
    expect(answer.headers.get("www-authenticate")).toContain("resource_metadata=");
  }
  expect((await mcp.post({ method: "tools/list" }, { authorization: "Bearer x" })).status).toBe(401);
});

test("key_status returns owner and use, get_gated_content the holder's room, and mark_key_used ends the key", async () => {
  const { account, tokenId, bearer } = await signInNew(gate);
  const status = () => mcp.callTool({ name: "key_status", args: { tokenId } });
  expect((await status()).result).toEqual({
    content: [{ type: "text", text: expect.any(String) as string }],
    structuredContent: {
      tokenId,
      exists: true,
      owner: account.address,
      count: 1,
      used: false,
      usedBy: null,
      usedAt: null,
    },
  });

  const room = await mcp.callTool({ name: "get_gated_content", headers: bearer });
  expect(room.error).toBeUndefined();
  expect(room.result).not.toHaveProperty("structuredContent");
  expect(room.text).toContain("# Welcome");
  expect(room.text).not.toMatch(/<form|<script|<textarea/);
  const link = new RegExp(
    `${gate.origin}/media/${tokenId}/[^\\s)]+\\.(?:wav|mp3)\\?exp=\\d+&sig=[\\w-]+`,
  ).exec(room.text);
  expect((await fetch(link![0])).status).toBe(200);

  const uses = await Promise.all(
    Array.from({ length: 10 }, () => mcp.callTool({ name: "mark_key_used", headers: bearer })),
  );
  const used = uses.filter(({ result }) => result);
  expect(used).toHaveLength(1);
  expect(used[0]!.result!.structuredContent).toEqual({
    tokenId,
    usedBy: account.address.toLowerCase(),
    usedAt: expect.stringMatching(/^\d{4}-.*Z$/) as string,
  });
  for (const { status: httpStatus, error } of uses.filter((use) => use !== used[0])) {
    if (httpStatus !== 401)
      expect([httpStatus, error]).toEqual([
        200,
        { code: -32000, message: expect.stringMatching(/used/) as string },
      ]);
  }
  expect((await status()).result!.structuredContent).toMatchObject({
    used: true,
    usedBy: account.address.toLowerCase(),
  });
  const late = await mcp.callTool({ name: "get_gated_content", headers: bearer });
  expect([late.status, late.error?.code]).toEqual([401, -32001]);
  expect(late.error?.message).toMatch(/^Unauthorized: invalid JWT\. .*used/);
  const again = await gate.signIn({ account, tokenId });
  expect([again.status, again.body]).toMatchObject([403, { title: "This token has already been used" }]);
});

test("a former holder of a key gets no content and cannot use it up", async () => {
  const { account, tokenId, bearer } = await signInNew(gate);
  const other = await gate.rich();
  await gate.transferKey({ from: account, to: other.address, tokenId });
  for (const name of ["mark_key_used", "get_gated_content"]) {
    const { status, error } = await mcp.callTool({ name, headers: bearer });
    if (status !== 401) expect([status, error?.code], name).toEqual([200, -32000]);
  }
  const facts = await mcp.callTool({ name: "key_status", args: { tokenId } });
  expect(facts.result!.structuredContent).toMatchObject({ owner: other.address, used: false });
});

test("the resource is described at its well-known address and nowhere else", async () => {
  const resource = {
    resource: `${gate.origin}/api/mcp`,
    scopes_supported: ["tools"],
    bearer_methods_supported: ["header", "body", "query"],
  };
  for (const suffix of ["/api/mcp", "", "/"]) {
    const { status, body } = await gate.ask({ path: `/.well-known/oauth-protected-resource${suffix}` });
    expect([status, body], suffix).toMatchObject([200, resource]);
  }
  expect((await gate.ask({ path: "/.well-known/oauth-protected-resource/api/chat" })).status).toBe(404);
});

test("the tools move to the path of MCP_ENDPOINT, which every document then names", async () => {
  const { origin } = await startChatServer({
    gate,
    env: { ...required, MCP_ENDPOINT: "/tools/mcp", RATE_LIMIT_MCP: "3/60" },
  });
  const moved = mcpOf({ origin, path: "/tools/mcp" });
  const refused = await moved.post({ method: "tools/list" });
  expect(refused.headers.get("www-authenticate")).toContain(
    `resource_metadata="${origin}/.well-known/oauth-protected-resource/tools/mcp"`,
  );
  expect(refused.headers.get("x-ratelimit-remaining")).toBe("2");
  expect((await moved.send({ method: "GET" })).status).toBe(405);
  expect((await moved.send({ headers: json, body: "{" })).status).toBe(400);
  expect((await fetch(`${origin}/api/mcp`, { method: "POST" })).status).toBe(404);
  expect((await moved.post({ method: "ping" })).status).toBe(401);
  const limited = await moved.post({ method: "ping" });
  expect([limited.status, limited.body]).toEqual([
    429,
    { error: { code: -32000, message: expect.any(String) as string } },
  ]);
  expect(Number(limited.headers.get("retry-after"))).toBeGreaterThan(0);
  const described = await fetch(`${origin}/.well-known/oauth-protected-resource/tools/mcp`);
  expect(await described.json()).toMatchObject({ resource: `${origin}/tools/mcp` });
  const description = await (await fetch(`${origin}/api/openapi`)).text();
  expect(description).toContain("/.well-known/oauth-protected-resource/tools/mcp");
  expect(description).not.toContain("/api/mcp");
  expect(await (await fetch(`${origin}/docs`)).text()).not.toContain("/api/mcp");
});
