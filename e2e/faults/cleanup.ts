import { closeOnSignals } from "~e2e/bench/close-on-signals";

export type Later = (undo: () => unknown) => void;

/** Runs `work`; what it handed to `later` is undone afterwards, the last first, however it ended: by a signal as well. */
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
    // After the loop, so that one failure keeps nothing else from being undone.
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
