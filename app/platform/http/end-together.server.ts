import type { ServerResponse } from "node:http";
import { atEndOfTick } from "~/platform/end-of-tick.server";

/** A tick in which many pages are drawn is long: an answer that has waited for so long is ended together with the next one. */
const longestWaitMs = 1;

type Ending = { response: ServerResponse; end: () => void };

let endings: Ending[] = [];
let firstAtMs = 0;

/**
 * Ends an answer together with the others of this tick of the loop, in a row. A write wakes the process on this machine that
 * waits for it, such as a proxy, and waking it costs the kernel more than the rest of a small answer. It is awake for those
 * that follow.
 */
export function endTogether(response: ServerResponse, end: () => void): void {
  if (endings.push({ response, end }) === 1) {
    firstAtMs = performance.now();
    atEndOfTick("answers", endAll);
  } else if (performance.now() - firstAtMs > longestWaitMs) {
    endAll();
  }
}

function endAll(): void {
  const all = endings;
  endings = [];
  for (const { response, end } of all) {
    try {
      end();
    } catch (error) {
      response.destroy(error as Error);
    }
  }
}
