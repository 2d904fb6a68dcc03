import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import type { AddressInfo, Socket } from "node:net";
import { findFreePort } from "./free-port";
import { waitUntil } from "./processes";
import { startServer } from "./running-server";

const longestConnectSeconds = 60;

/**
 * The built server, held in its start by a database that takes connections and never says a word: its port is open, and
 * its doors stay closed until it is stopped.
 */
export async function holdStart({
  env,
  port: givenPort,
}: {
  env: Record<string, string | undefined>;
  port?: number;
}) {
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
      ...{ ...env, PORT: String(port), DATABASE_CONNECT_SECONDS: String(longestConnectSeconds) },
      DATABASE_URL: `postgresql://nobody:password@127.0.0.1:${databasePort}/silent`,
    },
    onSpawn: (spawned) => (child = spawned),
    startLimitMs: 1_000 * longestConnectSeconds,
  });
  const ended = starting.then(
    () => undefined,
    () => undefined,
  );
  await waitUntil(() => fetch(`${origin}/healthz`).then(Boolean, () => false));
  return {
    origin,
    stop: async () => {
      child!.kill("SIGKILL");
      await ended;
      for (const socket of connected) socket.destroy();
      database.close();
      await once(database, "close");
    },
  };
}
