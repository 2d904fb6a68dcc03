import { namesVersion } from "~/platform/http/entity-tag";

/** What a client knows of its copy; absent headers are null. */
export type MediaConditions = {
  ifNoneMatch: string | null;
  ifModifiedSince: string | null;
  ifRange: string | null;
};

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
export function mayAnswerRange(conditions: MediaConditions, version: MediaVersion): boolean {
  if (conditions.ifRange === null) return true;
  const validator = conditions.ifRange.trim();
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
