/** By client: who waits. The client whose turn comes next is the first. */
const waiting = new Map<string, (() => void)[]>();
let isRunning = false;

/**
 * Resolves in a turn of the event loop of its own, so that much concurrent work blocks nobody. Clients take turns,
 * however many callers each of them has.
 */
export function takeTurn(clientId = ""): Promise<void> {
  return new Promise((resolve) => {
    const callers = waiting.get(clientId) ?? [];
    callers.push(resolve);
    waiting.set(clientId, callers);
    if (!isRunning) setImmediate(giveTurn);
    isRunning = true;
  });
}

function giveTurn(): void {
  const [next] = waiting;
  isRunning = next !== undefined;
  if (next === undefined) return;
  const [clientId, callers] = next;
  callers.shift()!();
  waiting.delete(clientId);
  // Its next one comes after those of all other clients.
  if (callers.length > 0) waiting.set(clientId, callers);
  setImmediate(giveTurn);
}
