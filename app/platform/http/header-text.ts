/**
 * Drops spaces and tabs, the white space of HTTP. `trim()` also drops U+00A0, which would make two names one. A regular
 * expression would take quadratic time.
 */
export function trimSpaces(text: string): string {
  let [start, end] = [0, text.length];
  while (start < end && isSpace(text[start])) start += 1;
  while (end > start && isSpace(text[end - 1])) end -= 1;
  return text.slice(start, end);
}

function isSpace(character: string | undefined): boolean {
  return character === " " || character === "\t";
}

/**
 * A cookie's value by its exact name. Null if two of the name differ, because a neighbouring site may have set one for
 * the whole domain. The visitor would act as that site's owner.
 */
export function readCookie(header: string | undefined, name: string): string | null {
  const values = (header ?? "").split(";").flatMap((pair) => {
    const separator = pair.indexOf("=");
    if (separator < 0 || trimSpaces(pair.slice(0, separator)) !== name) return [];
    return [trimSpaces(pair.slice(separator + 1))];
  });
  const [value, ...others] = new Set(values);
  return value === undefined || others.length > 0 ? null : value.replace(/^"(.*)"$/, "$1");
}

/**
 * Whether If-None-Match names this version, by the weak comparison (RFC 9110, 13.1.2). A proxy that recoded the
 * response may have marked the name as weak.
 */
export function namesVersion(ifNoneMatch: string, etag: string): boolean {
  const names = ifNoneMatch.split(",").map((name) => name.trim().replace(/^W\//, ""));
  return names.includes(etag) || names.includes("*");
}
