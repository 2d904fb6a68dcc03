/** Words that say nothing about what a text is about. */
const emptyWords = new Set(
  (
    "a about again all also am an and any anybody anyone are as at be been but by can could did do does else " +
    "everybody everyone exactly for from get gets got had has have here how i if in into is it its just many may me more " +
    "much must my need no nobody not now of off on one only or our out please really say says shall should so " +
    "some somebody someone something still tell than that the their them then there these they this those to told too " +
    "up us very want was way we were what when where which while who whose why will with would you your"
  ).split(" "),
);

/** Scripts that put no spaces between words are searched by pairs of characters. */
const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;

/** Without accents, empty words and common endings; `ERC-1155` and `erc1155` are found by each other. */
export function toSearchWords(text: string): string[] {
  const folded = text
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/n['’]t\b|['’](?:s|re|ve|ll|d|m)\b/g, "");
  return (folded.match(/[\p{L}\p{N}]+/gu) ?? []).flatMap((word) => {
    if (emptyWords.has(word)) return [];
    if (unspaced.test(word)) return toPairs(word);
    const parts = word.match(/\p{L}+|\p{N}+/gu) ?? [];
    return parts.length > 1 ? [word, ...parts] : [toStem(word)];
  });
}

function toPairs(word: string): string[] {
  const characters = [...word];
  return characters.length < 2
    ? characters
    : characters.slice(1).map((character, index) => `${characters[index]}${character}`);
}

/** English endings only, and only where a word is left. The same is done to both sides, so rough is enough. */
function toStem(word: string): string {
  if (word.length <= 3 || /\d/.test(word)) return word;
  if (word.endsWith("ies") && word.length > 4) return `${word.slice(0, -3)}y`;
  if (/(?:ss|x|ch|sh)es$/.test(word)) return word.slice(0, -2);
  const singular = word.endsWith("s") && !/(?:ss|us|is)$/.test(word) ? word.slice(0, -1) : word;
  const root = singular.length > 5 ? singular.replace(/(?:ing|ed)$/, "") : singular;
  // A doubled consonant or a lost e, as in "running" and "used", is evened out on both sides.
  return root.replace(/([bdgmnprt])\1$/, "$1").replace(/(?<=.{3})e$/, "");
}
