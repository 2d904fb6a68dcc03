import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { openGate } from "./gate-fixture";
import type { Gate } from "./gate-fixture";

let gate: Gate;
beforeAll(async () => {
  gate = await openGate();
});
afterAll(() => gate.close());

function runShell({ script, env }: { script: string; env: Record<string, string> }) {
  return new Promise<{ failed: boolean; stdout: string; stderr: string }>((resolve) => {
    const options = { env: { PATH: process.env.PATH, ...env } as unknown as NodeJS.ProcessEnv };
    execFile("bash", ["-euo", "pipefail", "-c", script], options, (error, stdout, stderr) =>
      resolve({ failed: error !== null, stdout, stderr }),
    );
  });
}

test("the shell blocks of docs/api.md work as they stand there, one after another", async () => {
  const privateKey = generatePrivateKey();
  const { account, tokenId } = await gate.mintKey();
  await gate.transferKey({ from: account, to: privateKeyToAccount(privateKey).address, tokenId });
  const text = await readFile("docs/api.md", "utf8");
  const blocks = [...text.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block]) => block!);
  expect(blocks).toHaveLength(6);

  const separated = blocks.join("\necho '<next>'\n");
  const env = { ORIGIN: gate.origin, TOKEN_ID: tokenId, LATCHKEY_PRIVATE_KEY: privateKey };
  const { failed, stdout, stderr } = await runShell({ script: separated, env });
  expect(failed, stderr).toBe(false);
  const answers = stdout
    .split("<next>")
    .slice(1)
    .map((part) => JSON.parse(part) as Record<string, unknown>);
  const [siwe, bearer, legacy, form, status] = answers;
  expect(siwe).toMatchObject({ access: "granted", accessToken: expect.any(String) });
  expect(bearer).toMatchObject({ access: "granted", content: expect.any(Object) });
  expect(legacy).toMatchObject({ access: "granted", accessToken: expect.any(String) });
  expect(form).toEqual({ success: true, message: "Access granted" });
  expect(status).toMatchObject({ tokenId, exists: true, used: true });
});
