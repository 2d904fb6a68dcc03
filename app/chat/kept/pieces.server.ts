import type { AppendRequest } from "./kept-answer-store.server";

/** Events that are stored together: their JSON, one a line. */
type Piece = { replyId: string; firstId: number; lastId: number; bytes: number; text: string };

/** A piece is read whole. */
const maxPieceChars = 64 * 1024;

/** Pieces are larger only where a single event is. The same events from the same id give the same pieces. */
export function splitIntoPieces({
  replyId,
  firstId,
  events,
}: Pick<AppendRequest, "replyId" | "firstId" | "events">): Piece[] {
  const pieces: Piece[] = [];
  let start = 0;
  let chars = 0;
  function add(end: number): void {
    const text = events.slice(start, end).join("\n");
    const lastId = firstId + end - 1;
    pieces.push({ replyId, firstId: firstId + start, lastId, bytes: Buffer.byteLength(text), text });
    start = end;
    chars = 0;
  }
  for (let index = 0; index < events.length; index += 1) {
    const { length } = events[index]!;
    if (index > start && chars + length > maxPieceChars) add(index);
    chars += length;
  }
  if (start < events.length) add(events.length);
  return pieces;
}
