import { Refusal } from "~/platform/refusals/refusal";
import type { RefusalName } from "~/platform/refusals/refusal";

/** Counted before a body is parsed. */
type JsonBounds = {
  /** Members of objects and elements of arrays, in all. */
  maxValues: number;
  maxDepth: number;
};

/** Ten times what any body needs, except conversations and tool calls. */
export const defaultJsonBounds: JsonBounds = { maxValues: 1_000, maxDepth: 64 };

const marks = {
  quote: 0x22,
  comma: 0x2c,
  backslash: 0x5c,
  openArray: 0x5b,
  closeArray: 0x5d,
  openObject: 0x7b,
  closeObject: 0x7d,
} as const;
const lastWhiteSpace = 0x20;

const strictUtf8 = new TextDecoder("utf-8", { fatal: true });
const notJson = "The body is not valid JSON.";

/** Throws the refusal of that name for too much or invalid JSON. */
export function parseJson(
  bytes: Uint8Array,
  { maxValues, refusalName }: { maxValues: number; refusalName: RefusalName },
): unknown {
  const excess = findJsonExcess(bytes, { ...defaultJsonBounds, maxValues });
  if (excess !== null) throw new Refusal(refusalName, { detail: excess, members: nameFault(excess) });
  try {
    return parseJsonText(strictUtf8.decode(bytes));
  } catch (cause) {
    // The title of other refusals says it already.
    const members = refusalName === "invalid-request" ? nameFault(notJson) : {};
    throw new Refusal(refusalName, { detail: notJson, members, cause });
  }
}

function nameFault(message: string) {
  return { errors: [{ path: "", message }] };
}

/** The exceeded limit in words, or null. Reads each byte once, and leaves invalid JSON to the parser. */
export function findJsonExcess(bytes: Uint8Array, { maxValues, maxDepth }: JsonBounds): string | null {
  let depth = 0;
  let values = 0;
  let isInString = false;
  /** The last mark opened an object or an array. */
  let isFresh = false;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at]!;
    if (isInString) {
      if (byte === marks.backslash) at += 1;
      else if (byte === marks.quote) isInString = false;
      continue;
    }
    if (byte <= lastWhiteSpace) continue;
    const isClosing = byte === marks.closeArray || byte === marks.closeObject;
    if (isClosing) depth -= 1;
    else if (byte === marks.comma || isFresh) values += 1;
    isFresh = byte === marks.openArray || byte === marks.openObject;
    if (isFresh) depth += 1;
    else isInString = byte === marks.quote;
    if (depth > maxDepth) return `The body is nested more than ${maxDepth} levels deep.`;
    if (values > maxValues) return `The body holds more than ${maxValues} members and elements.`;
  }
  return null;
}

/** Numbers of these members are judged as they were written, in arrays too. */
const keptNames: ReadonlySet<unknown> = new Set(["tokenId", "tokenIds"]);

/** Matches a number with an exponent or a fraction, and in strings what looks like a value. */
const writtenNumber = /(?:"\s*:|[,[])\s*-?\d+[.eE]/;

/**
 * `JSON.parse`, except that a token id with an exponent or a fraction stays text. The parser would make whole numbers
 * of `1e3` and `7.0`.
 */
export function parseJsonText(text: string): unknown {
  const value = JSON.parse(text) as unknown;
  if (!writtenNumber.test(text)) return value;
  const kept = quoteKeptNumbers(text);
  return kept === text ? value : (JSON.parse(kept) as unknown);
}

/** Strings, with the colon after a member's name; brackets; numbers. */
const jsonTokens = /("[^"\\]*(?:\\.[^"\\]*)*")(\s*:)?|[[\]{}]|-?\d[-+.\deE]*/g;

function quoteKeptNumbers(text: string): string {
  /** The current member's name, for each open object and array. An array's elements have the array's name. */
  const names: unknown[] = [null];
  return text.replace(jsonTokens, (token: string, string?: string, colon?: string) => {
    if (string !== undefined) {
      if (colon !== undefined) names[names.length - 1] = JSON.parse(string);
      return token;
    }
    if (token === "[") names.push(names.at(-1));
    else if (token === "{") names.push(null);
    else if (token === "]" || token === "}") names.pop();
    else if (keptNames.has(names.at(-1)) && /[.eE]/.test(token)) return `"${token}"`;
    return token;
  });
}
