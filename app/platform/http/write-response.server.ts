import type { ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ReadableStream as NodeReadableStream } from "node:stream/web";
import { findKnownText } from "./answer.server";

/**
 * From a web `Response` to the socket. Waits for the reader (back-pressure), and cancels the body when the
 * client goes away; the stock adapter does neither.
 */
export async function writeResponse({
  response,
  to,
  withBody,
}: {
  response: Response;
  to: ServerResponse;
  withBody: boolean;
}): Promise<void> {
  to.statusCode = response.status;
  const cookies = response.headers.getSetCookie();
  for (const [name, value] of response.headers) {
    if (name !== "set-cookie") to.setHeader(name, value);
  }
  if (cookies.length > 0) to.setHeader("set-cookie", cookies);
  const text = findKnownText(response);
  if (text !== undefined) {
    if (!to.hasHeader("content-length") && response.status !== 204)
      to.setHeader("content-length", Buffer.byteLength(text));
    to.end(withBody ? text : undefined);
    return;
  }
  if (!response.body || !withBody) {
    await response.body?.cancel();
    to.end();
    return;
  }
  to.flushHeaders();
  try {
    await pipeline(Readable.fromWeb(response.body as NodeReadableStream), to);
  } catch (error) {
    if (!isClientGone(error)) throw error;
  }
}

function isClientGone(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException | null)?.code;
  return code === "ERR_STREAM_PREMATURE_CLOSE" || code === "ECONNRESET" || code === "EPIPE";
}
