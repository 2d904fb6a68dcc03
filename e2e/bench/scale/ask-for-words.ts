/** What the bench's model is asked, and so told: so many words as fast as they go, and the end. */
export function askForWords(words: number): string {
  return `words ${words}`;
}

/** So many words, one every so often. */
export function askForPace({ words, everyMs }: { words: number; everyMs: number }): string {
  return `paced ${words} ${everyMs}`;
}

/** One word at once, and then silence until the model is made to speak: a word in each `everyMs`, until it is made to end. */
export function askToBeHeld(everyMs: number): string {
  return `held ${everyMs}`;
}

/** The last word, by which a reader can tell that the answer is complete. */
export function tellWords(said: number): string {
  return `said:${said};`;
}

export const toldWords = /said:(\d+);/;
/** Longer than any answer here. */
export const longestTelling = 32;
