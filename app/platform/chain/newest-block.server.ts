import type { Clock } from "~/platform/time/clock";
import type { SeenBlock } from "./seen-block";

/** An endpoint that is further behind rests. In seconds, because blocks take from a fraction of a second to 12 s. */
export const maxLagSeconds = 120n;
/** How long the newest block counts without being seen again: a chain may restart, and an endpoint may lie. */
const newestBlockHoldsMs = 300_000;
/**
 * Block numbers further apart are of different counts, because this takes 20 blocks a second. Some chains show
 * contracts another number than the header, and some restart.
 */
const maxBlocksBehind = 20n * maxLagSeconds;

export type NewestBlock = ReturnType<typeof createNewestBlock>;

/** The newest block that any endpoint has shown to this process. */
export function createNewestBlock(clock: Clock, wallClock: Clock) {
  const createMarks = (maxFall: bigint) => ({
    ofHeaders: createMark(clock, maxFall),
    ofCalls: createMark(clock, maxFall),
  });
  const [times, numbers] = [createMarks(maxLagSeconds), createMarks(maxBlocksBehind)];

  return {
    /** The seconds a reading lags behind, if those are too many. */
    findLag({ blockSeconds, isOfHeader }: SeenBlock): bigint | null {
      const marks = isOfHeader ? [times.ofHeaders] : [times.ofHeaders, times.ofCalls];
      for (const mark of marks) {
        const lag = mark.read() - blockSeconds;
        if (lag > maxLagSeconds) return lag;
      }
      return null;
    },

    isOlder({ blockNumber, blockSeconds, isOfHeader }: SeenBlock): boolean {
      const leads = [numbers.ofHeaders, numbers.ofCalls].map((mark) => mark.read() - blockNumber);
      if (leads.some((lead) => lead > 0n && lead <= maxBlocksBehind)) return true;
      // If calls see another count, compare times.
      const isOtherCount = leads[0]! > maxBlocksBehind || leads[0]! < -maxBlocksBehind;
      return !isOfHeader && isOtherCount && blockSeconds < times.ofHeaders.read();
    },

    note({ blockNumber, blockSeconds, isOfHeader }: SeenBlock): void {
      const kind = isOfHeader ? "ofHeaders" : "ofCalls";
      numbers[kind].note(blockNumber);
      // A block dated in the future must not make honest ones look old.
      const wallSeconds = BigInt(Math.floor(wallClock() / 1_000));
      times[kind].note(blockSeconds < wallSeconds ? blockSeconds : wallSeconds);
    },

    noteNumber: (blockNumber: bigint): void => numbers.ofHeaders.note(blockNumber),

    /** After a reorganisation, the chain may be shorter. */
    forgetNumbers(): void {
      numbers.ofHeaders.forget();
      numbers.ofCalls.forget();
    },
  };
}

/** The greatest value noted. Expires after a while, and when a value is less by more than `maxFall`. */
function createMark(clock: Clock, maxFall: bigint) {
  let greatest = 0n;
  let notedAtMs = -Infinity;
  const read = () => (clock() - notedAtMs < newestBlockHoldsMs ? greatest : 0n);

  return {
    read,
    note(value: bigint): void {
      const known = read();
      if (value < known && known - value <= maxFall) return;
      greatest = value;
      notedAtMs = clock();
    },
    forget: () => void (notedAtMs = -Infinity),
  };
}
