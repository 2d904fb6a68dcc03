/** Names that are taken in this window, where the browser lends no locks (outside of HTTPS and localhost). */
const taken = new Set<string>();

/** Runs the work unless the same is under way already, in this window or another one of this browser. */
export async function whileAlone(name: string, work: () => Promise<void>): Promise<"done" | "busy"> {
  if (taken.has(name)) return "busy";
  taken.add(name);
  try {
    // Not everywhere, whatever the types say.
    const locks = navigator.locks as LockManager | undefined;
    if (!locks) {
      await work();
      return "done";
    }
    return await locks.request(name, { ifAvailable: true }, async (lock) => {
      if (!lock) return "busy";
      await work();
      return "done";
    });
  } finally {
    taken.delete(name);
  }
}
