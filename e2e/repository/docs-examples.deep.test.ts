import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { startServer } from "~e2e/support/running-server";
import { startGateServer } from "../support/browser/gate-server";
import { clientOf, openGate } from "../api/gate-fixture";
import type { Gate } from "../api/gate-fixture";

let gate: Gate;
beforeAll(async () => {
  gate = await openGate();
});
afterAll(() => gate.close());

function runShell(script: string, env: Record<string, string>) {
  return new Promise<{ failed: boolean; stdout: string; stderr: string }>((resolve) => {
    const options = { env: { PATH: process.env.PATH, ...env } as unknown as NodeJS.ProcessEnv };
    execFile("bash", ["-euo", "pipefail", "-c", script], options, (error, stdout, stderr) =>
      resolve({ failed: error !== null, stdout, stderr }),
    );
  });
}

test("the shell blocks of docs/api.md work as written, one after another", async () => {
  const privateKey = generatePrivateKey();
  const { account, tokenId } = await gate.mintKey();
  await gate.transferKey({ from: account, to: privateKeyToAccount(privateKey).address, tokenId });
  const text = await readFile("docs/api.md", "utf8");
  const blocks = [...text.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block]) => block!);
  expect(blocks).toHaveLength(9);

  const separated = blocks.join("\necho '<next>'\n");
  const env = { ORIGIN: gate.origin, TOKEN_ID: tokenId, LATCHKEY_PRIVATE_KEY: privateKey };
  const { failed, stdout, stderr } = await runShell(separated, env);
  expect(failed, stderr).toBe(false);
  const answers = stdout
    .split("<next>")
    .slice(1)
    .map((part) => JSON.parse(part) as Record<string, unknown>);
  const [siwe, bearer, quota, legacy, form, status, keys, models] = answers;
  expect(siwe).toMatchObject({ access: "granted", accessToken: expect.any(String) });
  expect(bearer).toMatchObject({ access: "granted", content: expect.any(Object) });
  expect(quota).toMatchObject({ active: false, used: 0, reserved: 0 });
  expect(legacy).toMatchObject({ access: "granted", accessToken: expect.any(String) });
  expect(form).toEqual({ success: true, message: "Access granted" });
  expect(status).toMatchObject({ tokenId, exists: true, used: true });
  expect(keys).toMatchObject({ keys: [{ name: "key", standard: "erc721" }] });
  expect(models).toEqual({ object: "list", data: [{ id: "offline", object: "model" }] });
});

async function readShellBlocks(file: string): Promise<string[]> {
  const text = await readFile(file, "utf8");
  return [...text.matchAll(/^( *)```sh\n([\s\S]*?)^\1```$/gm)].map(([, , block]) => block!);
}

/** The demo's address in the texts. Here it differs. */
const demoOrigin = "http://localhost:3000";

test("the README's shell block opens the gate and asks the assistant against a demo", async () => {
  const server = await startGateServer();
  try {
    const block = (await readShellBlocks("README.md")).find((text) => text.includes("client -- mint"))!;
    // The client uses the demo's address by default.
    const script = block
      .replaceAll(demoOrigin, server.baseUrl)
      .replaceAll(/client -- (mint|sign)/g, `client -- $1 --origin ${server.baseUrl}`);
    const env = { HOME: process.env.HOME ?? "" };
    const { failed, stdout, stderr } = await runShell(script, env);
    expect(failed, stderr).toBe(false);
    const [siweLine, bearerLine, ...events] = stdout.trim().split("\n");
    const [siwe, bearer] = [siweLine, bearerLine].map((line) => JSON.parse(line!) as Record<string, unknown>);
    expect(siwe).toMatchObject({ access: "granted", accessToken: expect.any(String) });
    expect(bearer).toMatchObject({ access: "granted", content: expect.any(Object) });
    expect(events.join("\n")).toContain('"type":"text-delta"');
    expect(events.at(-1)).toBe("data: [DONE]");
  } finally {
    await server.stop();
  }
}, 120_000);

test("the shell blocks of docs/chat.md ask the assistant, take an answer up and reset quotas as they stand there", async () => {
  const secret = "a-secret-of-the-tests-for-quotas-only";
  const server = await startServer({
    env: {
      RPC_URL: gate.chain.rpcUrl,
      KEY_CONTRACT_ADDRESS: gate.contract,
      AI_OFFLINE_WORD_MS: "0",
      NEXT_PUBLIC_AI_CHAT_REQUIRES_JWT: "true",
      AI_QUOTA_RESET_SECRET: secret,
    },
  });
  try {
    const blocks = await readShellBlocks("docs/chat.md");
    expect(blocks).toHaveLength(3);
    const [ask, resume, reset] = blocks.map((block) => block.replaceAll(demoOrigin, server.origin));
    const { accessToken } = (await clientOf(server).signIn(await gate.mintKey())).body;
    const token = `-H "Authorization: Bearer $ACCESS_TOKEN"`;
    expect(await readFile("docs/chat.md", "utf8")).toContain(token);
    const env = { ACCESS_TOKEN: String(accessToken), SECRET: secret };
    const output = await runShell(ask!.replace("curl -sN", `curl -sN ${token}`), env);
    expect(output.failed, output.stderr).toBe(false);
    expect(output.stdout).toContain('"type":"text-delta"');
    expect(output.stdout.trimEnd()).toMatch(/data: \[DONE\]$/);
    const refused = await runShell(ask!, env);
    expect(JSON.parse(refused.stdout)).toMatchObject({ error: "Unauthorized: missing JWT" });
    const resumed = await runShell(
      resume!.replaceAll(/curl -sN?/g, (command) => `${command} ${token}`),
      env,
    );
    expect(resumed.failed, resumed.stderr).toBe(false);
    const [whole, rest] = resumed.stdout.split(/(?<=data: \[DONE\])\n+/);
    expect(rest).toMatch(/^id: 13\n/);
    expect(whole).toContain(rest!.trim());
    const resetted = await runShell(reset!, env);
    expect(resetted.failed, resetted.stderr).toBe(false);
    expect(JSON.parse(resetted.stdout)).toMatchObject({ ok: true, scope: "token", token: { deleted: 1 } });
  } finally {
    await server.stop();
  }
});
