import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { cp, mkdir, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { expect } from "vitest";
import { readStages } from "./dockerfile-stages";
import type { Instruction } from "./dockerfile-stages";

const run = promisify(execFile);

/** The patterns of .dockerignore that we use: everything is excluded, names are included, places are excluded again. */
async function readContext(): Promise<{ names: string[]; isLeftOut: (file: string) => boolean }> {
  const lines = (await readFile(".dockerignore", "utf8"))
    .split("\n")
    .filter((line) => line && !line.startsWith("#"));
  expect(lines[0]).toBe("*");
  const names = lines.filter((line) => line.startsWith("!")).map((line) => line.slice(1));
  const leftOut = lines.slice(1).filter((line) => !line.startsWith("!"));
  return { names, isLeftOut: (file) => leftOut.includes(path.normalize(file)) };
}

async function copyFromContext(names: readonly string[], to: string): Promise<void> {
  const context = await readContext();
  for (const name of names) {
    expect(context.names).toContain(name);
    await cp(name, path.join(to, name), { recursive: true, filter: (file) => !context.isLeftOut(file) });
  }
}

/** Runs Docker's first stage line by line, with a folder as its WORKDIR. */
async function runBuildStage(stage: Instruction[], folder: string): Promise<void> {
  const env = { ...process.env, NODE_ENV: undefined, npm_config_prefer_offline: "true" };
  for (const { name, text } of stage) {
    if (name === "COPY") {
      const names = text === ". ." ? (await readContext()).names : text.split(" ").slice(0, -1);
      await copyFromContext(names, folder);
      // As from a checkout that only its owner may read.
      const copied = names.map((copy) => path.join(folder, copy)).filter((site) => existsSync(site));
      await run("chmod", ["-R", "go-rwx", ...copied]);
    } else if (name === "RUN") {
      await run("sh", ["-c", text], { cwd: folder, env: env as unknown as NodeJS.ProcessEnv });
    } else {
      expect(["FROM", "WORKDIR"]).toContain(name);
    }
  }
}

function textOf(stage: Instruction[], name: string): string {
  const found = stage.find((instruction) => instruction.name === name);
  if (found === undefined) throw new Error(`This stage of the Dockerfile has no ${name}.`);
  return found.text;
}

/** Builds the image's content by the Dockerfile's own steps, away from the packages it came from. */
export async function makeImage(): Promise<{
  folder: string;
  imageDir: string;
  remove: () => Promise<void>;
}> {
  const folder = await mkdtemp(path.join(os.tmpdir(), "latchkey-image-"));
  const imageDir = path.join(folder, "away/latchkey");
  const buildDir = path.join(folder, "build");
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    const stages = await readStages();
    const [build, image] = [stages[0]!, stages.at(-1)!];
    const home = textOf(image, "WORKDIR");
    const copied = image.find(({ name, text }) => name === "COPY" && text.endsWith(` ${home}`))!;
    const [, source] = copied.text.split(" ") as [string, string];
    await runBuildStage(build, buildDir);
    const assembled = path.relative(textOf(build, "WORKDIR"), source);
    await mkdir(path.dirname(imageDir));
    await rename(path.join(buildDir, assembled), imageDir);
    await rm(buildDir, { recursive: true });
    // The image's user is another one and may read as far as the image.
    await run("chmod", ["go+rX", folder, path.dirname(imageDir)]);
  } catch (error) {
    await remove();
    throw error;
  }
  return { folder, imageDir, remove };
}

/** Only root can change a folder's owner. */
export const canMakeUsers = process.getuid?.() === 0 && existsSync("/usr/sbin/useradd");

/**
 * Docker's second stage has one command for its user and the volume. It runs below a folder with the rights of a small
 * root.
 */
export async function makeVolume(root: string): Promise<{ dataDir: string; uid: number }> {
  const image = (await readStages()).at(-1);
  const command = textOf(image!, "RUN");
  // Any other command would change this machine.
  expect(command).toMatch(/^useradd [\w -]+ latchkey && install -d -o latchkey -m \d+ \/data$/);
  await mkdir(path.join(root, "etc"), { recursive: true });
  const users = path.join(root, "etc/passwd");
  await writeFile(users, "");
  await writeFile(path.join(root, "etc/group"), "");
  const uidOfUser = `"$(sed -n 's/^latchkey:[^:]*:\\([0-9]*\\):.*/\\1/p' "${users}")"`;
  const below = command
    .replace("useradd", () => `/usr/sbin/useradd --prefix "${root}"`)
    .replace("-o latchkey", () => `-o ${uidOfUser}`)
    .replace("/data", () => `"${root}/data"`);
  await run("sh", ["-c", below]);
  const volume = textOf(image!, "VOLUME");
  expect(textOf(image!, "ENV").split(" ")).toContain(`DATA_DIR=${volume}`);
  return { dataDir: path.join(root, volume), uid: Number(textOf(image!, "USER")) };
}

/** Runs the program as this user, without its parent's groups. Its threads have switched already. */
export function becomeUser(uid: number): string[] {
  const steps = `process.setgroups([]);process.setgid(${uid});process.setuid(${uid})`;
  const preload = `import{isMainThread}from"node:worker_threads";if(isMainThread){${steps}}`;
  return ["--import", `data:text/javascript,${encodeURIComponent(preload)}`];
}
