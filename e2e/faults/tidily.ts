export type Later = (undo: () => unknown) => void;

/** Runs `work`; what it handed to `later` is undone afterwards, the last first, however it ended. */
export async function tidily<T>(work: (later: Later) => Promise<T>): Promise<T> {
  const undos: (() => unknown)[] = [];
  const failures: unknown[] = [];
  try {
    return await work((undo) => undos.push(undo));
  } finally {
    for (const undo of undos.reverse()) {
      try {
        await undo();
      } catch (error) {
        failures.push(error);
      }
    }
    // After the loop, so that one failure keeps nothing else from being undone.
    for (const failure of failures) console.error("Could not be undone:", failure);
  }
}
