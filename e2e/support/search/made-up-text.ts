/** Text that is the same in every run: a made-up language with a few common words and many rare ones. */
const vocabulary = 20_000;
const wordsAPassage = 90;

export function makeText(seed: number): string {
  return makeWords(seed * 2 + 1, wordsAPassage);
}

function makeWords(seed: number, count: number): string {
  const random = createRandom(seed);
  // The cube makes about a third of all words come from the most common twenty-seventh.
  return Array.from({ length: count }, () => spell(Math.floor(random() ** 3 * vocabulary))).join(" ");
}

const syllables = "ba ce di fo gu ha ke li mo nu pa re si to vu wa xe zi lo mi".split(" ");

function spell(number: number): string {
  let word = "";
  for (let rest = number + 400; rest > 0; rest = Math.floor(rest / syllables.length)) {
    word += syllables[rest % syllables.length];
  }
  return word;
}

/** Mulberry32. */
function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
