import { Lexer } from "marked";
import type { Token, Tokens } from "marked";
import { countCharacters, isLongerThan } from "~/platform/text/well-formed-text";
import { splitIntoSentences, takeSentences } from "./sentences";
import { toSpeakableText } from "./speakable-text";

/** Short first, to be heard early. Longer later, for fewer requests. */
const firstPieceChars = 30;
const growth = 3;
const largestPieceChars = 600;

/** Cuts growing Markdown into pieces to be spoken. Omits code blocks and keeps tables whole, wherever deltas end. */
export function createSpeechPieces({ maxChars = largestPieceChars }: { maxChars?: number } = {}) {
  const gathering = createGathering(maxChars);
  /** The end of the text, which the next delta may change. */
  let open = "";

  function push(delta: string): string[] {
    const text = open + delta.replace(/\r\n?/g, "\n");
    const blocks = new Lexer({ gfm: true }).blockTokens(text, []);
    const last = blocks.pop();
    if (!last) return [];
    const certainChars = countCertain(last);
    open = last.raw.slice(certainChars);
    return gathering.add([...blocks.map(({ raw }) => raw), last.raw.slice(0, certainChars)]);
  }

  function flush(): string[] {
    const last = open;
    open = "";
    return [...gathering.add([last]), ...gathering.take()];
  }

  return { push, flush };
}

/** All but the last item of a list, and whole sentences of a paragraph. A line with a bar may begin a table. */
function countCertain(block: Token): number {
  if (block.type === "list") return block.raw.lastIndexOf((block as Tokens.List).items.at(-1)!.raw);
  if (block.type !== "paragraph" || block.raw.includes("|")) return 0;
  return takeSentences(block.raw.replaceAll("\n", " ")).sentences.join("").length;
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
