// Preloaded into a server under test, with `--expose-gc`. At SIGUSR2 it collects garbage and writes the memory in use,
// so tests measure live memory and not uncollected garbage.
import { setTimeout as sleep } from "node:timers/promises";

const collect = /** @type {() => void} */ (globalThis.gc);
let count = 0;

process.on("SIGUSR2", async () => {
  // Repeated, because objects freed by one collection may have held others.
  for (let round = 0; round < 4; round += 1) {
    collect();
    await sleep(50);
  }
  const { heapUsed, external, rss } = process.memoryUsage();
  count += 1;
  process.stdout.write(`${JSON.stringify({ memoryReport: count, heldBytes: heapUsed + external, rss })}\n`);
});
