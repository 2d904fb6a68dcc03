import { execFile } from "node:child_process";
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { startServer } from "~/testing/running-server";
import { mcpOf } from "./mcp-fixture";

const registryFile = "app/services/tools.server.ts";

/** What the project is built from, without what was built: a test may write into it. */
async function copyProject(): Promise<string> {
  const dir = await mkdtemp(path.join(os.tmpdir(), "latchkey-copy-"));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  const isSource = (place: string) => !/\.test\.tsx?$|[\\/]public[\\/]build$/.test(place);
  for (const name of ["app", "public", "server.ts", "remix.config.js", "tsconfig.json", "package.json"]) {
    await cp(name, path.join(dir, name), { recursive: true, filter: isSource });
  }
  for (const name of ["node_modules", "prisma", "contracts", "content"]) {
    await symlink(path.resolve(name), path.join(dir, name));
  }
  return dir;
}

/** A program of this project's packages, to its end; what it said, where it failed. */
function run({ dir, parameters }: { dir: string; parameters: string[] }): Promise<string | null> {
  const env = { ...process.env, NODE_ENV: "production" } as unknown as NodeJS.ProcessEnv;
  return new Promise((resolve) => {
    execFile(process.execPath, parameters, { cwd: dir, env }, (error, stdout, stderr) =>
      resolve(error === null ? null : `${stdout}${stderr}`),
    );
  });
}

async function readExample() {
  const text = await readFile("docs/tools.md", "utf8");
  const [, section = ""] = text.split("## Adding a tool");
  const blocks = [...section.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, block]) => block!);
  expect(blocks).toHaveLength(3);
  const places = [...section.matchAll(/`(app\/[\w./-]+)`/g)].map(([, place]) => place!);
  expect(places.slice(0, 2)).toEqual([expect.stringMatching(/^app\/tools\//), registryFile]);
  const [tool, importLine, line] = blocks as [string, string, string];
  for (const one of [importLine, line]) expect(one.trim().split("\n")).toHaveLength(1);
  return { toolFile: places[0]!, tool, importLine, line };
}

test(
  "the tool that docs/tools.md adds compiles where it says, is listed, is described and does its work",
  { timeout: 240_000 },
  async () => {
    const { toolFile, tool, importLine, line } = await readExample();
    const dir = await copyProject();
    await writeFile(path.join(dir, toolFile), tool);
    const registry = await readFile(path.join(dir, registryFile), "utf8");
    const opened = "const registry: readonly Tool[] = [\n";
    expect(registry.split(opened)).toHaveLength(2);
    const changed = registry.replace(opened, `${opened}${line}`);
    await writeFile(path.join(dir, registryFile), `${importLine}${changed}`);

    const settings = { extends: "./tsconfig.json", include: [], files: ["server.ts", toolFile] };
    await writeFile(path.join(dir, "tsconfig.example.json"), JSON.stringify(settings));
    const compile = ["node_modules/typescript/bin/tsc", "--noEmit", "-p", "tsconfig.example.json"];
    expect(await run({ dir, parameters: compile })).toBeNull();
    expect(await run({ dir, parameters: ["node_modules/@remix-run/dev/dist/cli.js", "build"] })).toBeNull();

    const server = await startServer({
      projectDir: dir,
      env: {
        ...{ RPC_URL: "http://127.0.0.1:9", KEY_CONTRACT_ADDRESS: `0x${"12".repeat(20)}` },
        NEXT_PUBLIC_DOMAIN: "localhost,gate.example.com",
      },
    });
    onTestFinished(async () => void (await server.stop()));
    const mcp = mcpOf({ origin: `http://127.0.0.1:${server.port}` });
    const { body } = await mcp.post({ method: "tools/list" });
    const { tools } = body!.result as { tools: { name: string; inputSchema: unknown }[] };
    expect(tools).toHaveLength(5);
    const name = /name: "(\w+)"/.exec(tool)![1]!;
    expect(tools.find((listed) => listed.name === name)).toMatchObject({
      inputSchema: { properties: { place: { type: "integer", minimum: 1, default: 1 } } },
    });
    const call = (args: Record<string, unknown>) => mcp.callTool({ name, args });
    expect((await call({ place: 2 })).result).toMatchObject({
      structuredContent: { domain: "gate.example.com" },
    });
    expect((await call({ place: 3 })).result).toMatchObject({
      ...{ isError: true, content: [{ text: "There are only 2 domains." }] },
    });
    expect((await call({ place: "2" })).body).toMatchObject({ error: { code: -32602 } });
  },
);
