/** A sentence of a comment or document. Table cells count only for openings, because many are not whole sentences. */
export type Sentence = { words: string; isInTable: boolean };

export type Style = { count: number; foreignOpenings: number; meanLength: number; long: number };

const foreignOpening =
  /^(?:What|Where|Of|Those|Whoever|Whose|Nor|Neither|To whom|With what|By what)\b(?![^.]*\?$)/;
const longest = 25;
const leastWords = 4;

/** Shares are of 100 sentences. */
export function measureStyle(sentences: readonly Sentence[]): Style {
  const lengths = sentences.filter(({ isInTable }) => !isInTable).map(({ words }) => countWords(words));
  const share = (part: number, whole: number) => (100 * part) / Math.max(whole, 1);
  return {
    count: sentences.length,
    foreignOpenings: share(sentences.filter(hasForeignOpening).length, sentences.length),
    meanLength: lengths.reduce((sum, length) => sum + length, 0) / Math.max(lengths.length, 1),
    long: share(lengths.filter((length) => length > longest).length, lengths.length),
  };
}

export function hasForeignOpening({ words }: Sentence): boolean {
  return foreignOpening.test(words);
}

export function isLong({ words, isInTable }: Sentence): boolean {
  return !isInTable && countWords(words) > longest;
}

export function readDocument(text: string): Sentence[] {
  const prose = text
    .replaceAll(/^( *)```[^]*?^\1```/gm, "\n")
    .replaceAll(/<!--[^]*?-->/g, "\n")
    .replaceAll(/!?\[((?:[^\]\\]|\\.)*)\]\([^)]*\)/g, "$1");
  const lines = prose.split("\n");
  const cells = lines
    .filter((line) => line.startsWith("|") && !/^\|[\s|:-]+$/.test(line))
    .flatMap((line) => line.split(/(?<!\\)\|/).slice(1, -1));
  const paragraphs = lines
    .map((line) => (/^(?:#|\|)/.test(line) ? "" : line.replace(/^\s*(?:[-*]|\d+\.|>) /, "\n$&")))
    .join("\n")
    .split(/\n\s*\n/)
    .map((paragraph) => paragraph.replace(/^\s*(?:[-*]|\d+\.|>) /, ""));
  return [...splitAll(paragraphs, false), ...splitAll(cells, true)];
}

/** Consecutive `//` lines are one text, and so is each block. */
export function readComments(source: string): Sentence[] {
  const texts: string[] = [];
  const found = source.matchAll(
    /^[ \t]*\/\*\*?([^]*?)\*\/|((?:^[ \t]*\/\/(?!\/ <).*\n?)+)|(?<=[\s,;{}()])\/\/ (.+)$/gm,
  );
  for (const [, block, lines, trailing] of found) {
    const text =
      block?.replaceAll(/^\s*\*/gm, "") ?? lines?.replaceAll(/^\s*\/{2,3}/gm, "") ?? trailing ?? "";
    if (!/^\s*(?:eslint|@ts-|prettier|c8|v8)/.test(text)) texts.push(text.replaceAll(/^\s*@\w+.*$/gm, ""));
  }
  return splitAll(
    texts.flatMap((text) => text.split(/\n\s*\n/)),
    false,
  );
}

function splitAll(texts: readonly string[], isInTable: boolean): Sentence[] {
  return texts.flatMap((text) =>
    text
      .replaceAll(/`[^`]*`/g, "`code`")
      .replaceAll(/\*\*/g, "")
      .replaceAll(/\s+/g, " ")
      .trim()
      .split(/(?<=[.!?][)"”]?) (?=[A-Z`"“([])/)
      .filter((words) => countWords(words) >= leastWords && !words.endsWith("?"))
      .map((words) => ({ words, isInTable })),
  );
}

function countWords(text: string): number {
  return text.split(" ").filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
}
