import { AsyncResource } from "node:async_hooks";

type Waiting<Item, Result> = {
  item: Item;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
};

/**
 * Has `run` do one batch after the other: what is asked for meanwhile makes up the next one. Its results are in the order
 * of the items.
 */
export function inBatches<Item, Result>(
  run: (items: readonly Item[]) => Promise<readonly Result[]>,
): (item: Item) => Promise<Result> {
  let waiting: Waiting<Item, Result>[] = [];
  let isRunning = false;
  let caller = new AsyncResource("Batch");

  async function runAll(): Promise<void> {
    isRunning = true;
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      try {
        const items = batch.map(({ item }) => item);
        const results = await caller.runInAsyncScope(run, undefined, items);
        for (const [index, { resolve }] of batch.entries()) resolve(results[index]!);
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    isRunning = false;
  }

  return (item) =>
    new Promise((resolve, reject) => {
      // A batch belongs to the trace of the first who asked for something in it.
      if (waiting.length === 0) caller = new AsyncResource("Batch");
      waiting.push({ item, resolve, reject });
      if (!isRunning) void runAll();
    });
}
