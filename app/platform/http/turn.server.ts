let last = Promise.resolve();

/** Resolves in a turn of the event loop that no other caller has, so that much work that comes at once holds nobody up. */
export function takeTurn(): Promise<void> {
  last = last.then(() => new Promise((resolve) => setImmediate(resolve)));
  return last;
}
