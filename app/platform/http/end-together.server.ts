/** A tick that draws many pages is long; whoever is answered in it waits no longer than for the next answer after this. */
const longestWaitMs = 1;

let ending: (() => void)[] = [];
let firstAtMs = 0;

/**
 * At the end of this tick of the loop, with the other answers of it. A write wakes the client on this machine that waits
 * for it, mostly a proxy, and that takes the kernel longer than all else of a small answer. One that is awake takes the
 * next answers for nothing.
 */
export function endTogether(end: () => void): void {
  if (ending.push(end) === 1) {
    firstAtMs = performance.now();
    setImmediate(endAll);
  } else if (performance.now() - firstAtMs > longestWaitMs) {
    endAll();
  }
}

function endAll(): void {
  const ends = ending;
  ending = [];
  for (const end of ends) end();
}
