import type { Clock } from "~/platform/time/clock";
import type { SeenBlock, WatchedBlock } from "./seen-block";

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

  /** A block dated in the future must not make honest ones look old. */
  function notInFuture(blockSeconds: bigint): bigint {
    const wallSeconds = BigInt(Math.floor(wallClock() / 1_000));
    return blockSeconds < wallSeconds ? blockSeconds : wallSeconds;
  }

  /** The seconds an answer lags behind by, where that is too many; null otherwise. */
  function findLag({ blockSeconds, isOfHeader }: SeenBlock): bigint | null {
    const marks = isOfHeader ? [times.ofHeaders] : [times.ofHeaders, times.ofCalls];
    for (const mark of marks) {
      const lag = mark.read() - blockSeconds;
      if (lag > maxLagSeconds) return lag;
    }
    return null;
  }

  return {
    findLag,

    /** Whether a newer block is known. */
    isOlder(block: SeenBlock): boolean {
      const { blockNumber, blockSeconds, isOfHeader } = block;
      const leads = [numbers.ofHeaders, numbers.ofCalls].map((mark) => mark.read() - blockNumber);
      if (leads.some((lead) => lead > 0n && lead <= maxBlocksBehind)) return true;
      // If calls see another count, compare times.
      const isOtherCount = leads[0]! > maxBlocksBehind || leads[0]! < -maxBlocksBehind;
      if (!isOtherCount) return false;
      return isOfHeader ? findLag(block) !== null : blockSeconds < times.ofHeaders.read();
    },

    note({ blockNumber, blockSeconds, isOfHeader }: SeenBlock): void {
      const kind = isOfHeader ? "ofHeaders" : "ofCalls";
      numbers[kind].note(blockNumber);
      times[kind].note(notInFuture(blockSeconds));
    },

    /** A header that another process has read. It may be an old one, so it lowers nothing. */
    noteWatched({ blockNumber, blockSeconds }: WatchedBlock): void {
      numbers.ofHeaders.raise(blockNumber);
      times.ofHeaders.raise(notInFuture(blockSeconds));
    },

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
  const set = (value: bigint) => ([greatest, notedAtMs] = [value, clock()]);

  return {
    read,
    note(value: bigint): void {
      const fall = read() - value;
      if (fall <= 0n || fall > maxFall) set(value);
    },
    raise: (value: bigint) => void (value >= read() && set(value)),
    forget: () => void (notedAtMs = -Infinity),
  };
}
