import type { ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ReadableStream as NodeReadableStream } from "node:stream/web";

/** The body waits for a slow reader, and is cancelled when the reader leaves. */
export async function sendResponse(made: Response, to: ServerResponse): Promise<void> {
  to.statusCode = made.status;
  for (const [name, value] of made.headers) {
    if (name === "set-cookie") to.appendHeader(name, value);
    else to.setHeader(name, value);
  }
  if (!made.body) return void to.end();
  to.flushHeaders();
  try {
    await pipeline(Readable.fromWeb(made.body as NodeReadableStream), to);
  } catch (error) {
    if (!to.destroyed) throw error;
  }
}
