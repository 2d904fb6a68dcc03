/** What every single answer must be, so that no side looks fast by answering something else. */
export type ExpectedAnswer = {
  /** Default: 200. */
  status?: number;
  /** Stands in the body; letters of one byte only. */
  holds: string;
  /** Of the body, where that is known. */
  bytes?: number;
};
export type Answer = { status: number; body: string };

const headEnd = "\r\n\r\n";
const lastChunk = "\r\n0\r\n\r\n";

/** The one HTTP/1.1 answer in what came so far, one character a byte. More than one answer is malformed as well. */
export function findAnswer(received: string): Answer | "incomplete" | "malformed" {
  const headLength = received.indexOf(headEnd);
  if (headLength < 0) return "incomplete";
  const head = received.slice(0, headLength);
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(head)?.[1] ?? Number.NaN);
  if (Number.isNaN(status)) return "malformed";
  const bodyAt = headLength + headEnd.length;
  const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1];
  if (length !== undefined) {
    const missing = bodyAt + Number(length) - received.length;
    if (missing > 0) return "incomplete";
    return missing < 0 ? "malformed" : { status, body: received.slice(bodyAt) };
  }
  if (!/\r\ntransfer-encoding: chunked/i.test(head)) return "malformed";
  // Only then is it worth walking along the chunks: an answer of many pieces would be walked along for each of them.
  if (!received.endsWith(lastChunk) && received.slice(bodyAt) !== lastChunk.slice(2)) return "incomplete";
  const body = joinChunks(received.slice(bodyAt));
  return body === null ? "incomplete" : { status, body };
}

/** Null: the end that was seen belongs to a chunk, and more is to come. */
function joinChunks(text: string): string | null {
  const parts: string[] = [];
  let at = 0;
  for (;;) {
    const lineEnd = text.indexOf("\r\n", at);
    if (lineEnd < 0) return null;
    const size = Number.parseInt(text.slice(at, lineEnd), 16);
    const from = lineEnd + 2;
    if (size === 0) return from + 2 === text.length ? parts.join("") : null;
    if (!(size > 0) || from + size + 2 > text.length) return null;
    parts.push(text.slice(from, from + size));
    at = from + size + 2;
  }
}

export function isExpected(answer: Answer, expected: ExpectedAnswer): boolean {
  const { status = 200, holds, bytes } = expected;
  if (answer.status !== status || !answer.body.includes(holds)) return false;
  return bytes === undefined || answer.body.length === bytes;
}
