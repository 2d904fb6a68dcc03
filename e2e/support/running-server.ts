import { spawn } from "node:child_process";
import type { ChildProcess, ChildProcessByStdio } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import type { Readable } from "node:stream";
import {
  fileIn,
  findServerDatabase,
  removeServerDatabase,
  runsOnPostgresql,
} from "./databases/chosen-database";
import { demoContent } from "./demo-content";
import { findFreePort } from "./free-port";
import { waitUntil } from "./processes";

export type RunningServer = {
  origin: string;
  port: number;
  pid: number;
  dataDir: string;
  databaseUrl: string;
  child: ChildProcess;
  /** All output of the server so far, log lines and errors. */
  output: () => string;
  stop: () => Promise<number | null>;
  kill: () => Promise<void>;
};

export const testJwtSecret = "a-secret-of-the-tests-that-is-long-enough";
const usualStartLimitMs = 20_000;

type StartServerOptions = {
  env?: Record<string, string | undefined>;
  dataDir?: string;
  nodeOptions?: readonly string[] | undefined;
  projectDir?: string;
  /** Logs no single requests, because many of them would fill a test's memory. */
  isQuiet?: boolean | undefined;
  onSpawn?: (child: ChildProcess) => void;
  startLimitMs?: number;
};

/**
 * The built server in its own process, in production mode, on a free port, until it is stopped. `env` replaces the
 * settings below, and undefined omits one. It uses the database under test, unless `env` names another. `projectDir`:
 * another copy of the project. `onSpawn` gets the process before it is open.
 */
export async function startServer({
  env = {},
  dataDir: givenDataDir,
  nodeOptions = [],
  projectDir = process.env.TEST_PROJECT_DIR ?? ".",
  isQuiet = false,
  onSpawn,
  startLimitMs = usualStartLimitMs,
}: StartServerOptions): Promise<RunningServer> {
  if (!existsSync(path.join(projectDir, "build/index.js")))
    throw new Error("There is no build. Run `npm run build` before these tests.");
  const dataDir = givenDataDir ?? (await mkdtemp(path.join(os.tmpdir(), "latchkey-server-")));
  const isNamed = "DATABASE_URL" in env;
  const databaseUrl = isNamed ? (env.DATABASE_URL ?? fileIn(dataDir)) : await findServerDatabase(dataDir);
  const quiet = isQuiet ? { LOG_LEVEL: "warn", PORT: String(await findFreePort()) } : null;
  const parameters = [...nodeOptions, "app/commands/start.mjs"];
  const child: ChildProcessByStdio<null, Readable, Readable> = spawn(process.execPath, parameters, {
    cwd: projectDir,
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      PATH: process.env.PATH,
      PORT: "0",
      DATA_DIR: dataDir,
      CONTENT_DIR: demoContent,
      CHAIN_ID: "31337",
      JWT_SECRET: testJwtSecret,
      // Tests open more pages a minute than any visitor.
      RATE_LIMIT_PAGES: "0",
      ...(runsOnPostgresql && { DATABASE_URL: databaseUrl }),
      ...env,
      ...quiet,
    } as unknown as NodeJS.ProcessEnv,
  });
  onSpawn?.(child);
  let output = "";
  child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (output += chunk.toString()));
  const closed = new Promise<number | null>((resolve) => child.once("close", resolve));
  async function removeData(): Promise<void> {
    if (givenDataDir) return;
    await removeServerDatabase(dataDir);
    await rm(dataDir, { recursive: true, force: true });
  }
  const start = quiet
    ? waitForAnswer({ child, port: Number(quiet.PORT), read: () => output, startLimitMs })
    : waitForPort({ child, closed, read: () => output, startLimitMs });
  const port = await start.catch(async (error: unknown) => {
    child.kill("SIGKILL");
    await closed;
    await removeData();
    throw error;
  });
  return {
    origin: `http://localhost:${port}`,
    port,
    pid: child.pid!,
    dataDir,
    databaseUrl,
    child,
    output: () => output,
    stop: async () => {
      if (child.exitCode === null) child.kill("SIGTERM");
      const code = await closed;
      await removeData();
      return code;
    },
    kill: async () => {
      child.kill("SIGKILL");
      await closed;
      await removeData();
    },
  };
}

type WaitForAnswerOptions = {
  child: ChildProcess;
  port: number;
  read: () => string;
  startLimitMs: number;
};

/** For a server that doesn't report that it is open. */
async function waitForAnswer({ child, port, read, startLimitMs }: WaitForAnswerOptions): Promise<number> {
  async function isOpen(): Promise<boolean> {
    if (child.exitCode !== null) throw new Error(`The server ended with ${child.exitCode}.\n${read()}`);
    // Not /healthz, which succeeds before the server is open.
    const answer = await fetch(`http://127.0.0.1:${port}/api/settings`).catch(() => null);
    return answer?.ok === true;
  }
  try {
    await waitUntil(isOpen, { timeoutMs: startLimitMs, everyMs: 50 });
  } catch (error) {
    child.kill("SIGKILL");
    throw error;
  }
  return port;
}

type WaitForPortOptions = {
  child: ChildProcess;
  closed: Promise<number | null>;
  read: () => string;
  startLimitMs: number;
};

async function waitForPort({ child, closed, read, startLimitMs }: WaitForPortOptions): Promise<number> {
  const opened = new Promise<number>((resolve) => {
    function look(): void {
      const line = read()
        .split("\n")
        .find((candidate) => candidate.includes('"server ready"') && candidate.endsWith("}"));
      if (!line) return;
      child.stdout?.off("data", look);
      resolve((JSON.parse(line) as { port: number }).port);
    }
    child.stdout?.on("data", look);
  });
  let timer: NodeJS.Timeout | undefined;
  const failed = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`The server did not open in time.\n${read()}`)), startLimitMs);
    void closed.then((code) => reject(new Error(`The server ended with ${code}.\n${read()}`)));
  });
  try {
    return await Promise.race([opened, failed]);
  } catch (error) {
    child.kill("SIGKILL");
    throw error;
  } finally {
    clearTimeout(timer);
  }
}
