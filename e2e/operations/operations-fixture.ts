import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, symlink } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { expect } from "vitest";
import { startServer } from "~e2e/support/running-server";
import type { RunningServer } from "~e2e/support/running-server";
import { clientOf } from "../api/gate-fixture";
import type { Gate } from "../api/gate-fixture";

const run = promisify(execFile);

/** The runnable blocks of a page, or of one of its sections. */
export async function readShellBlocks(file: string, heading?: string): Promise<string[]> {
  const text = await readFile(file, "utf8");
  const parts = text.split(/^(?=## )/m);
  const wanted = heading === undefined ? text : parts.find((part) => part.startsWith(`## ${heading}\n`));
  if (wanted === undefined) throw new Error(`${file} has no heading "${heading}".`);
  return listBlocks(wanted, "sh");
}

/** A page's command with the real name of the copy. */
export function nameCopy(block: string, copy: string): string {
  const pattern = /latchkey-\d{8}-\d{6}\.dump/g;
  if (!pattern.test(block)) throw new Error(`No copy is named in ${block}`);
  return block.replaceAll(pattern, copy);
}

/** The blocks that need something missing here, such as systemd or Docker. */
export async function readPlainBlocks(file: string): Promise<string[]> {
  return listBlocks(await readFile(file, "utf8"), "");
}

export async function readYamlBlocks(file: string): Promise<string[]> {
  return listBlocks(await readFile(file, "utf8"), "yaml");
}

/** The blocks that show a settings file, as a reader copies them, even out of a list. */
export function listSettingsBlocks(text: string): string[] {
  const blocks = [...text.matchAll(/^( *)```(?:sh)?\n([^]*?)^\1```$/gm)];
  return blocks
    .map(([, indent, block]) => block!.replaceAll(new RegExp(`^${indent}`, "gm"), ""))
    .filter((block) => block.startsWith("CHAIN_ID="));
}

function listBlocks(text: string, wanted: string): string[] {
  const blocks = [...text.matchAll(/^```(\w*)\n([^]*?)^```$/gm)];
  return blocks.filter(([, language]) => language === wanted).map(([, , block]) => block!);
}

export type Site = Awaited<ReturnType<typeof createSite>>;

/** Imitates the project's folder: the commands find `data/`, their scripts, the packages and the settings in it. */
export async function createFolder(environment: Record<string, string> = {}) {
  const dir = await mkdtemp(path.join(os.tmpdir(), "latchkey-operations-"));
  await mkdir(path.join(dir, "data"), { mode: 0o700 });
  for (const name of ["docs", "node_modules"]) await symlink(path.resolve(name), path.join(dir, name));
  return {
    dir,
    /** Continues after a failure and ignores one within a pipe, like an interactive shell. */
    runShell: async (script: string, more: Record<string, string> = {}, typed = ""): Promise<string> => {
      const env = { ...process.env, ...environment, ...more };
      const running = run("bash", ["-c", script], { cwd: dir, env });
      running.child.stdin?.on("error", () => undefined).end(typed);
      return (await running).stdout;
    },
    remove: () => rm(dir, { recursive: true, force: true }),
  };
}

/** Such a folder, with servers that work in it. */
export async function createSite(
  gate: Pick<Gate, "chain" | "contract">,
  environment: Record<string, string> = {},
) {
  const folder = await createFolder(environment);
  const { DATABASE_URL } = environment;

  return {
    ...folder,
    start: (env: Record<string, string | undefined> = {}) =>
      startServer({
        dataDir: path.join(folder.dir, "data"),
        env: {
          RPC_URL: gate.chain.rpcUrl,
          KEY_CONTRACT_ADDRESS: gate.contract,
          CHAIN_POLL_SECONDS: "1",
          ...(DATABASE_URL === undefined ? {} : { DATABASE_URL }),
          ...env,
        },
      }),
  };
}

/** A restore must name both servers. One of them is stopped and the other killed. */
export async function expectRefusalWhileServed(
  site: Pick<Site, "start" | "runShell">,
  restore: string,
  given: Record<string, string> = {},
): Promise<void> {
  const env = { ...given, LEASE_SECONDS: "4" };
  const first = await site.start(env);
  const second = await site.start(env);
  const restoring = () => site.runShell(restore).catch(String);
  try {
    const refusal = await restoring();
    expect(refusal).toMatch(/A server works with [^]*(Stop it, and run this again)/);
    for (const { pid } of [first, second]) {
      expect(refusal).toMatch(new RegExp(`process ${pid} on .*, for another [1-4] s`));
    }
    await first.stop();
  } finally {
    await Promise.all([first.kill(), second.kill()]);
  }
  const refusal = await restoring();
  expect(refusal).toContain(`process ${second.pid} on `);
  expect(refusal).not.toContain(`process ${first.pid} on `);
}

type Holder = Awaited<ReturnType<Gate["mintKey"]>>;

export async function isUsed(server: Pick<RunningServer, "origin">, { tokenId }: { tokenId: string }) {
  return (await clientOf(server).ask({ path: `/api/token-status/${tokenId}` })).body.used;
}

/** Sends the form, which uses the key up. Returns the status. */
export async function useKey(
  server: Pick<RunningServer, "origin">,
  { message, ...holder }: Holder & { message: string },
): Promise<number> {
  const client = clientOf(server);
  return (await client.post("/api/form-submission-gate", await client.formBody({ ...holder, message })))
    .status;
}

export async function readyStatus(server: Pick<RunningServer, "origin">): Promise<number> {
  return (await clientOf(server).ask({ path: "/readyz" })).status;
}
