/** Half a surrogate pair is not text that UTF-8 can carry; providers answer 400 to it. Each becomes U+FFFD. */
export function toWellFormedText(text: string): string {
  return text.replace(/\p{Surrogate}/gu, "\uFFFD");
}

/**
 * What every limit, budget and counter of this service calls characters: Unicode code points, as JSON Schema counts
 * them. An emoji made of several is several; half a pair is one.
 */
export function countCharacters(text: string): number {
  let count = text.length;
  for (let at = 1; at < text.length; at += 1) if (isMidPair(text, at)) count -= 1;
  return count;
}

/** The same as to compare the count, without counting what is far from the limit. */
export function isLongerThan(text: string, maxChars: number): boolean {
  if (text.length <= maxChars) return false;
  return text.length > maxChars * 2 || countCharacters(text) > maxChars;
}

/** The first `maxChars` characters. */
export function cutText(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  let end = 0;
  for (let left = maxChars; left > 0 && end < text.length; left -= 1) {
    end += isMidPair(text, end + 1) ? 2 : 1;
  }
  return text.slice(0, end);
}

function isMidPair(text: string, at: number): boolean {
  const before = text.charCodeAt(at - 1);
  const after = text.charCodeAt(at);
  return before >= 0xd800 && before <= 0xdbff && after >= 0xdc00 && after <= 0xdfff;
}
