// Preloaded into a server under test: at SIGUSR2 its time of day jumps to the offset, in milliseconds, that stands in
// the file named by `?file=`. Durations go on as they are, as when somebody sets the clock of a machine.
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
