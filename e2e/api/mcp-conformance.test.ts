import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { limitsOff } from "~e2e/support/limits";
import { openGate } from "./gate-fixture";
import type { Gate } from "./gate-fixture";

const suite = path.resolve("node_modules/@modelcontextprotocol/conformance/dist/index.js");
const baseline = path.resolve("e2e/api/mcp-conformance.yml");

let gate: Gate;
let dir: string;
beforeAll(async () => {
  gate = await openGate({ env: limitsOff });
  // The suite writes its results to its working folder.
  dir = await mkdtemp(path.join(os.tmpdir(), "latchkey-conformance-"));
});
afterAll(async () => {
  await gate.close();
  await rm(dir, { recursive: true, force: true });
});

function runSuite(parameters: readonly string[]): Promise<{ code: number | null; output: string }> {
  const all = [suite, "server", "--url", `${gate.origin}/api/mcp`, ...parameters];
  return new Promise((resolve) => {
    const child = execFile(process.execPath, all, { cwd: dir, timeout: 120_000 }, (_error, stdout, stderr) =>
      resolve({ code: child.exitCode, output: `${stdout}${stderr}` }),
    );
  });
}

test(
  "the official conformance suite reports exactly the committed list of findings",
  { timeout: 180_000 },
  async () => {
    const { code, output } = await runSuite(["--suite", "all", "--expected-failures", baseline]);
    expect(code, output).toBe(0);
    for (const passing of ["server-initialize", "ping", "tools-list", "dns-rebinding-protection"]) {
      expect(output).toMatch(new RegExp(`✓ ${passing}: [1-9]\\d* passed, 0 failed`));
    }
    expect(output).toMatch(/Total: [5-9] passed/);

    // The list must match exactly. A missing or superfluous scenario fails the suite.
    const text = await readFile(baseline, "utf8");
    const shorter = path.join(dir, "shorter.yml");
    await writeFile(shorter, text.replace("  - prompts-list\n", ""));
    expect((await runSuite(["--scenario", "prompts-list", "--expected-failures", shorter])).code).toBe(1);
    const longer = path.join(dir, "longer.yml");
    await writeFile(longer, `${text}  - ping\n`);
    expect((await runSuite(["--scenario", "ping", "--expected-failures", longer])).code).toBe(1);
  },
);
