let ending: (() => void)[] = [];

/**
 * At the end of this tick of the loop, with the other answers of it. A write wakes the client on this machine that waits
 * for it (a proxy, mostly), and waking takes the kernel longer than all else of a small answer; one that is awake takes
 * the next answer for nothing.
 */
export function endTogether(end: () => void): void {
  if (ending.push(end) === 1) setImmediate(endAll);
}

function endAll(): void {
  const ends = ending;
  ending = [];
  for (const end of ends) end();
}
