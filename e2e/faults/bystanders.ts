import { setTimeout as delay } from "node:timers/promises";
import type { Gate } from "../api/gate-fixture";
import { sendRaw } from "../api/raw-http";
import { createTally, keepBusy } from "./tally";
import type { Later } from "./cleanup";

/** What visitors ask for whom a fault does not concern. */
export const otherRoutes = ["/healthz", "/api/nonce", "/api/token-status/1", "/gate"];

/** One visitor at each of the other routes, again and again, until they are stopped; `look` is called after each answer. */
export function startBystanders({
  gate,
  later,
  look = () => undefined,
}: {
  gate: Gate;
  later: Later;
  look?: () => void;
}) {
  const { port } = gate.server;
  const tally = createTally();
  let isOver = false;
  const busy = keepBusy(
    otherRoutes.length,
    () => isOver,
    async (worker) => {
      // A connection of its own: on one that was kept, a server may hang up while the next request is on its way.
      const bytes = `GET ${otherRoutes[worker]} HTTP/1.1\r\nHost: localhost:${port}\r\nConnection: close\r\n\r\n`;
      const { status } = await tally.time(() => sendRaw({ port, bytes }));
      tally.count(status === 200 ? "answered" : "failed");
      look();
      await delay(20);
    },
  );
  async function stop(): Promise<void> {
    isOver = true;
    await busy;
  }
  later(stop);
  return { tally, stop };
}
