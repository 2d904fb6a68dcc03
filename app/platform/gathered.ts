import { AsyncResource } from "node:async_hooks";

type Waiting<Item, Result> = {
  item: Item;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
};

/**
 * Does the same for many at once: what is asked for in one turn of the loop, or while it is being done for others,
 * goes together. One that fails fails for all of its turn. Results are in the order of the items.
 */
export function createGathered<Item, Result>(
  doAll: (items: readonly Item[]) => Promise<readonly Result[]>,
): (item: Item) => Promise<Result> {
  // What is done for many belongs to no request.
  const background = new AsyncResource("Gathered");
  let waiting: Waiting<Item, Result>[] = [];
  let isBusy = false;

  async function run(): Promise<void> {
    while (waiting.length > 0) {
      const taken = waiting;
      waiting = [];
      try {
        const results = await doAll(taken.map(({ item }) => item));
        taken.forEach(({ resolve }, index) => resolve(results[index]!));
      } catch (error) {
        taken.forEach(({ reject }) => reject(error));
      }
    }
    isBusy = false;
  }

  return (item) =>
    new Promise<Result>((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (isBusy) return;
      isBusy = true;
      background.runInAsyncScope(() => setImmediate(() => void run()));
    });
}
