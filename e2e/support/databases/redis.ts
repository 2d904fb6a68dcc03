import { spawn, spawnSync } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { onTestFinished } from "vitest";
import { findRedis } from "../obtain-programs";
import { findFreePort } from "../free-port";

/** A run without Redis says so when it begins. */
export const hasRedis = findRedis() !== null;

/** Whether it was built with TLS, as Debian's is. Others don't know the options for it. */
export function canRedisEncrypt(): boolean {
  const redis = findRedis();
  if (redis === null) return false;
  const { stdout, stderr } = spawnSync(redis.command, ["--port", "0", "--tls-port", "0", "--save", ""], {
    timeout: 1_000,
    encoding: "utf8",
    env: { ...process.env, ...redis.environment },
  });
  const isKnown = !/Bad directive/.test(`${stdout}${stderr}`);
  if (!isKnown)
    console.warn("\nSKIPPED: encrypted connections to Redis. This machine's was built without TLS.\n");
  return isKnown;
}

export type RedisServer = {
  url: string;
  password: string;
  /** Suspends it, as if it hung. */
  pause: () => void;
  resume: () => void;
  /** Ends it with everything it had only in memory. */
  kill: () => Promise<void>;
  /** Starts it again at the same address. */
  start: () => Promise<void>;
};

/** A real Redis server on a free loopback port, with a password. It is removed with its files when the test ends. */
export async function startRedis({
  settings = [],
}: { settings?: readonly string[] } = {}): Promise<RedisServer> {
  const server = await launchRedis(settings);
  onTestFinished(() => server.stop());
  return server;
}

/** The same for several tests. The caller stops it. */
export async function launchRedis(
  settings: readonly string[] = [],
): Promise<RedisServer & { stop: () => Promise<void> }> {
  const dir = await mkdtemp(path.join(os.tmpdir(), "latchkey-redis-"));
  const port = await findFreePort();
  const password = "the-password-of-this-test";
  let child: ChildProcess | undefined;

  async function start(): Promise<void> {
    child = spawnRedis([
      ...["--port", String(port), "--bind", "127.0.0.1", "--dir", dir, "--requirepass", password],
      ...["--appendonly", "yes", "--appendfsync", "always", "--save", "", ...settings],
    ]);
    await waitUntilReady(child);
  }
  async function kill(): Promise<void> {
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, "exit");
    child.kill("SIGKILL");
    await ended;
  }

  await start();
  return {
    url: `redis://127.0.0.1:${port}`,
    password,
    start,
    kill,
    pause: () => void child?.kill("SIGSTOP"),
    resume: () => void child?.kill("SIGCONT"),
    stop: async () => {
      await kill();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

function spawnRedis(parameters: string[]): ChildProcess {
  const redis = findRedis();
  if (redis === null) throw new Error("There is no redis-server on this machine.");
  return spawn(redis.command, parameters, {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, ...redis.environment },
  });
}

async function waitUntilReady(child: ChildProcess): Promise<void> {
  let text = "";
  for await (const chunk of child.stdout!) {
    text += String(chunk);
    if (!text.includes("Ready to accept connections")) continue;
    child.stdout!.resume();
    return;
  }
  throw new Error(`Redis did not start: ${text}`);
}
