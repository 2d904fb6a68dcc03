let last = Promise.resolve();

/** Resolves in a turn of the event loop of its own, so that much concurrent work blocks nobody. */
export function takeTurn(): Promise<void> {
  last = last.then(() => new Promise((resolve) => setImmediate(resolve)));
  return last;
}
