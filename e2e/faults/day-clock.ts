import { setClock } from "~e2e/support/measure/movable-clock";
import type { RunningServer } from "~e2e/support/running-server";

export const dayMs = 86_400_000;

export type DayClock = ReturnType<typeof createDayClock>;

/** The time of a server whose clock is put forward while it serves, as those who ask it read it. */
export function createDayClock(server: RunningServer, offsetFile: string) {
  let offsetMs = 0;
  /** Odd while it is being put forward. */
  let turns = 0;
  return {
    nowMs: () => Date.now() + offsetMs,
    async putForward(ms: number): Promise<void> {
      turns += 1;
      // Never behind the server's: what that finds expired has expired here too.
      offsetMs += ms;
      await setClock({ server, offsetFile, offsetMs });
      turns += 1;
    },
    /** Returns a function that tells whether the clock has been left alone since. */
    markTurn(): () => boolean {
      const began = turns;
      return () => turns === began && began % 2 === 0;
    },
  };
}
