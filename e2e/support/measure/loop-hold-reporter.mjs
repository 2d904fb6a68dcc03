// Preloaded into a server under measurement. Reports at LOOP_HOLD_PORT the longest block of its event loop since the
// last request, in milliseconds. `monitorEventLoopDelay` would miss blocks within its first interval. Time the system
// gave to other processes doesn't count, so a busy machine causes no blocks.
import { openSync, readSync } from "node:fs";
import { createServer } from "node:http";
import { performance } from "node:perf_hooks";

const tickMs = 1;
const { LOOP_HOLD_PORT } = process.env;

if (LOOP_HOLD_PORT !== undefined) {
  const readWaitedMs = createWaitReader();
  const now = () => performance.now() - readWaitedMs();
  let lastMs = now();
  let longestMs = 0;
  function look() {
    const nowMs = now();
    longestMs = Math.max(longestMs, nowMs - lastMs - tickMs);
    lastMs = nowMs;
  }
  function calibrate() {
    const startedMs = now();
    for (let round = 0; round < 20; round += 1) doFixedWork();
    return now() - startedMs;
  }
  setInterval(look, tickMs).unref();
  const server = createServer(({ url }, response) => {
    if (url === "/calibration") return void response.end(String(calibrate()));
    look();
    response.end(String(longestMs));
    longestMs = 0;
  });
  // Child processes of the server inherit the preload and find the port taken.
  server.on("error", () => undefined);
  server.listen(Number(LOOP_HOLD_PORT), "127.0.0.1").unref();
}

/** How long this thread was ready while another one ran. Linux only. */
function createWaitReader() {
  try {
    const file = openSync(`/proc/self/task/${process.pid}/schedstat`, "r");
    const text = Buffer.alloc(128);
    return () => {
      const bytes = readSync(file, text, 0, text.length, 0);
      return Number(text.toString("latin1", 0, bytes).split(" ")[1]) / 1e6;
    };
  } catch {
    return () => 0;
  }
}

/** Work typical of requests: parsing, matching, joining. */
function doFixedWork() {
  const text = JSON.stringify(
    Array.from({ length: 500 }, (_, index) => ({ id: index, text: `word ${index}` })),
  );
  return JSON.stringify(JSON.parse(text)).replace(/\p{L}+/gu, (word) => word.toUpperCase()).length;
}
