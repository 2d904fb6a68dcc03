/**
 * Whether If-None-Match names this version, by the weak comparison (RFC 9110, 13.1.2): a proxy that recoded the answer
 * may have marked the name as weak.
 */
export function namesVersion(ifNoneMatch: string, etag: string): boolean {
  const names = ifNoneMatch.split(",").map((name) => name.trim().replace(/^W\//, ""));
  return names.includes(etag) || names.includes("*");
}
