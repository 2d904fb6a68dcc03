import { execFile } from "node:child_process";
import { expect, test } from "vitest";

function runClient(
  ...parameters: string[]
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const all = ["--import", "tsx", "app/commands/client.ts", ...parameters];
  return new Promise((resolve) => {
    const child = execFile(process.execPath, all, (_error, stdout, stderr) =>
      resolve({ code: child.exitCode, stdout, stderr }),
    );
  });
}

test("the command names in words what it cannot do, and a wrong call gets the usage", async () => {
  const [unknown, missing, nowhere, none] = await Promise.all([
    runClient("--orgin", "http://localhost:3000"),
    runClient("bearer"),
    runClient("nonce", "--origin", "http://127.0.0.1:1"),
    runClient(),
  ]);
  expect(unknown).toMatchObject({ code: 1, stdout: "" });
  expect(unknown.stderr).toMatch(/^Unknown option '--orgin'.*\n\nUsage: npm run -s client/);
  expect(missing).toMatchObject({ code: 1, stdout: "" });
  expect(missing.stderr).toMatch(/^--token is needed\.\n\nUsage: npm run -s client/);
  expect(nowhere).toMatchObject({ code: 1, stdout: "" });
  expect(nowhere.stderr).toMatch(/^http:\/\/127\.0\.0\.1:1 could not be reached: .*\n$/);
  expect(none).toMatchObject({
    code: 1,
    stderr: "",
    stdout: expect.stringContaining("mint a key") as string,
  });
  for (const { stderr } of [unknown, missing, nowhere]) expect(stderr).not.toMatch(/^\s+at /m);
}, 60_000);
