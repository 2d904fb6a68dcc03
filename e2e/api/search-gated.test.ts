import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { waitUntil } from "~e2e/support/processes";
import { limitsOff } from "~e2e/support/limits";
import { signInNew, startChatServer } from "./chat-fixture";
import { openGate } from "./gate-fixture";
import type { Gate } from "./gate-fixture";
import { mcpOf } from "./mcp-fixture";

const pages = {
  "public.md": "---\ntitle: Open\naudience: everyone\n---\n# Open\n\nThe lighthouse is painted white.",
  "unmarked.md": "# Lighthouse\n\nThe lighthouse cellar holds quinces.",
  "crew.md": "---\nnamespace: crew\naudience: holders\n---\nThe lighthouse crew plays chess.",
  "keeper.md": "---\naudience: operators\n---\nThe lighthouse safe opens with mangosteen.",
  "typo.md": "---\naudience: evryone\n---\nThe lighthouse lamp burns rambutan.",
  "inner.md": "---\ntitle: Inner\nnamespace: inner\n---\n# Inner\n\nThe lighthouse password is kumquat.",
};

let contentDir: string;
let gate: Gate;
let mcp: ReturnType<typeof mcpOf>;
beforeAll(async () => {
  contentDir = await mkdtemp(path.join(tmpdir(), "latchkey-gated-"));
  await mkdir(path.join(contentDir, "knowledge"));
  for (const [name, text] of Object.entries(pages)) {
    await writeFile(path.join(contentDir, "knowledge", name), text);
  }
  gate = await openGate({ env: { ...limitsOff, ...gatedSearch() } });
  mcp = mcpOf(gate);
  await waitUntil(async () => (await search("__default__", "lighthouse")).text.includes("white"));
});
afterAll(async () => {
  await gate.close();
  await rm(contentDir, { recursive: true });
});

const gatedSearch = () => ({
  CONTENT_DIR: contentDir,
  SEARCH_GATED_NAMESPACES: "Inner",
  AI_OFFLINE_WORD_MS: "0",
});

async function search(
  namespace: string,
  query: string,
  headers: Record<string, string> = {},
  at: ReturnType<typeof mcpOf> = mcp,
) {
  const args = { query, namespace };
  const { result, error } = await at.callTool({ name: "libsql_search", args, headers });
  return { isError: error?.code === -32000, text: JSON.stringify(result ?? error) };
}

test("a holder finds documents of a gated namespace", async () => {
  const { bearer } = await signInNew(gate);
  const found = await search("inner", "password", bearer);
  expect(found.isError).toBe(false);
  expect(found.text).toContain("kumquat");
});

test("a gated namespace and a missing one are the same to a stranger", async () => {
  const told = await search("inner", "password");
  expect(told.isError).toBe(true);
  const never = await search("never", "password");
  expect(told.text.replaceAll("inner", "?")).toBe(never.text.replaceAll("never", "?"));
  expect((await search("INNER", "password")).isError).toBe(true);
});

test("nothing gated is in what a stranger finds elsewhere, or is told by the assistant", async () => {
  expect((await search("__default__", "lighthouse password kumquat")).text).not.toContain("kumquat is");
  const answer = await fetch(`${gate.origin}/api/chat`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ messages: [{ role: "user", content: "What is the lighthouse password?" }] }),
  });
  expect(await answer.text()).not.toContain("kumquat");
});

const sayOf = async (origin: string, question: string, bearer: Record<string, string> = {}) => {
  const body = JSON.stringify({ messages: [{ role: "user", content: question }] });
  const headers = { "Content-Type": "application/json", ...bearer };
  return (await fetch(`${origin}/api/chat`, { method: "POST", headers, body })).text();
};

/** Searches for the lighthouse by every route. */
async function askEveryWay(bearer: Record<string, string> = {}) {
  const args = { query: "lighthouse", topK: 100 };
  const params = { name: "libsql_search", arguments: args };
  const message = { jsonrpc: "2.0", id: 1, method: "tools/call", params };
  const accept = { Accept: "application/json, text/event-stream", "MCP-Protocol-Version": "2025-06-18" };
  return [
    JSON.stringify((await mcp.callTool({ name: "libsql_search", args, headers: bearer })).body),
    JSON.stringify((await mcp.post(message, { ...accept, ...bearer })).body),
    await sayOf(gate.origin, args.query, bearer),
  ];
}

test("each way to search gives a stranger the pages for everyone, and a holder those for holders too", async () => {
  for (const said of await askEveryWay()) {
    expect(said).toContain("white");
    expect(said).not.toMatch(/quinces|chess|mangosteen|rambutan|(unmarked|crew|keeper|typo)\.md/);
  }
  const { bearer } = await signInNew(gate);
  for (const said of await askEveryWay(bearer)) {
    expect(said).toContain("white");
    expect(said).toContain("quinces");
    expect(said).not.toMatch(/mangosteen|rambutan|(keeper|typo)\.md/);
  }
  expect((await search("crew", "chess", bearer)).text).toContain("chess");
});

test("a namespace without a page for everyone and a missing one are the same to a stranger", async () => {
  const told = await search("crew", "chess");
  const never = await search("never", "chess");
  expect(told.isError).toBe(true);
  expect(told.text.replaceAll("crew", "?")).toBe(never.text.replaceAll("never", "?"));
});

test("the log says at each start how many pages strangers can read, and which page nobody can", async () => {
  const dataDir = await mkdtemp(path.join(tmpdir(), "latchkey-audience-"));
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }));
  const untilIndexed = async () => {
    const { server } = await startChatServer({ gate, env: gatedSearch(), dataDir });
    await waitUntil(() => server.output().includes('"knowledge indexed"'));
    await server.stop();
    return server.output().split("\n");
  };
  await untilIndexed();
  const lines = await untilIndexed();
  expect(lines.find((line) => line.includes('"knowledge indexed"'))).toMatch(
    /"forStrangers":1,"forHolders":4\b/,
  );
  expect(lines.find((line) => line.includes('"knowledge page omitted"'))).toMatch(/typo\.md.*audience/);
  expect(lines.join()).not.toContain("keeper.md");
});

test("with KNOWLEDGE_AUDIENCE a page that names no audience is for everyone", async () => {
  const { origin } = await startChatServer({
    gate,
    env: { ...gatedSearch(), KNOWLEDGE_AUDIENCE: "everyone" },
  });
  const at = mcpOf({ origin });
  await waitUntil(async () => (await search("__default__", "cellar", {}, at)).text.includes("quinces"));
  expect((await search("crew", "chess", {}, at)).isError).toBe(true);
  expect((await search("inner", "password", {}, at)).isError).toBe(true);
});

test("an invalid token finds nothing gated", async () => {
  const { account, tokenId, bearer } = await signInNew(gate);
  const message = "Goodbye.";
  const form = await gate.formBody({ account, tokenId, message });
  expect((await gate.post("/api/form-submission-gate", form)).status).toBe(200);
  const args = { query: "password", namespace: "inner" };
  expect((await mcp.callTool({ name: "libsql_search", args, headers: bearer })).status).toBe(401);
});

test("a holder who just gave the key away finds nothing gated, before any watcher has polled", async () => {
  // The watcher sleeps and no reading is cached, so only the search itself can notice.
  const { origin, signIn } = await startChatServer({
    gate,
    env: {
      ...gatedSearch(),
      CHAIN_POLL_SECONDS: "300",
      OWNERSHIP_CACHE_SECONDS: "0",
    },
  });
  const at = mcpOf({ origin });
  const { account, tokenId, bearer } = await signInNew(gate, { signIn });
  const other = await signInNew(gate, { signIn });
  await waitUntil(async () => (await search("inner", "password", bearer, at)).text.includes("kumquat"));
  await gate.transferKey({ from: account, to: other.account.address, tokenId });

  for (const namespace of ["inner", "never"]) {
    const args = { query: "password", namespace };
    const told = await at.callTool({ name: "libsql_search", args, headers: bearer });
    expect([told.status, told.body]).toEqual([
      401,
      {
        error: {
          code: -32001,
          message: expect.stringMatching(/^Unauthorized: invalid JWT\. .*another wallet/),
        },
      },
    ]);
  }
});
