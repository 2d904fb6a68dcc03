import type { Clock } from "~/platform/clock";

/**
 * How much older than the newest block known an answer may be: providers that spread calls over several nodes are a few
 * blocks apart. Time and not a number of blocks, because blocks take from half a second to 12 s.
 */
export const maxLagSeconds = 120n;
/** How long the newest block holds for without being seen again: a chain may be restarted, and an endpoint may lie. */
export const newestBlockHoldsMs = 300_000;

export type BlockTime = {
  seconds: bigint;
  /** As the block itself says; otherwise as code that was called saw it, for which some nodes put in their clock. */
  isOfHeader: boolean;
};
export type NewestBlock = ReturnType<typeof createNewestBlock>;

/** The time of the newest block that any endpoint has shown to this process. */
export function createNewestBlock(clock: Clock, wallClock: Clock) {
  const ofHeaders = createMark(clock);
  const ofCalls = createMark(clock);

  return {
    /** The seconds an answer lags behind by, where that is too many; null otherwise, and then it is counted in. */
    findLag({ seconds, isOfHeader }: BlockTime): bigint | null {
      const marks = isOfHeader ? [ofHeaders] : [ofHeaders, ofCalls];
      for (const mark of marks) {
        const lag = mark.read() - seconds;
        if (lag > maxLagSeconds) return lag;
      }
      // A block dated in the future must not make honest ones look old.
      const wallSeconds = BigInt(Math.floor(wallClock() / 1_000));
      const shown = seconds < wallSeconds ? seconds : wallSeconds;
      (isOfHeader ? ofHeaders : ofCalls).note(shown);
      return null;
    },
  };
}

/** The latest of the times noted, until nothing was noted for long. */
function createMark(clock: Clock) {
  let latest = 0n;
  let notedAtMs = -Infinity;
  const read = () => (clock() - notedAtMs < newestBlockHoldsMs ? latest : 0n);

  return {
    read,
    note(seconds: bigint): void {
      const known = read();
      latest = seconds > known ? seconds : known;
      notedAtMs = clock();
    },
  };
}
