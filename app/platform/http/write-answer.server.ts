import type { ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ReadableStream as NodeReadableStream } from "node:stream/web";
import { TextAnswer } from "./answer.server";
import type { Answer, HeaderTable } from "./answer.server";
import { endTogether } from "./end-together.server";

/** A client that takes nothing of its answer for so long is treated as gone: its connection is cut. */
export const stallMs = 60_000;

/**
 * Puts an answer on the socket. A stream waits for its reader (back-pressure) and is cancelled when the client goes
 * away; the stock adapter does neither. `headers`, in lower case, yield to the answer's own.
 */
export async function writeAnswer(answer: Answer, to: ServerResponse, headers: HeaderTable = {}) {
  if (answer instanceof TextAnswer) writeText(answer, to, headers);
  else await writeStream(answer, to, headers);
}

/** All headers as one list: a table of them would be made first, and read back from there. */
function writeText(answer: TextAnswer, to: ServerResponse, headers: HeaderTable): void {
  const { status, headers: own, text } = answer;
  const head: (string | number)[] = [];
  for (const name in headers) if (!(name in own)) head.push(name, headers[name]!);
  for (const name in own) head.push(name, own[name]!);
  if (status !== 204) head.push("content-length", Buffer.byteLength(text));
  to.writeHead(status, head);
  endTogether(to, () => {
    to.end(to.req.method === "HEAD" ? undefined : text);
    if (typeof text !== "string" && to.writableLength > 0) to.setTimeout(stallMs);
  });
}

async function writeStream(answer: Response, to: ServerResponse, headers: HeaderTable): Promise<void> {
  to.statusCode = answer.status;
  for (const name in headers) to.setHeader(name, headers[name]!);
  const cookies = answer.headers.getSetCookie();
  for (const [name, value] of answer.headers) {
    if (name !== "set-cookie") to.setHeader(name, value);
  }
  if (cookies.length > 0) to.setHeader("set-cookie", cookies);
  if (!answer.body || to.req.method === "HEAD") {
    await answer.body?.cancel();
    to.end();
    return;
  }
  to.flushHeaders();
  try {
    await pipeline(Readable.fromWeb(answer.body as NodeReadableStream), to);
  } catch (error) {
    if (!isClientGone(error)) throw error;
  }
}

function isClientGone(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException | null)?.code;
  return code === "ERR_STREAM_PREMATURE_CLOSE" || code === "ECONNRESET" || code === "EPIPE";
}
