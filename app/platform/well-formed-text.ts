/** Half a surrogate pair is not text that UTF-8 can carry; providers answer 400 to it. Each becomes U+FFFD. */
export function toWellFormedText(text: string): string {
  return text.replace(/\p{Surrogate}/gu, "\uFFFD");
}

/** The first `maxChars` UTF-16 units, one less where the cut would fall inside a surrogate pair. */
export function cutText({ text, maxChars }: { text: string; maxChars: number }): string {
  if (text.length <= maxChars) return text;
  const last = text.charCodeAt(maxChars - 1);
  const splitsPair = last >= 0xd800 && last <= 0xdbff;
  return text.slice(0, Math.max(0, splitsPair ? maxChars - 1 : maxChars));
}
