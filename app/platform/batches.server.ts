import { AsyncResource } from "node:async_hooks";

type Waiting<Item, Result> = {
  item: Item;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
};

const maxItems = 100;

/** After so long the next batch no longer waits for one that hangs. */
const patienceMs = 100;

/**
 * Has `run` do batches, as a rule one after the other: what is asked for meanwhile makes up the next one. Its results are in
 * the order of the items.
 */
export function inBatches<Item, Result>(
  run: (items: readonly Item[]) => Promise<readonly Result[]>,
): (item: Item) => Promise<Result> {
  const waiting: Waiting<Item, Result>[] = [];
  let isBusy = false;
  let caller = new AsyncResource("Batch");

  async function runBatch(batch: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      const items = batch.map(({ item }) => item);
      const results = await caller.runInAsyncScope(run, undefined, items);
      for (const [index, { resolve }] of batch.entries()) resolve(results[index]!);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }

  function runNext(): void {
    const batch = waiting.splice(0, maxItems);
    isBusy = batch.length > 0;
    if (!isBusy) return;
    let hasGoneOn = false;
    const goOn = () => {
      if (!hasGoneOn) runNext();
      hasGoneOn = true;
    };
    const timer = setTimeout(goOn, patienceMs);
    void runBatch(batch).finally(() => {
      clearTimeout(timer);
      goOn();
    });
  }

  return (item) =>
    new Promise((resolve, reject) => {
      // A batch belongs to the trace of the first who asked for something in it.
      if (waiting.length === 0) caller = new AsyncResource("Batch");
      waiting.push({ item, resolve, reject });
      if (!isBusy) runNext();
    });
}
