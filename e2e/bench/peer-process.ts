import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { Closers } from "./close-on-signals";

export type PeerModule = `peers/${"plain" | "better-auth" | "ai-sdk" | "mcp-sdk"}-server.ts`;

/** Starts a peer in its own process, so its CPU time is separate. Resolves once it listens. */
export async function startPeer<Setup extends object>(
  closers: Closers,
  module: PeerModule,
  setup: Setup,
): Promise<{ port: number; pid: number }> {
  const child = fork(fileURLToPath(new URL(module, import.meta.url)), { execArgv: ["--import", "tsx"] });
  const ended = once(child, "exit");
  closers.push(async () => {
    if (child.connected) child.disconnect();
    await ended;
  });
  child.send(setup);
  const failed = ended.then(() => Promise.reject(new Error(`${module} ended before it listened.`)));
  failed.catch(() => undefined);
  const [port] = (await Promise.race([once(child, "message"), failed])) as [number];
  return { port, pid: child.pid! };
}

/** The peer's side: reports the port of `start` and ends with the parent. */
export function servePeer<Setup>(start: (setup: Setup) => Promise<number>): void {
  process.on("disconnect", () => process.exit(0));
  process.once("message", (setup) => void start(setup as Setup).then((port) => process.send!(port)));
}
