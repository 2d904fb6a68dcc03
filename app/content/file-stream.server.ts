import type { FileHandle } from "node:fs/promises";
import type { ByteRange } from "./media-range";

const chunkBytes = 64 * 1024;

/**
 * Exactly the bytes of the range from an open file, read only as fast as they are taken. The handle is closed
 * when the last byte was read, the reader went away or the disk failed. A file cut short meanwhile ends the
 * stream with an error: a connection that breaks is honest, a body shorter than announced is not.
 */
export function streamFile(handle: FileHandle, range: ByteRange): ReadableStream<Uint8Array> {
  let position = range.startByte;
  const source: UnderlyingSource<Uint8Array> = {
    async pull(controller) {
      try {
        const wanted = Math.min(chunkBytes, range.endByte + 1 - position);
        const { bytesRead, buffer } = await handle.read(new Uint8Array(wanted), 0, wanted, position);
        if (bytesRead === 0) throw new Error("the file became shorter while it was sent");
        position += bytesRead;
        controller.enqueue(buffer.subarray(0, bytesRead));
        if (position <= range.endByte) return;
      } catch (error) {
        await handle.close();
        throw error;
      }
      await handle.close();
      controller.close();
    },
    cancel: () => handle.close(),
  };
  // Nothing is read ahead: what is never asked for costs no disk and no memory.
  return new ReadableStream(source, { highWaterMark: 0 });
}
