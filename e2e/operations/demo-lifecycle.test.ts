import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { isAlive, waitUntil } from "~e2e/support/processes";
import { mcpOf } from "../api/mcp-fixture";

/** Only Linux shows child processes without another program. */
const canSeeChildren = process.platform === "linux";

async function descendantsOf(pid: number): Promise<number[]> {
  const children = (await readFile(`/proc/${pid}/task/${pid}/children`, "utf8")).split(" ").filter(Boolean);
  const further = await Promise.all(children.map((child) => descendantsOf(Number(child))));
  return [...children.map(Number), ...further.flat()];
}

type KeyList = {
  keys: {
    name: string;
    contract?: string;
    requires?: { any: { erc20: string; get: { url: string } }[] };
  }[];
};

test.runIf(canSeeChildren)(
  "a demo answers from its documents at once, and when killed shuts down its server and its chain",
  async () => {
    const dataDir = await mkdtemp(path.join(os.tmpdir(), "latchkey-demo-"));
    onTestFinished(() => rm(dataDir, { recursive: true, force: true }));
    const demo = spawn(process.execPath, ["app/commands/demo.mjs"], {
      stdio: ["ignore", "pipe", "inherit"],
      env: { PATH: process.env.PATH, PORT: "0", DATA_DIR: dataDir } as unknown as NodeJS.ProcessEnv,
    });
    let output = "";
    demo.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
    onTestFinished(() => void demo.kill("SIGKILL"));
    await waitUntil(() => output.includes("Latchkey is ready at"), { timeoutMs: 60_000 });
    const origin = /ready at\s+(http:\S+)/.exec(output)![1]!;
    expect((await fetch(`${origin}/api/nonce`)).status).toBe(200);
    const siteOrigin = /A site behind it\s+(http:\S+)/.exec(output)![1]!;
    const page = { headers: { Accept: "text/html" }, redirect: "manual" } as const;
    const stranger = await fetch(`${siteOrigin}/tides.html?station=harbour`, page);
    expect(stranger.status).toBe(302);
    const toGate = await fetch(stranger.headers.get("Location")!, page);
    expect(toGate.headers.get("Location")).toContain(`${origin}/gate?door=`);
    // Works without `npm run index`.
    const found = await mcpOf({ origin }).callTool({
      name: "libsql_search",
      args: { query: "How do I gate my own contract?", topK: 1 },
    });
    expect(found.text).toContain("gate-your-own-contract.md");
    const { keys } = (await (await fetch(`${origin}/api/keys`)).json()) as KeyList;
    const [first, second] = keys;
    expect(second).toMatchObject({ name: "friends", standard: "membership" });
    // The faucet gives away only the coin that the second kind requires.
    const { erc20, get } = second!.requires!.any[0]!;
    expect(get.url.toLowerCase()).toBe(`${origin}/demo/faucet?token=${erc20}`);
    const askFaucet = (token: string) =>
      fetch(`${origin}/demo/faucet`, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ address: `0x${"0a".repeat(20)}`, token }),
      });
    expect((await askFaucet(erc20)).status).toBe(200);
    expect((await askFaucet(first!.contract!)).status).toBe(400);
    // The server, the chain's guard, and the chain.
    const started = await descendantsOf(demo.pid!);
    onTestFinished(() => {
      for (const pid of started.filter(isAlive)) process.kill(pid, "SIGKILL");
    });
    expect(started.length).toBeGreaterThanOrEqual(3);

    demo.kill("SIGKILL");
    await waitUntil(() => !started.some(isAlive), { timeoutMs: 20_000 });
    await expect(fetch(`${origin}/healthz`)).rejects.toThrow();
    // After a proper stop, everything is in the one file.
    const log = await stat(path.join(dataDir, "latchkey.db-wal")).catch(() => null);
    expect(log?.size ?? 0).toBe(0);
  },
  120_000,
);
