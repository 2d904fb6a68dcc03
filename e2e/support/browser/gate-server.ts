import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { randomBytes } from "node:crypto";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { buildIfNeeded } from "~/commands/build.mjs";
import { deployKeyContract, startLocalChain } from "../../../contracts/local-chain.mjs";
import { findServerDatabase, removeServerDatabase, runsOnPostgresql } from "../databases/chosen-database";
import { demoContent } from "../demo-content";
import { findFreePort } from "../free-port";

const projectDir = fileURLToPath(new URL("../../..", import.meta.url));
/** Opens the operator's view of every server started here. */
export const operatorSecret = "Qm7rV2kXw9TzLc4H";

/** Many times a usual start, because others may start at once on a busy machine. */
const readyWithinMs = 120_000;
const stopWithinMs = 10_000;

export type GateServer = {
  baseUrl: string;
  rpcUrl: string;
  contractAddress: `0x${string}`;
  chainId: number;
  stop: () => Promise<void>;
};

export type DescribedChain = Pick<GateServer, "rpcUrl" | "contractAddress" | "chainId">;

/** The built server with its own chain, data folder and database of the kind under test. */
export async function startGateServer({
  mode = "demo",
  env = {},
  keyDurationSeconds = 0,
  describeKeys = null,
}: {
  mode?: "demo" | "production";
  /** 0: keys do not expire. */
  keyDurationSeconds?: number;
  /** Adds or replaces settings. */
  env?: Record<string, string>;
  /** The content of KEYS_FILE. Null: the older settings make the one kind. */
  describeKeys?: ((chain: DescribedChain) => Promise<unknown>) | null;
} = {}): Promise<GateServer> {
  await buildIfNeeded();
  const chain = await startLocalChain({ chainId: 31337 });
  const dataDir = mkdtempSync(path.join(tmpdir(), "latchkey-e2e-"));
  let server: ChildProcess | null = null;

  async function stop(): Promise<void> {
    if (server) await end(server);
    await chain.stop();
    await removeServerDatabase(dataDir);
    rmSync(dataDir, { recursive: true, force: true });
  }

  try {
    const { address } = await deployKeyContract({ rpcUrl: chain.rpcUrl, keyDurationSeconds });
    const databaseUrl = await findServerDatabase(dataDir);
    const port = await findFreePort();
    const keySettings = describeKeys
      ? {
          KEYS_FILE: await writeKeys(
            dataDir,
            describeKeys({ rpcUrl: chain.rpcUrl, contractAddress: address, chainId: 31337 }),
          ),
          RPC_URL_31337: chain.rpcUrl,
        }
      : { RPC_URL: chain.rpcUrl, CHAIN_ID: "31337", KEY_CONTRACT_ADDRESS: address };
    server = spawn(process.execPath, ["build/index.js"], {
      cwd: projectDir,
      stdio: ["ignore", "ignore", "inherit"],
      env: {
        ...pathOnly(),
        NODE_ENV: "production",
        LATCHKEY_MODE: mode,
        NEXT_PUBLIC_DOMAIN: `localhost:${port}`,
        JWT_SECRET: randomBytes(32).toString("hex"),
        PORT: String(port),
        DATA_DIR: dataDir,
        CONTENT_DIR: demoContent,
        ...(runsOnPostgresql && { DATABASE_URL: databaseUrl }),
        ...keySettings,
        LOG_LEVEL: "error",
        // Each journey sends its own address, so it has its own limits.
        TRUST_PROXY: "loopback",
        OPERATOR_SECRET: operatorSecret,
        ...env,
      },
    });
    const baseUrl = `http://localhost:${port}`;
    await waitUntilReady(server, `http://127.0.0.1:${port}/readyz`);
    return { baseUrl, rpcUrl: chain.rpcUrl, contractAddress: address, chainId: 31337, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function writeKeys(dataDir: string, described: Promise<unknown>): Promise<string> {
  const file = path.join(dataDir, "keys.json");
  writeFileSync(file, JSON.stringify(await described));
  return file;
}

/** The developer's settings must not reach the server under test. */
function pathOnly(): Record<string, string> {
  const { PATH, HOME, TMPDIR, LD_LIBRARY_PATH } = process.env;
  return Object.fromEntries(
    Object.entries({ PATH, HOME, TMPDIR, LD_LIBRARY_PATH }).filter(
      (entry): entry is [string, string] => entry[1] !== undefined,
    ),
  );
}

async function waitUntilReady(server: ChildProcess, url: string): Promise<void> {
  const givesUpAtMs = Date.now() + readyWithinMs;
  let last = "no answer";
  while (Date.now() < givesUpAtMs) {
    if (server.exitCode !== null)
      throw new Error(`The server ended with ${server.exitCode} instead of serving.`);
    try {
      const response = await fetch(url);
      if (response.status === 200) return;
      last = `${response.status} ${await response.text()}`;
    } catch {
      last = "no answer";
    }
    await delay(100);
  }
  throw new Error(`The server was not ready within ${readyWithinMs / 1000} seconds: ${last}`);
}

async function end(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const ended = new Promise((resolve) => server.once("close", resolve));
  server.kill("SIGTERM");
  const lastResort = setTimeout(() => server.kill("SIGKILL"), stopWithinMs);
  await ended;
  clearTimeout(lastResort);
}
