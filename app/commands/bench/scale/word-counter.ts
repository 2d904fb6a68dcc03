const word = "word ";
const endMark = "[DONE]";

/** Counts what the model says in a stream of events, wherever the stream is cut into pieces. */
export function createWordCounter() {
  let words = 0;
  let rest = "";
  let hasEndMark = false;
  return {
    take(text: string): void {
      const all = rest + text;
      const pieces = all.split(word);
      words += pieces.length - 1;
      hasEndMark ||= pieces.at(-1)!.includes(endMark);
      // Shorter than either, so that nothing is counted twice and nothing lost.
      rest = pieces.at(-1)!.slice(-Math.max(word.length, endMark.length) + 1);
    },
    words: () => words,
    hasEndMark: () => hasEndMark,
  };
}
