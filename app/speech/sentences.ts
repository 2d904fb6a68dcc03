import { cutText, isLongerThan } from "~/platform/well-formed-text";

/** After these a full stop ends no sentence; single letters are initials and count as such too. */
const abbreviations = new Set(
  "mr mrs ms dr prof sr jr st vs etc e.g i.e cf no nr vol fig approx dept est inc ltd co bzw ca usw z.b".split(
    " ",
  ),
);
const endMarks = /[.!?…]+["'”’»)\]]*(?=\s)|[。！？]["'”’»」』）]*|\n+/gu;

/**
 * Sentences in their order, none longer than `maxChars`: longer ones are cut at a clause, else at a word, and where
 * there is neither in the middle. Joined they are the text, but for white space at the cuts.
 */
export function splitIntoSentences(text: string, maxChars: number): string[] {
  const { sentences, rest } = takeSentences(text);
  return [...sentences, rest].flatMap((sentence) => cutLong(sentence.trim(), maxChars)).filter(Boolean);
}

/**
 * Collects a text that arrives in pieces and gives out its sentences as soon as they are certain: `3.` may still become
 * `3.14`, so that an end counts only with the white space behind it. `flush` gives the rest.
 */
export function createSentenceStream(maxChars: number) {
  let waiting = "";

  function push(piece: string): string[] {
    const { sentences, rest } = takeSentences(waiting + piece);
    waiting = rest;
    return sentences.flatMap((sentence) => cutLong(sentence.trim(), maxChars)).filter(Boolean);
  }

  function flush(): string[] {
    const text = waiting;
    waiting = "";
    return splitIntoSentences(text, maxChars);
  }

  return { push, flush };
}

function takeSentences(text: string): { sentences: string[]; rest: string } {
  const sentences: string[] = [];
  let start = 0;
  for (const { 0: mark, index } of text.matchAll(endMarks)) {
    if (index < start) continue;
    const sentence = text.slice(start, index + mark.length);
    if (!isWhole(sentence, mark)) continue;
    sentences.push(sentence);
    start = index + mark.length;
  }
  return { sentences, rest: text.slice(start) };
}

function isWhole(sentence: string, mark: string): boolean {
  if (mark.startsWith("\n")) return true;
  if (isInsideMarkup(sentence)) return false;
  if (!mark.startsWith(".") || mark.startsWith("..")) return true;
  const word = /[\p{L}\p{N}.]*$/u.exec(sentence.slice(0, sentence.length - mark.length))?.[0] ?? "";
  const isInitial = /^\p{L}$/u.test(word) && word !== "I";
  // `2.` at the beginning numbers a list.
  const isNumbering = /^\d{1,3}$/.test(word) && sentence.trim().length <= word.length + 1;
  return !isInitial && !isNumbering && !abbreviations.has(word.toLowerCase());
}

/** An end inside a link's text or inside inline code is none. */
function isInsideMarkup(sentence: string): boolean {
  const opened = sentence.split("[").length - sentence.split("]").length;
  return opened > 0 || sentence.split("`").length % 2 === 0;
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
