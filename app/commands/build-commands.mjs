// Bundles the commands written in TypeScript, so that they run without the sources and their compiler.
import { readFileSync, rmSync } from "node:fs";
import { isBuiltin } from "node:module";
import path from "node:path";
import { build } from "esbuild";
import { bundledPackages } from "../../remix.config.js";
import { projectDir } from "./prepare.mjs";

const names = ["client", "index", "quota", "migrate-data"];

export async function buildCommands() {
  const { dependencies } = JSON.parse(readFileSync(path.join(projectDir, "package.json"), "utf8"));
  const isInstalled = (name) => dependencies[name.split("/", name.startsWith("@") ? 2 : 1).join("/")];
  /** Packages stay outside that an installation has; the server's build bundles the same ones. */
  const findPackages = {
    name: "packages",
    setup: ({ onResolve }) =>
      onResolve({ filter: /^(@[\w-]+\/)?\w/ }, ({ path: name }) => {
        const isOutside = isBuiltin(name) || (isInstalled(name) && !bundledPackages.test(name));
        return isOutside ? { path: name, external: true } : undefined;
      }),
  };
  // Parts have names made from their content, so older ones would stay.
  rmSync(path.join(projectDir, "build/commands"), { recursive: true, force: true });
  await build({
    absWorkingDir: projectDir,
    entryPoints: names.map((name) => `app/commands/${name}.ts`),
    outdir: "build/commands",
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node20",
    logLevel: "warning",
    plugins: [findPackages],
  });
}
