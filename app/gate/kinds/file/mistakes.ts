/** Where in a file something is: names of members, and places in arrays from 0. */
export type Place = readonly (string | number)[];

/** What is wrong with a file, all of it at once, each with its place. */
export function createMistakes() {
  const mistakes: string[] = [];
  return {
    /** `words` end the sentence that the place begins. */
    add: (place: Place, words: string) => void mistakes.push(`${describePlace(place)}: ${words}`),
    list: mistakes as readonly string[],
  };
}

export type Mistakes = ReturnType<typeof createMistakes>;

const maxNameChars = 40;

/** `keys[1].also.any[0].atLeast` */
function describePlace(place: Place): string {
  if (place.length === 0) return "the file";
  const [first, ...rest] = place.map((step) => {
    if (typeof step === "number") return `[${step}]`;
    if (/^[A-Za-z_][A-Za-z0-9_-]{0,39}$/.test(step)) return `.${step}`;
    return `[${JSON.stringify(step.length > maxNameChars ? `${step.slice(0, maxNameChars)}…` : step)}]`;
  });
  return [first!.replace(/^\./, ""), ...rest].join("");
}
