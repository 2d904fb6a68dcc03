import { endOfSentences, toPlainText } from "./announcer";

/** Shorter sentences are read together: each request costs a moment. */
const minPieceChars = 60;
const maxPieceChars = 600;

/** Cuts growing Markdown into pieces to be read aloud; each call gives the pieces that have become whole. */
export function createSpeechCutter() {
  let takenChars = 0;

  return function takePieces({ text, isComplete }: { text: string; isComplete: boolean }): string[] {
    const end = isComplete ? text.length : endOfReadable(text);
    if (end <= takenChars || (!isComplete && end - takenChars < minPieceChars)) return [];
    const plain = toPlainText(text.slice(takenChars, end));
    takenChars = end;
    return cutIntoPieces(plain);
  };
}

/** Nothing is read from code that is still being written: only its end tells that it is code no longer. */
function endOfReadable(text: string): number {
  const fences = [...text.matchAll(/^ {0,3}```/gm)];
  const readable = fences.length % 2 === 1 ? text.slice(0, fences.at(-1)!.index) : text;
  return endOfSentences(readable);
}

export function cutIntoPieces(plain: string): string[] {
  const pieces: string[] = [];
  for (const sentence of plain.match(/[^.!?…。！？]*[.!?…。！？]*\s*/g) ?? []) {
    for (const part of cutLong(sentence.trim())) {
      const last = pieces.at(-1);
      if (last !== undefined && last.length < minPieceChars) pieces[pieces.length - 1] = `${last} ${part}`;
      else pieces.push(part);
    }
  }
  return pieces.filter((piece) => /[\p{L}\p{N}]/u.test(piece));
}

function cutLong(sentence: string): string[] {
  if (sentence === "") return [];
  if (sentence.length <= maxPieceChars) return [sentence];
  const space = sentence.lastIndexOf(" ", maxPieceChars);
  const at = space > 0 ? space : maxPieceChars;
  return [sentence.slice(0, at), ...cutLong(sentence.slice(at).trim())];
}
