const replacements: Record<string, string> = {
  ß: "ss", ẞ: "SS", æ: "ae", Æ: "AE", œ: "oe", Œ: "OE", ø: "o", Ø: "O", ł: "l", Ł: "L", đ: "d", Đ: "D",
  ð: "d", Ð: "D", þ: "th", Þ: "Th", ı: "i",
  "‘": "'", "’": "'", "‚": "'", "“": '"', "”": '"', "„": '"', "«": '"', "»": '"', "–": " - ", "—": " - ",
  "…": "...", "。": ". ", "，": ", ", "！": "! ", "？": "? ", "€": " euros ", "£": " pounds ", "×": " times ",
  "°": " degrees ", "½": " a half ", "¼": " a quarter ", "¾": " three quarters ",
}; // prettier-ignore

/** In letters that an English voice knows. Null for a text in another script. Skips foreign words. */
export function toLatinSpeech(text: string): string | null {
  const letters = text.match(/\p{L}/gu) ?? [];
  const latin = letters.filter((letter) => /\p{Script=Latin}/u.test(letter)).length;
  if (letters.length > 0 && latin * 2 < letters.length) return null;
  // Marks are dropped before, too: normalizing a long run of them takes long.
  const folded = [...text.replace(/\p{M}+/gu, "")]
    .map((character) => replacements[character] ?? character)
    .join("")
    .normalize("NFKD")
    .replace(/\p{M}+/gu, "")
    .replace(/[^\x20-\x7e]+/g, " ")
    .replace(/\s+/g, " ")
    .trim();
  return /[A-Za-z0-9]/.test(folded) ? folded : null;
}
