import type { Socket } from "node:net";

/** As much as may arrive before a small body, in one piece with it. */
const allowanceBytes = 64 * 1024;

/**
 * Notices a body in chunks so small that taking them apart costs more than they carry: it takes far more bytes on its
 * way than it has. Begun when a request's headers have arrived.
 */
export function measureGrain(socket: Socket): (bodyBytes: number) => boolean {
  const begunAt = socket.bytesRead;
  return (bodyBytes) => socket.bytesRead - begunAt > allowanceBytes + 2 * bodyBytes;
}
