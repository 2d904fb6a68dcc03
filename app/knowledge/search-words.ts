/** Stop words. */
const emptyWords = new Set(
  (
    "a about actually again all also although am an and any anybody anyone anything are arent as at basically be " +
    "because been both but by can cant completely could couldnt definitely did didnt do does doesnt dont else " +
    "everybody everyone everything exactly for from get gets got had hadnt has hasnt have havent he her here hers " +
    "herself him himself his how i if im in into is isnt it its itself ive just many may maybe me mine more much must " +
    "my myself need no nobody not nothing now of off on one only or our ours ourselves out perhaps please really say " +
    "says shall she should shouldnt simply so some somebody someone something still stuff tell than that the their " +
    "theirs them themselves then there these they thing things this those though to told too up us very want was " +
    "wasnt way we were werent what whatever when whenever where whether which while who whose why will with wont " +
    "would wouldnt yes you your yours yourself"
  ).split(" "),
);

/** Scripts without spaces are searched by pairs of characters. */
const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;

/** Some signs stand for many letters. */
const maxGrowth = 2;

/** Without accents, stop words and common endings. `ERC-1155` and `erc1155` match each other. */
export function toSearchWords(text: string): string[] {
  // Marks are dropped before, too: normalizing a long run of them takes long.
  const folded = text
    .replace(/\p{M}+/gu, "")
    .normalize("NFKD")
    .replace(/\p{M}+/gu, "")
    // Composes Hangul again.
    .normalize("NFC")
    .toLowerCase()
    .replace(/['’](?=t\b)|['’](?:s|re|ve|ll|d|m)\b/g, "");
  let leftChars = text.length * maxGrowth;
  const words = (folded.match(/[\p{L}\p{N}]+/gu) ?? []).flatMap((word) => {
    if (emptyWords.has(word)) return [];
    if (unspaced.test(word)) return toPairs(word);
    const parts = word.match(/\p{L}+|\p{N}+/gu) ?? [];
    return parts.length > 1 ? [word, ...parts] : [toStem(word)];
  });
  return words.filter((word) => (leftChars -= word.length) >= 0);
}

function toPairs(word: string): string[] {
  const characters = [...word];
  return characters.length < 2
    ? characters
    : characters.slice(1).map((character, index) => `${characters[index]}${character}`);
}

/** English endings only. Questions and texts get the same, so rough is enough. */
function toStem(word: string): string {
  if (word.length <= 3 || /\d/.test(word)) return word;
  if (word.endsWith("ies") && word.length > 4) return `${word.slice(0, -3)}y`;
  if (/(?:ss|x|ch|sh)es$/.test(word)) return word.slice(0, -2);
  const singular = word.endsWith("s") && !/(?:ss|us|is)$/.test(word) ? word.slice(0, -1) : word;
  const root = singular.length > 5 ? singular.replace(/(?:ing|ed)$/, "") : singular;
  // As in "running" and "used".
  return root.replace(/([bdgmnprt])\1$/, "$1").replace(/(?<=.{3})e$/, "");
}
