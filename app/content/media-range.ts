import { namesVersion } from "~/platform/http/header-text";

/** Both ends included. */
export type ByteRange = { startByte: number; endByte: number };

type RangeResult = ByteRange | "whole" | "unsatisfiable";

/** Several ranges, other units and malformed headers get the whole file, as RFC 9110 allows. */
export function readRange(header: string, sizeBytes: number): RangeResult {
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

function readSuffix(suffixBytes: number, sizeBytes: number): RangeResult {
  if (suffixBytes === 0 || sizeBytes === 0) return "unsatisfiable";
  return { startByte: Math.max(0, sizeBytes - suffixBytes), endByte: sizeBytes - 1 };
}

export type MediaConditions = Record<"ifNoneMatch" | "ifModifiedSince" | "ifRange", string | null>;

/** The entity tag is strong. */
export type MediaVersion = { etag: string; modifiedSeconds: number };

/** RFC 9110, 13.1: an entity tag outweighs a date. */
export function isUnchanged(conditions: MediaConditions, version: MediaVersion): boolean {
  const { ifNoneMatch, ifModifiedSince } = conditions;
  if (ifNoneMatch !== null) return namesVersion(ifNoneMatch, version.etag);
  const sinceSeconds = readHttpDateSeconds(ifModifiedSince);
  return sinceSeconds !== null && version.modifiedSeconds <= sinceSeconds;
}

/** Whether If-Range lets the Range header count. */
export function mayUseRange({ ifRange: validator }: MediaConditions, version: MediaVersion): boolean {
  if (validator === null) return true;
  if (validator.startsWith('"')) return validator === version.etag;
  return readHttpDateSeconds(validator) === version.modifiedSeconds;
}

/** Date.parse alone would take nearly anything. */
function readHttpDateSeconds(text: string | null): number | null {
  if (text === null || !/^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(text)) {
    return null;
  }
  const timeMs = Date.parse(text);
  return Number.isNaN(timeMs) ? null : timeMs / 1000;
}
