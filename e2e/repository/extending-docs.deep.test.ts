import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { mcpOf } from "~e2e/api/mcp-fixture";
import { startServer } from "~e2e/support/running-server";

type Example = { section: string; file: string; list: string | null; code: string };

/** Copies the sources without build output, so a test may write to them. */
async function copyProject(): Promise<string> {
  const dir = await mkdtemp(path.join(os.tmpdir(), "latchkey-copy-"));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  const isSource = (file: string) => !/\.test\.tsx?$|[\\/]public[\\/]build$/.test(file);
  const files = ["server.ts", "remix.config.js", "tsconfig.json", "package.json", "package-lock.json"];
  for (const name of ["app", "public", ...files]) {
    await cp(name, path.join(dir, name), { recursive: true, filter: isSource });
  }
  for (const name of ["node_modules", "prisma", "contracts"]) {
    await symlink(path.resolve(name), path.join(dir, name));
  }
  return dir;
}

/** Runs a program of this project's packages. Returns its output if it fails. */
function run(dir: string, parameters: string[]): Promise<string | null> {
  const env = { ...process.env, NODE_ENV: "production" } as unknown as NodeJS.ProcessEnv;
  return new Promise((resolve) => {
    execFile(process.execPath, parameters, { cwd: dir, env }, (error, stdout, stderr) =>
      resolve(error === null ? null : `${stdout}${stderr}`),
    );
  });
}

/**
 * The `ts` blocks, each for the last file named in the text above it. A block after "In `file`:" goes to the file's
 * top, one after "in its `list`" to the beginning of that list.
 */
function readExamples(text: string): Example[] {
  return text.split(/^## /m).flatMap((part) => {
    const section = part.split("\n")[0]!;
    let file = "";
    return [...part.matchAll(/([\s\S]*?)^```ts\n([\s\S]*?)^```$/gm)].map(([, words = "", code = ""]) => {
      const introduction = words.trim().split("\n\n").at(-1)!.replaceAll("\n", " ");
      file = [...introduction.matchAll(/`((?:app|e2e)\/[\w./-]+)`/g)].at(-1)?.[1] ?? file;
      const list = /in its `(\w+)`/.exec(introduction)?.[1] ?? null;
      return { section, file, list, code };
    });
  });
}

async function addExample(dir: string, { file, list, code }: Example): Promise<void> {
  const target = path.join(dir, file);
  const current = await readFile(target, "utf8").catch(() => "");
  if (list === null) return await writeFile(target, `${code}${current}`);
  const parts = current.split(new RegExp(`(\\bconst ${list}\\b[^=]*= [[{])`));
  expect(parts, `one list ${list} in ${file}`).toHaveLength(3);
  await writeFile(target, `${parts[0]}${parts[1]}${code}${parts[2]}`);
}

/** Checks the guide's example setting: its value when set, its default, and a refusal by name. */
const settingCheck = `
import { parseConfig } from "~/settings.server";
const given = { LATCHKEY_MODE: "development", KEY_CONTRACT_ADDRESS: "0x${"12".repeat(20)}" };
const set: number = parseConfig({ ...given, SITE_DOMAIN_COUNT: "3" }).tools.domainCount;
const unset: number = parseConfig(given).tools.domainCount;
process.stdout.write(\`\${set} and \${unset}\\n\`);
parseConfig({ ...given, SITE_DOMAIN_COUNT: "101" });
`;

async function expectSetting(dir: string): Promise<void> {
  const said = await run(dir, ["--import", "tsx", "setting-check.ts"]);
  expect(said).toMatch(/^3 and 10\n[^]*SITE_DOMAIN_COUNT must be a whole number from 1 to 100\./);
  const folder = path.join(dir, "e2e/repository");
  await mkdir(folder, { recursive: true });
  await mkdir(path.join(dir, "docs"));
  for (const file of ["env-example.ts", "render-settings.ts"])
    await cp(path.join("e2e/repository", file), path.join(folder, file));
  expect(await run(dir, ["--import", "tsx", "e2e/repository/env-example.ts"])).toBeNull();
  expect(await readFile(path.join(dir, "docs/settings.md"), "utf8")).toContain(
    "| `SITE_DOMAIN_COUNT` | 1 to 100 | `10` | How many domains the tool site_domain tells. |",
  );
  expect(await readFile(path.join(dir, ".env.example"), "utf8")).toContain("\n# SITE_DOMAIN_COUNT=10\n");
}

test(
  "the examples of docs/extending.md compile where they say, and the example providers, tool and setting work",
  { timeout: 400_000 },
  async () => {
    const examples = readExamples(await readFile("docs/extending.md", "utf8"));
    const sections = ["A provider", "A tool", "A proof", "A setting", "An operator's table"];
    expect([...new Set(examples.map(({ section }) => section))]).toEqual(sections);
    const dir = await copyProject();
    for (const example of examples) await addExample(dir, example);
    await writeFile(path.join(dir, "setting-check.ts"), settingCheck);

    const include = ["app/**/*.d.ts"];
    const files = ["server.ts", "setting-check.ts", ...new Set(examples.map(({ file }) => file))];
    await writeFile(
      path.join(dir, "tsconfig.example.json"),
      JSON.stringify({ extends: "./tsconfig.json", include, files }),
    );
    const compile = ["node_modules/typescript/bin/tsc", "--noEmit", "-p", "tsconfig.example.json"];
    expect(await run(dir, compile)).toBeNull();
    await expectSetting(dir);
    expect(await run(dir, ["app/commands/build.mjs"])).toBeNull();

    const server = await startServer({
      projectDir: dir,
      env: {
        RPC_URL: "http://127.0.0.1:9",
        KEY_CONTRACT_ADDRESS: `0x${"12".repeat(20)}`,
        NEXT_PUBLIC_DOMAIN: "localhost,gate.example.com",
        NEXT_PUBLIC_AI_CHAT_REQUIRES_JWT: "false",
        AI_PROVIDER: "mistral",
        MISTRAL_API_KEY: "no-key-of-anybody",
        TTS_PROVIDER: "kokoro",
        TTS_BASE_URL: "http://127.0.0.1:9/v1",
      },
    });
    onTestFinished(async () => void (await server.stop()));
    const models = await (await fetch(`http://127.0.0.1:${server.port}/api/models`)).json();
    expect(models).toMatchObject({ data: [{ id: "mistral-small-latest" }] });
    const mcp = mcpOf({ origin: `http://127.0.0.1:${server.port}` });
    const { body } = await mcp.post({ method: "tools/list" });
    const { tools } = body!.result as { tools: { name: string; inputSchema: unknown }[] };
    expect(tools).toHaveLength(5);
    const name = "site_domain";
    expect(tools.find((listed) => listed.name === name)).toMatchObject({
      inputSchema: { properties: { position: { type: "integer", minimum: 1, default: 1 } } },
    });
    const call = (args: Record<string, unknown>) => mcp.callTool({ name, args });
    expect((await call({ position: 2 })).result).toMatchObject({
      structuredContent: { domain: "gate.example.com" },
    });
    expect((await call({ position: 3 })).body).toEqual({
      error: { code: -32000, message: "There are only 2 domains." },
    });
    expect((await call({ position: "2" })).body).toMatchObject({ error: { code: -32602 } });
  },
);
