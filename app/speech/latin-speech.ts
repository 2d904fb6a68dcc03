const replacements: Record<string, string> = {
  ß: "ss", ẞ: "SS", æ: "ae", Æ: "AE", œ: "oe", Œ: "OE", ø: "o", Ø: "O", ł: "l", Ł: "L", đ: "d", Đ: "D",
  ð: "d", Ð: "D", þ: "th", Þ: "Th", ı: "i",
  "‘": "'", "’": "'", "‚": "'", "“": '"', "”": '"', "„": '"', "«": '"', "»": '"', "–": " - ", "—": " - ",
  "…": "...", "。": ". ", "，": ", ", "！": "! ", "？": "? ", "€": " euros ", "£": " pounds ", "×": " times ",
  "°": " degrees ", "½": " a half ", "¼": " a quarter ", "¾": " three quarters ",
}; // prettier-ignore

/**
 * The text in the letters that a voice for English knows; null where it is mostly written in another script, of which
 * such a voice would make silence. A foreign word in an English text is passed over.
 */
export function toLatinSpeech(text: string): string | null {
  const letters = text.match(/\p{L}/gu) ?? [];
  const latin = letters.filter((letter) => /\p{Script=Latin}/u.test(letter)).length;
  if (letters.length > 0 && latin * 2 < letters.length) return null;
  // Marks are dropped before too: a long run of them takes long to be put in order.
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
