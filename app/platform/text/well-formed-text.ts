/** UTF-8 can't encode half a surrogate pair, and providers refuse it. Each becomes U+FFFD. */
export function toWellFormedText(text: string): string {
  return text.replace(/\p{Surrogate}/gu, "\uFFFD");
}

/** Every limit, budget and counter counts Unicode code points, like JSON Schema. Half a pair is one. */
export function countCharacters(text: string): number {
  let count = text.length;
  for (let at = 1; at < text.length; at += 1) if (isMidPair(text, at)) count -= 1;
  return count;
}

/** Counts only near the limit. */
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
