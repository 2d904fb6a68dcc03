import { mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startServer } from "~e2e/support/running-server";
import { signInNew } from "./chat-fixture";
import { clientOf, openGate } from "./gate-fixture";
import type { Gate } from "./gate-fixture";

let gate: Gate;
let contentDir: string;

beforeAll(async () => {
  contentDir = await mkdtemp(path.join(os.tmpdir(), "latchkey-content-"));
  await writeFile(path.join(contentDir, "welcome.md"), "Come in.");
  gate = await openGate({
    env: { AI_PROVIDER: "disabled", MCP_ENDPOINT: "disabled", CONTENT_DIR: contentDir },
  });
});
afterAll(async () => {
  await gate.close();
  await rm(contentDir, { recursive: true, force: true });
});

/** A response without the parts that always differ, such as its own address. */
async function ask(address: string, method: string) {
  const headers = { Accept: "text/html", ...(method === "POST" && { "Content-Type": "application/json" }) };
  const body = method === "POST" ? "{}" : undefined;
  const response = await fetch(gate.origin + address, { method, headers, body });
  const text = (await response.text())
    .replaceAll(response.headers.get("x-request-id")!, "<id>")
    .replaceAll(/nonce(?:\\?":\\?"|=")[^"\\]+/g, "<nonce>")
    .replaceAll(address.replace(/\.data$/, ""), "<address>");
  const names = ["content-type", "allow", "cache-control", "x-problem", "www-authenticate"];
  return { status: response.status, text, headers: names.map((name) => response.headers.get(name)) };
}

test.each([
  ["/chat", "/chet"],
  ["/chat.data", "/chet.data"],
  ["/api/chat", "/api/chet"],
  ["/api/chat/conversation-0001/stream", "/api/chet/conversation-0001/stream"],
  ["/api/chat/conversation-0001/stop", "/api/chet/conversation-0001/stop"],
  ["/api/models", "/api/medels"],
  ["/api/quota", "/api/queta"],
  ["/api/mcp", "/api/mcq"],
  ["/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resaurce"],
  ["/.well-known/oauth-protected-resource/api/mcp", "/.well-known/oauth-protected-resaurce/api/mcp"],
])("%s is as unknown as %s", async (off, unknown) => {
  for (const method of ["GET", "HEAD", "POST", "DELETE", "OPTIONS"]) {
    const answer = await ask(off, method);
    expect(answer, method).toEqual(await ask(unknown, method));
    if (["GET", "HEAD", "POST"].includes(method)) expect(answer.status, method).toBe(404);
  }
});

const named = /.{0,60}(?:\bchats?\b|\bconversations?\b|\btools?\b|\bmcp\b).{0,60}/gi;

test.each([
  "/",
  "/gate",
  "/docs",
  "/problems",
  "/offline",
  "/nowhere",
  "/api/openapi",
  "/api/keys",
  "/api/settings",
  "/manifest.webmanifest",
  "/sw.js",
  "/readyz",
])("%s neither names nor links the chat or the tools", async (address) => {
  const text = await (await fetch(gate.origin + address)).text();
  expect(text.length).toBeGreaterThan(80);
  expect([...text.matchAll(named)].map(([found]) => found)).toEqual([]);
});

test("a holder's room names neither, and what belongs to neither goes on", async () => {
  const { token } = await signInNew(gate);
  const cookie = `access_token=${token}`;
  const room = await (await fetch(`${gate.origin}/gate`, { headers: { cookie } })).text();
  expect(room).toContain("Come in.");
  expect(room).toContain("Signed in for");
  expect([...room.matchAll(named)].map(([found]) => found)).toEqual([]);
  const spoken = await gate.post("/api/tts", { text: "Come in." });
  expect(spoken.status).toBe(200);
});

test("with the tools alone switched off, the chat answers, and searches for it", async () => {
  const env = {
    RPC_URL: gate.chain.rpcUrl,
    KEY_CONTRACT_ADDRESS: gate.contract,
    MCP_ENDPOINT: "disabled",
    AI_OFFLINE_WORD_MS: "0",
  };
  const server = await startServer({ env });
  try {
    const client = clientOf(server);
    expect(
      (await client.ask({ path: "/api/mcp", method: "POST", json: { method: "tools/list" } })).status,
    ).toBe(404);
    const question = { messages: [{ role: "user", content: "What is Latchkey?" }] };
    const init = {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(question),
    };
    const reply = await (await fetch(`${server.origin}/api/chat`, init)).text();
    expect(reply).toContain('"type":"tool-output-available"');
    expect(await (await fetch(`${server.origin}/gate`)).text()).not.toContain("tools for programs");
    expect(await (await fetch(server.origin)).text()).toContain('href="/chat"');
  } finally {
    await server.stop();
  }
});
