import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { TextAnswer, addHeaders } from "../answer.server";
import type { Answer } from "../answer.server";
import type { RequestContext } from "../request-context.server";
import { chooseCoding } from "./accepted-coding";
import type { Coding } from "./accepted-coding";

const packGzip = promisify(gzip);
const packBrotli = promisify(brotliCompress);

/**
 * `kept`: its first visitor waits for it, and a higher quality of Brotli takes ten times as long for a tenth fewer bytes.
 * `once`: as the compression of files has it.
 */
const levels = { kept: { gzip: 9, br: 9 }, once: { gzip: 6, br: 4 } };

/** `use`: whether it is kept and sent often, or sent once. */
export function packText(
  text: string | Uint8Array,
  coding: Exclude<Coding, "identity">,
  use: keyof typeof levels,
): Promise<Buffer<ArrayBuffer>> {
  const level = levels[use][coding];
  if (coding === "gzip") return packGzip(text, { level });
  return packBrotli(text, { params: { [constants.BROTLI_PARAM_QUALITY]: level } });
}

/** A shorter text would hardly get shorter. */
const minChars = 1024;

/** A whole text in the coding that its client prefers; what comes in pieces is passed on as it is. */
export async function packAnswer(answer: Answer, { method, headers }: RequestContext): Promise<Answer> {
  const vary = { Vary: "Accept-Encoding" };
  if (!(answer instanceof TextAnswer) || method === "HEAD" || answer.text.length < minChars)
    return addHeaders(answer, vary);
  const coding = chooseCoding(headers["accept-encoding"]);
  if (coding === "identity") return addHeaders(answer, vary);
  const text = await packText(answer.text, coding, "once");
  const packed = new TextAnswer({ status: answer.status, headers: answer.headers, text });
  return addHeaders(packed, { ...vary, "Content-Encoding": coding });
}
