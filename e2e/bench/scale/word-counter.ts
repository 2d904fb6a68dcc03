import { longestTelling, toldWords } from "./ask-for-words";

const word = "word ";
const endMark = "[DONE]";

/** Counts what the model says in a stream of events, wherever the stream is cut into pieces. */
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
      told ??= toNumber(toldWords.exec(last)?.[1]);
      hasEndMark ||= last.includes(endMark);
      // What stands behind the last word and may go on in the next piece.
      rest = last.slice(-longestTelling);
    },
    words: () => words,
    /** The end came, and as many words as the model says it has said. */
    isWhole: () => hasEndMark && told === words,
    describe: () =>
      `${words} words of ${told ?? "an unknown number"}, ${hasEndMark ? "with" : "without"} its end`,
  };
}

function toNumber(text: string | undefined): number | null {
  return text === undefined ? null : Number(text);
}
