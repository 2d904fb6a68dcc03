import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import type { Closers } from "./close-on-signals";
import { openBenchSite } from "./bench-site";
import type { Server } from "./bench-site";
import { originOf } from "./http-requests";
import { preparePluginSignIns } from "./sign-in";

const run = promisify(execFile);
const minutes = 60_000;

test(
  "the benchmark measures an operation beside its peer, and rejects what it doesn't know",
  async () => {
    const bench = (...parameters: string[]) =>
      run(process.execPath, ["--import", "tsx", "e2e/bench/run-bench.ts", ...parameters]);
    const { stdout } = await bench("--only", "status", "--rounds", "1");
    expect(stdout).toMatch(
      /^\| token-status +\| \d+\.\d\dx plain Express \+ Prisma \(at most 1\.50x\) +\| +[\d.]+ ms of CPU \|/m,
    );
    await expect(bench("--only", "sowi")).rejects.toThrow("one of: siwe");
    await expect(bench("--only", "status", "--write")).rejects.toThrow("Leave out --only");
  },
  4 * minutes,
);

async function openSite() {
  const closers: Closers = [];
  onTestFinished(async () => {
    for (const close of closers.splice(0).reverse()) await close();
  });
  return await openBenchSite(closers, new Set(["plain", "better-auth", "MCP SDK"] as const));
}

async function ask({ target }: Server, path: string, json?: object) {
  const headers = { "Content-Type": "application/json", Accept: "application/json, text/event-stream" };
  const init = json && { headers, body: JSON.stringify(json) };
  const response = await fetch(`${originOf(target)}${path}`, { method: json ? "POST" : "GET", ...init });
  return { status: response.status, text: await response.text() };
}

test(
  "the peers do their work: nonces differ, the plugin refuses a spent nonce, a wrong signature and a stranger's key",
  async () => {
    const servers = await openSite();
    const plain = servers.plain!;
    const nonces = [await ask(plain, "/api/nonce"), await ask(plain, "/api/nonce")];
    expect(new Set(nonces.map(({ text }) => text)).size).toBe(2);
    const status = await ask(plain, "/api/token-status/7");
    expect(JSON.parse(status.text)).toMatchObject({ tokenId: "7", used: false });
    const tools = await ask(servers["MCP SDK"]!, "/", { jsonrpc: "2.0", id: 1, method: "tools/list" });
    expect(tools.text).toContain("key_status");

    const plugin = servers["better-auth"]!;
    const { target } = plugin;
    const [holder, other] = target.holders;
    const sign = async (signer: typeof holder) => {
      const holders = [{ ...holder!, sign: signer!.sign }];
      const [request] = await preparePluginSignIns({ ...target, holders }, 1);
      return request!.json as object;
    };
    const path = "/api/auth/siwe/verify";
    const proof = await sign(holder);
    expect((await ask(plugin, path, proof)).status).toBe(200);
    expect((await ask(plugin, path, proof)).status).toBe(401);
    expect((await ask(plugin, path, await sign(other))).status).toBe(401);
  },
  2 * minutes,
);
