import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";

const tables = ["/proc/net/tcp", "/proc/net/tcp6"].filter((file) => existsSync(file));
/** Established, and left half open by the client: the process still has it. */
const heldStates = new Set(["01", "08"]);
/** With thousands of connections a look takes a twentieth of a second, of which those who are measured have less. */
const lookEveryMs = 1_000;

/** Whether the system tells which connections there are. */
export const isHoldingTold = tables.length > 0;

/**
 * The ports of the clients whose connections a server on this machine has not let go of, as the system tells. Who reads
 * nothing cannot see an end that lies behind what was sent before it.
 */
export async function listHeldClients({ port }: { port: number }): Promise<Set<number>> {
  const held = new Set<number>();
  for (const text of await Promise.all(tables.map((file) => readFile(file, "utf8")))) {
    for (const line of text.split("\n").slice(1)) {
      const [, local = "", remote = "", state = ""] = line.trim().split(/\s+/);
      if (heldStates.has(state) && portOf(local) === port) held.add(portOf(remote));
    }
  }
  return held;
}

const portOf = (address: string) => parseInt(address.slice(address.indexOf(":") + 1), 16);

/** Looks again and again which connections the server on `port` still holds, for all who wait for an end. */
export function pollHeldConnections({ port }: { port: number }) {
  const waiting = new Map<number, () => void>();
  let isOver = false;
  const polling = (async () => {
    for (; !isOver; await delay(lookEveryMs)) {
      if (waiting.size === 0) continue;
      const waitedFor = [...waiting];
      const held = await listHeldClients({ port });
      for (const [client, tell] of waitedFor) {
        if (held.has(client)) continue;
        waiting.delete(client);
        tell();
      }
    }
  })();
  return {
    /** Resolves when the server has let go of it. */
    untilCut: (client: number) => new Promise<void>((resolve) => void waiting.set(client, resolve)),
    stop: () => ((isOver = true), polling),
  };
}
export type HeldConnections = ReturnType<typeof pollHeldConnections>;
