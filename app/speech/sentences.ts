import { cutText, isLongerThan } from "~/platform/text/well-formed-text";

/** A full stop ends no sentence after these, or after a single letter. */
const abbreviations = new Set(
  "mr mrs ms dr prof sr jr st vs etc e.g i.e cf no nr vol fig approx dept est inc ltd co bzw ca usw z.b".split(
    " ",
  ),
);
/** Matches a run of marks from its beginning only, which is linear. */
const endMarks = /(?<![.!?…])[.!?…]+["'”’»)\]]*(?=\s)|[。！？]["'”’»」』）]*|\n+/gu;
/** Longer than each abbreviation. */
const maxWordChars = 12;

/** Sentences of at most `maxChars`. Longer ones are cut at a clause or a word. */
export function splitIntoSentences(text: string, maxChars: number): string[] {
  const { sentences, rest } = takeSentences(text);
  return [...sentences, rest].flatMap((sentence) => cutLong(sentence.trim(), maxChars)).filter(Boolean);
}

/** At most `maxChars`: whole sentences, or the beginning of the first one. */
export function cutAtSentence(text: string, maxChars: number): string {
  if (!isLongerThan(text, maxChars)) return text;
  // A sentence ends with white space.
  const { sentences } = takeSentences(cutText(text, maxChars + 1));
  if (isLongerThan(sentences.join("").trimEnd(), maxChars)) sentences.pop();
  return sentences.join("").trimEnd() || cutLong(text, maxChars)[0]!;
}

/** `rest` may still become a sentence. Linear. */
export function takeSentences(text: string): { sentences: string[]; rest: string } {
  const sentences: string[] = [];
  let start = 0;
  let read = 0;
  let [brackets, backticks] = [0, 0];
  for (const { 0: mark, index } of text.matchAll(endMarks)) {
    const end = index + mark.length;
    for (; read < end; read += 1) {
      const character = text[read];
      if (character === "[") brackets += 1;
      else if (character === "]") brackets -= 1;
      else if (character === "`") backticks += 1;
    }
    // No sentence ends inside a link's text or inline code.
    const isInsideMarkup = brackets > 0 || backticks % 2 === 1;
    if (!mark.startsWith("\n") && (isInsideMarkup || !isWhole(text.slice(start, index), mark))) continue;
    sentences.push(text.slice(start, end));
    start = end;
    [brackets, backticks] = [0, 0];
  }
  return { sentences, rest: text.slice(start) };
}

function isWhole(words: string, mark: string): boolean {
  if (!mark.startsWith(".") || mark.startsWith("..")) return true;
  const word = /[\p{L}\p{N}.]*$/u.exec(words.slice(-maxWordChars))?.[0] ?? "";
  const isInitial = /^\p{L}$/u.test(word) && word !== "I";
  // `2.` numbers a list.
  const isNumbering = /^\d{1,3}$/.test(word) && words.trim() === word;
  return !isInitial && !isNumbering && !abbreviations.has(word.toLowerCase());
}

function cutLong(text: string, maxChars: number): string[] {
  const parts: string[] = [];
  let rest = text;
  while (isLongerThan(rest, maxChars)) {
    const head = cutText(rest, maxChars);
    const clause = Math.max(...[", ", "; ", ": ", " - ", " – ", "，", "、"].map((mark) => endOf(head, mark)));
    const word = head.lastIndexOf(" ");
    const at = clause > maxChars / 3 ? clause : word > 0 ? word : Math.max(1, head.length);
    parts.push(rest.slice(0, at).trim());
    rest = rest.slice(at).trim();
  }
  return [...parts, rest];
}

function endOf(head: string, mark: string): number {
  const at = head.lastIndexOf(mark);
  return at < 0 ? -1 : at + mark.trimEnd().length;
}
