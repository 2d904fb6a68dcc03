import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { TextAnswer, addHeaders } from "../answer.server";
import type { Answer } from "../answer.server";
import type { RequestContext } from "../request-context.server";
import { chooseCoding } from "./accepted-coding";
import type { Coding } from "./accepted-coding";

const packGzip = promisify(gzip);
const packBrotli = promisify(brotliCompress);

/** The first visitor waits for what is kept, too: a higher quality of Brotli takes ten times as long for a tenth fewer bytes. */
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

/** A whole text in the coding that its client prefers. */
export async function packAnswer(answer: Answer, { method, headers }: RequestContext): Promise<Answer> {
  if (!(answer instanceof TextAnswer)) return answer;
  const { status, text } = answer;
  const coding = chooseCoding(headers["accept-encoding"]);
  const isPlain = coding === "identity" || method === "HEAD" || text.length < minChars;
  const added = { Vary: "Accept-Encoding", ...(!isPlain && { "Content-Encoding": coding }) };
  if (isPlain) return addHeaders(answer, added);
  const packed = await packText(text, coding, "once");
  return addHeaders(new TextAnswer({ status, headers: answer.headers, text: packed }), added);
}
