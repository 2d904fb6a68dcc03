import net from "node:net";

type Batch = {
  port: number;
  /** The number of kept connections, and of requests in flight on each. */
  connections: number;
  depth: number;
  count: number;
  /** The bytes of one request, by its number from 0. */
  write: (index: number) => string;
};

/** Pipelines requests over kept connections, and counts the responses by status. */
export async function sendPipelined({ connections, count, ...rest }: Batch): Promise<Map<string, number>> {
  const statuses = new Map<string, number>();
  let next = 0;
  function take(wanted: number): number[] {
    const taken = Array.from({ length: Math.min(wanted, count - next) }, (_, index) => next + index);
    next += taken.length;
    return taken;
  }
  await Promise.all(Array.from({ length: connections }, () => useConnection({ ...rest, take, statuses })));
  return statuses;
}

async function useConnection({
  port,
  depth,
  write,
  take,
  statuses,
}: Omit<Batch, "connections" | "count"> & {
  take: (wanted: number) => number[];
  statuses: Map<string, number>;
}): Promise<void> {
  const socket = net.connect({ host: "127.0.0.1", port });
  await new Promise<void>((resolve, reject) => {
    let missing = 0;
    let carry = "";
    function sendNext(): void {
      const batch = take(depth);
      missing = batch.length;
      if (missing === 0) return void socket.end();
      socket.write(batch.map(write).join(""));
    }
    socket.on("connect", sendNext);
    socket.on("data", (chunk: Buffer) => {
      const text = carry + chunk.toString("latin1");
      let end = 0;
      for (const found of text.matchAll(/HTTP\/1\.1 (\d{3})/g)) {
        statuses.set(found[1]!, (statuses.get(found[1]!) ?? 0) + 1);
        missing -= 1;
        end = found.index + found[0].length;
      }
      // A status line may be cut in two.
      carry = text.slice(Math.max(end, text.length - 11));
      if (missing === 0) sendNext();
    });
    socket.on("error", reject);
    socket.on("close", () =>
      missing === 0 ? resolve() : reject(new Error("The server closed a kept connection.")),
    );
  });
}
