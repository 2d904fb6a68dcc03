// Preloaded into a server under measurement: says at LOOP_HOLD_PORT for how long its event loop was held at most since
// it was asked last, in milliseconds. `monitorEventLoopDelay` would miss what comes within its first interval. The time
// in which the system let other processes run does not count, so that a busy machine holds no loop.
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
  // What the server starts itself inherits the preload, and finds the port taken.
  server.on("error", () => undefined);
  server.listen(Number(LOOP_HOLD_PORT), "127.0.0.1").unref();
}

/** For how long this thread was ready and another one ran. Only Linux tells. */
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

/** What requests are made of: parsing, matching, joining. */
function doFixedWork() {
  const text = JSON.stringify(
    Array.from({ length: 500 }, (_, index) => ({ id: index, text: `word ${index}` })),
  );
  return JSON.stringify(JSON.parse(text)).replace(/\p{L}+/gu, (word) => word.toUpperCase()).length;
}
