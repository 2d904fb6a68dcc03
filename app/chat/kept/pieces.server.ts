import type { AppendRequest } from "./kept-answer-store.server";

/** Events that are stored together: their JSON, one a line. */
export type Piece = { replyId: string; firstId: number; lastId: number; bytes: number; text: string };

/** A piece is read whole. */
const maxPieceBytes = 64 * 1024;

/** Pieces are larger only where a single event is. The same events from the same id give the same pieces. */
export function splitIntoPieces({
  replyId,
  firstId,
  events,
}: Pick<AppendRequest, "replyId" | "firstId" | "events">): Piece[] {
  const pieces: Piece[] = [];
  let open: Piece | undefined;
  for (const [index, json] of events.entries()) {
    const bytes = Buffer.byteLength(json);
    const id = firstId + index;
    if (open && open.bytes + bytes <= maxPieceBytes) {
      open.lastId = id;
      open.bytes += bytes;
      open.text += `\n${json}`;
    } else pieces.push((open = { replyId, firstId: id, lastId: id, bytes, text: json }));
  }
  return pieces;
}
