// Preloaded into a server under measurement: says at LOOP_HOLD_PORT for how long its event loop was held at most since
// it was asked last, in milliseconds. `monitorEventLoopDelay` would miss what comes within its first interval.
import { createServer } from "node:http";
import { performance } from "node:perf_hooks";

const tickMs = 1;
const { LOOP_HOLD_PORT } = process.env;

if (LOOP_HOLD_PORT !== undefined) {
  let lastMs = performance.now();
  let longestMs = 0;
  function look() {
    const nowMs = performance.now();
    longestMs = Math.max(longestMs, nowMs - lastMs - tickMs);
    lastMs = nowMs;
  }
  setInterval(look, tickMs).unref();
  const server = createServer((_request, response) => {
    look();
    response.end(String(longestMs));
    longestMs = 0;
  });
  // What the server starts itself inherits the preload, and finds the port taken.
  server.on("error", () => undefined);
  server.listen(Number(LOOP_HOLD_PORT), "127.0.0.1").unref();
}
