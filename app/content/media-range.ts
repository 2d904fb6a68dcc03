import { namesVersion } from "~/platform/http/header-text";

/** Both ends included, as in the header. */
export type ByteRange = { startByte: number; endByte: number };

type RangeAnswer = ByteRange | "whole" | "unsatisfiable";

/**
 * What a Range header asks of a file. Several ranges at once, other units and malformed headers get the whole
 * file, as RFC 9110 allows: players ask for one range, and many small ones are a way to make work.
 */
export function readRange(header: string, sizeBytes: number): RangeAnswer {
  const match = /^bytes=[ \t]*(\d*)-(\d*)[ \t]*$/i.exec(header);
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

/** What a client knows of its copy; absent headers are null. */
export type MediaConditions = Record<"ifNoneMatch" | "ifModifiedSince" | "ifRange", string | null>;

/** What the file is now. The entity tag is a strong one. */
export type MediaVersion = { etag: string; modifiedSeconds: number };

/** True when the client's copy is still good (RFC 9110, 13.1): an entity tag outweighs a date. */
export function isUnchanged(conditions: MediaConditions, version: MediaVersion): boolean {
  const { ifNoneMatch, ifModifiedSince } = conditions;
  if (ifNoneMatch !== null) return namesVersion(ifNoneMatch, version.etag);
  const sinceSeconds = readHttpDateSeconds(ifModifiedSince);
  return sinceSeconds !== null && version.modifiedSeconds <= sinceSeconds;
}

/** True when a Range header counts: without If-Range always, else only while the client's part still fits. */
export function mayAnswerRange({ ifRange: validator }: MediaConditions, version: MediaVersion): boolean {
  if (validator === null) return true;
  if (validator.startsWith('"')) return validator === version.etag;
  return readHttpDateSeconds(validator) === version.modifiedSeconds;
}

/** Only the one date format that HTTP still generates; Date.parse alone would take nearly anything. */
function readHttpDateSeconds(text: string | null): number | null {
  if (text === null || !/^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(text)) {
    return null;
  }
  const timeMs = Date.parse(text);
  return Number.isNaN(timeMs) ? null : timeMs / 1000;
}
