import { countCharacters } from "~/platform/text/well-formed-text";

/** Prefix the server gives every name of the operator's form. */
const namePrefix = "room-";

/** The one text that is signed and sent: a line `name: value` for each field but the message, which comes below. */
export function submissionText(fields: Iterable<readonly [name: string, value: string]>): string {
  const answers: string[] = [];
  let message = "";
  for (const [name, value] of fields) {
    const plainName = name.startsWith(namePrefix) ? name.slice(namePrefix.length) : name;
    const trimmed = value.replace(/\r\n?/g, "\n").trim();
    if (trimmed === "") continue;
    if (plainName === "message") message = message === "" ? trimmed : `${message}\n${trimmed}`;
    else answers.push(`${plainName}: ${trimmed}`);
  }
  return [answers.join("\n"), message].filter(Boolean).join("\n\n");
}

/** Characters the server takes. */
const maxCharacters = 10_000;

export function faultOf(text: string): string | null {
  if (text === "") return "Write something before you send it.";
  const count = countCharacters(text);
  if (count > maxCharacters) return `This is ${count} characters; ${maxCharacters} fit at most.`;
  return null;
}

/** What the server takes, or less where the form is one field with a limit of its own (-1: it has none). */
export function textLimit(fields: readonly { name: string; maxLength: number }[]): number {
  const [only, ...others] = fields;
  const isLimited = others.length === 0 && only?.name === `${namePrefix}message` && only.maxLength >= 0;
  return isLimited ? Math.min(only.maxLength, maxCharacters) : maxCharacters;
}

export function countWords({ count, limit }: { count: number; limit: number }): string {
  const [written, most] = [count, limit].map(groupThousands);
  if (count > limit) return `${written} of ${most} characters: ${groupThousands(count - limit)} too many`;
  return `${written} of ${most} characters`;
}

/** By hand: the first number that a phone's browser formats by its own means holds the opening of the room up. */
function groupThousands(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ",");
}
