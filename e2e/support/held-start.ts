import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import type { AddressInfo, Socket } from "node:net";
import { findFreePort } from "./free-port";
import { waitUntil } from "./processes";
import { startServer } from "./running-server";

const longestConnectSeconds = 60;
const openLimitMs = 30_000;

/**
 * The built server, stuck in its start by a database that accepts connections and never responds. Its port is open, but
 * it serves nothing until it is stopped.
 */
export async function holdStart(env: Record<string, string | undefined>, givenPort?: number) {
  const port = givenPort ?? (await findFreePort());
  const origin = `http://localhost:${port}`;
  const connected = new Set<Socket>();
  const database = createServer((socket) => {
    connected.add(socket);
    socket.on("error", () => socket.destroy());
  }).listen(0, "127.0.0.1");
  await once(database, "listening");
  const { port: databasePort } = database.address() as AddressInfo;
  let child: ChildProcess | undefined;
  const starting = startServer({
    env: {
      ...env,
      PORT: String(port),
      DATABASE_CONNECT_SECONDS: String(longestConnectSeconds),
      DATABASE_URL: `postgresql://nobody:password@127.0.0.1:${databasePort}/silent`,
    },
    onSpawn: (spawned) => (child = spawned),
    startLimitMs: 1_000 * longestConnectSeconds,
  });
  const ended = starting.then(
    () => undefined,
    () => undefined,
  );
  async function stop(): Promise<void> {
    child?.kill("SIGKILL");
    await ended;
    database.close();
    for (const socket of connected) socket.destroy();
  }
  try {
    const isAlive = () => fetch(`${origin}/healthz`).then(Boolean, () => false);
    await waitUntil(isAlive, { timeoutMs: openLimitMs });
  } catch (error) {
    await stop();
    throw error;
  }
  return { origin, stop };
}
