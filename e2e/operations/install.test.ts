import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";

const run = promisify(execFile);

/** A project with one build package beside it, and the project's own first step. */
async function makeProject(): Promise<{ dir: string; prepare: () => Promise<{ stderr: string }> }> {
  const dir = await mkdtemp(path.join(os.tmpdir(), "latchkey-install-"));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  const write = async (file: string, text: string) => {
    await mkdir(path.dirname(path.join(dir, file)), { recursive: true });
    await writeFile(path.join(dir, file), text);
  };
  const env = {
    ...process.env,
    NODE_ENV: undefined,
    npm_config_cache: path.join(dir, "cache"),
    npm_config_offline: "true",
  };
  const npm = (...parameters: string[]) =>
    run("npm", parameters, { cwd: dir, env: env as unknown as NodeJS.ProcessEnv });
  await write("tool/package.json", JSON.stringify({ name: "build-tool", version: "1.0.0" }));
  await npm("pack", "./tool");
  const devDependencies = { "build-tool": "file:build-tool-1.0.0.tgz" };
  await write("package.json", JSON.stringify({ name: "project", version: "1.0.0", devDependencies }));
  await npm("install", "--package-lock-only");
  await write("prisma/generate.mjs", "");
  await cp("app/commands/prepare.mjs", path.join(dir, "app/commands/prepare.mjs"));
  const production = { ...env, NODE_ENV: "production" } as unknown as NodeJS.ProcessEnv;
  const prepare = () => run(process.execPath, ["app/commands/prepare.mjs"], { cwd: dir, env: production });
  return { dir, prepare };
}

test("a fresh clone installs what its build needs, also with NODE_ENV=production", async () => {
  const { dir, prepare } = await makeProject();
  await prepare();
  expect(existsSync(path.join(dir, "node_modules/build-tool/package.json"))).toBe(true);
});

test("packages that cannot be installed are told in a sentence, after npm's own words", async () => {
  const { dir, prepare } = await makeProject();
  for (const site of ["build-tool-1.0.0.tgz", "cache"]) await rm(path.join(dir, site), { recursive: true });
  const failure = await prepare().catch((error: unknown) => error as { code: number; stderr: string });
  expect(failure).toMatchObject({ code: 1 });
  expect(failure.stderr).toMatch(
    /^npm error[^]*\nPackages that the build needs are not installed\. Run `npm ci/,
  );
  expect(failure.stderr).not.toContain("    at ");
});
