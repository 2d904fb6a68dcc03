// Preloaded into a server under test. At SIGUSR2 its time of day jumps to the offset in milliseconds in the file named
// by `?file=`. Durations are unaffected, as when somebody sets a machine's clock.
import { readFileSync } from "node:fs";

const file = new URL(import.meta.url).searchParams.get("file");
const RealDate = Date;
const realNow = Date.now;
let offsetMs = 0;

Date.now = () => realNow() + offsetMs;
globalThis.Date = new Proxy(RealDate, {
  construct: (target, args, newTarget) =>
    Reflect.construct(target, args.length > 0 ? args : [realNow() + offsetMs], newTarget),
  apply: () => new RealDate(realNow() + offsetMs).toString(),
});

process.on("SIGUSR2", () => {
  offsetMs = Number(readFileSync(/** @type {string} */ (file), "utf8"));
  process.stdout.write(`${JSON.stringify({ clockOffsetMs: offsetMs })}\n`);
});
