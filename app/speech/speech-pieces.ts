import { countCharacters, isLongerThan } from "~/platform/text/well-formed-text";
import { createSentenceStream, splitIntoSentences } from "./sentences";
import { toSpeakableText } from "./speakable-text";

/** Short first, to be heard early. Longer later, for fewer requests. */
const firstPieceChars = 30;
const growth = 3;
const largestPieceChars = 600;

const fenceStart = /^ {0,3}(`{3,}|~{3,})/;
const tableRow = /^\s*\|/;
const heading = /^ {0,3}#{1,6}\s/;
/** Begins a block. */
const blockStart = /^\s*(?:$|(?:[-*+]|\d{1,9}[.)]|#{1,6}|>)\s)/;
/** A line that begins like this is prose. */
const certainProse = /^\s*(?:\p{L}|\*\*|(?:[-*+]|\d{1,9}[.)]|#{1,6}|>)\s+\S)/u;

/** Cuts growing Markdown into pieces to be spoken. Omits code blocks and keeps tables whole, wherever deltas end. */
export function createSpeechPieces({ maxChars = largestPieceChars }: { maxChars?: number } = {}) {
  const sentences = createSentenceStream(maxChars);
  const gathering = createGathering(maxChars);
  let line = "";
  let isMidLine = false;
  let table = "";
  let fence: string | null = null;

  function endTable(): string[] {
    const text = table;
    table = "";
    return text === "" ? [] : gathering.add([text]);
  }

  /** A line break ends a sentence, except inside a paragraph. */
  function takeProse(text: string): string[] {
    const startsBlock = !isMidLine && blockStart.test(text);
    const endsBlock = !isMidLine && heading.test(text);
    isMidLine = !text.endsWith("\n");
    const joined = isMidLine || endsBlock ? text : `${text.slice(0, -1)} `;
    return [...endTable(), ...gathering.add(sentences.push(startsBlock ? `\n${joined}` : joined))];
  }

  function takeLine(text: string): string[] {
    const mark = fenceStart.exec(text)?.[1];
    if (fence !== null) {
      if (mark?.startsWith(fence) && text.trim() === mark) fence = null;
      return [];
    }
    if (mark) {
      fence = mark;
      return [...endTable(), ...gathering.add(sentences.flush())];
    }
    if (!tableRow.test(text)) return takeProse(text);
    table += text;
    return gathering.add(sentences.flush());
  }

  function push(delta: string): string[] {
    return delta.split(/(?<=\n)/).flatMap((part) => {
      if (isMidLine) return takeProse(part);
      line += part;
      const isDecided = line.endsWith("\n") || (fence === null && certainProse.test(line));
      if (!isDecided) return [];
      const text = line;
      line = "";
      return takeLine(text);
    });
  }

  function flush(): string[] {
    const text = line;
    line = "";
    const last = text === "" ? [] : takeLine(text);
    return [...last, ...endTable(), ...gathering.add(sentences.flush()), ...gathering.take()];
  }

  return { push, flush };
}

function createGathering(maxChars: number) {
  let gathered = "";
  let wantedChars = Math.min(firstPieceChars, maxChars);

  function take(): string[] {
    if (gathered === "") return [];
    const piece = gathered;
    gathered = "";
    wantedChars = Math.min(wantedChars * growth, maxChars);
    return [piece];
  }

  function add(texts: readonly string[]): string[] {
    const spoken = texts.flatMap((text) => splitIntoSentences(toSpeakableText(text), maxChars));
    return spoken.flatMap((sentence) => {
      const isFull = gathered !== "" && isLongerThan(`${gathered} ${sentence}`, maxChars);
      const before = isFull ? take() : [];
      gathered = gathered === "" ? sentence : `${gathered} ${sentence}`;
      return countCharacters(gathered) >= wantedChars ? [...before, ...take()] : before;
    });
  }

  return { add, take };
}
