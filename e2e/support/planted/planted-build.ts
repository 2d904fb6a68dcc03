import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";

/** All sources of a build, and the files a server reads beside it. */
const sources = ["app", "contracts", "prisma", "public", "package.json", "package-lock.json"];
const files = [...sources, "server.ts", "remix.config.js", "tsconfig.json"];

type Change = { file: string; from: string; to: string };
type Planted = {
  /** New files, by their path in the project. */
  files?: Record<string, string>;
  changes?: readonly Change[];
  /** Default: a new folder. */
  folder?: string;
};

export const stockBuildDir = "e2e/.results/stock-build";

/** A changed and built copy of the project. The caller removes it. */
export async function buildPlanted({ files: planted = {}, changes = [], folder }: Planted) {
  await mkdir("e2e/.results", { recursive: true });
  const projectDir = path.resolve(folder ?? (await mkdtemp("e2e/.results/planted-")));
  await rm(projectDir, { recursive: true, force: true });
  const filter = (file: string) => !/\.test\.tsx?$|^public\/build/.test(file);
  for (const file of files) await cp(file, path.join(projectDir, file), { recursive: true, filter });
  await symlink(path.resolve("node_modules"), path.join(projectDir, "node_modules"));
  for (const [file, text] of Object.entries(planted)) await writeFile(path.join(projectDir, file), text);
  for (const { file, from, to } of changes) {
    const text = await readFile(path.join(projectDir, file), "utf8");
    if (!text.includes(from)) throw new Error(`${file} has no line to change: ${from}`);
    await writeFile(path.join(projectDir, file), text.replace(from, to));
  }
  await promisify(execFile)(process.execPath, ["app/commands/build.mjs"], { cwd: projectDir });
  return { projectDir, remove: () => rm(projectDir, { recursive: true, force: true }) };
}

/** The framework's own handler calls every resource route it can. */
export const throughStockHandler: Change = {
  file: "app/platform/http/resource-routes.server.ts",
  from: "nameRoute, observe, (",
  // Pages are still observed.
  to: 'nameRoute, (asked, _, next) => next(fetchMethods.has(asked.method) ? "router" : undefined), observe, (',
};
