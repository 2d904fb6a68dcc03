/** Both ends included, as in the header. */
export type ByteRange = { startByte: number; endByte: number };

export type RangeAnswer = ByteRange | "whole" | "unsatisfiable";

/**
 * What a Range header asks of a file. Several ranges at once, other units and malformed headers get the whole
 * file, as RFC 9110 allows: players ask for one range, and many small ones are a way to make work.
 */
export function readRange(header: string, sizeBytes: number): RangeAnswer {
  const match = /^bytes=[ \t]*(\d*)-(\d*)[ \t]*$/i.exec(header.trim());
  const [, first = "", last = ""] = match ?? [];
  if (first === "" && last === "") return "whole";
  if (first === "") return readSuffix(Number(last), sizeBytes);
  const startByte = Number(first);
  const endByte = last === "" ? Infinity : Number(last);
  if (endByte < startByte) return "whole";
  if (startByte >= sizeBytes) return "unsatisfiable";
  return { startByte, endByte: Math.min(endByte, sizeBytes - 1) };
}

function readSuffix(suffixBytes: number, sizeBytes: number): RangeAnswer {
  if (suffixBytes === 0 || sizeBytes === 0) return "unsatisfiable";
  return { startByte: Math.max(0, sizeBytes - suffixBytes), endByte: sizeBytes - 1 };
}
