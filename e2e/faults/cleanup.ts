import { closeOnSignals } from "~e2e/bench/close-on-signals";

export type Later = (undo: () => unknown) => void;

/** Runs `work`, then undoes everything given to `later` in reverse order, even after a signal. */
export async function withCleanup<T>(work: (later: Later) => Promise<T>): Promise<T> {
  const undos: (() => unknown)[] = [];

  async function undoAll(): Promise<void> {
    const failures: unknown[] = [];
    for (const undo of undos.splice(0).reverse()) {
      try {
        await undo();
      } catch (error) {
        failures.push(error);
      }
    }
    // After the loop, so one failure doesn't prevent the other steps.
    for (const failure of failures) console.error("Could not be undone:", failure);
  }

  const stopListening = closeOnSignals(undoAll);
  try {
    return await work((undo) => undos.push(undo));
  } finally {
    stopListening();
    await undoAll();
  }
}
