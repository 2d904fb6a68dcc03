const word = "word ";
const endMark = "[DONE]";
const toldWords = /said:(\d+);/;
/** Longer than any count. */
const longestTelling = 32;

/** Asks the benchmark's model for this many words, as fast as it can. */
export function askForWords(words: number): string {
  return `words ${words}`;
}

/** Asks for one word now, and a word every `everyMs` from `speak` to `end`. */
export function askToBeHeld(everyMs: number): string {
  return `held ${everyMs}`;
}

/** The last word, so that a reader can tell a complete reply. */
export function tellWords(said: number): string {
  return `said:${said};`;
}

/** Counts the model's words in a stream of events, wherever the chunks are cut. */
export function createWordCounter() {
  let words = 0;
  let rest = "";
  let told: number | null = null;
  let hasEndMark = false;
  return {
    take(text: string): void {
      const pieces = (rest + text).split(word);
      const last = pieces.at(-1)!;
      words += pieces.length - 1;
      const count = toldWords.exec(last)?.[1];
      if (count !== undefined) told ??= Number(count);
      hasEndMark ||= last.includes(endMark);
      // The next piece may continue a word that is cut here.
      rest = last.slice(-longestTelling);
    },
    words: () => words,
    isWhole: () => hasEndMark && told === words,
  };
}
