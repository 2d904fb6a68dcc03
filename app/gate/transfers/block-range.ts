const largestRange = 2_000;

/**
 * How many blocks to ask for at once: fewer after a refusal, slowly more after each success. Providers limit ranges to
 * anything from ten blocks to ten thousand, or by what is found in them.
 */
export function createBlockRange() {
  let size = largestRange;
  return {
    size: () => BigInt(size),
    noteSuccess: () => {
      size = Math.min(largestRange, size + Math.ceil(size / 4));
    },
    noteRefusal: () => {
      size = Math.max(1, Math.floor(size / 2));
    },
  };
}
