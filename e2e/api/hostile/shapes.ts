export type HostileBody = { shape: string; text: string };

export const kib = 1024;

/** Repeats `item` as often as it fits. */
export function fill(item: string, bytes: number): string {
  return Array.from({ length: Math.floor(bytes / (item.length + 1)) }, () => item).join(",");
}

export function repeat(item: string, count: number): string {
  return Array.from({ length: count }, () => item).join(",");
}

export function manyMembers(count: number, value = "1"): string {
  return Array.from({ length: count }, (_, index) => `"k${index.toString(36)}":${value}`).join(",");
}

/** Bodies for any route that are slow to parse, walk, judge or describe. */
export function anyShapes({ maxBytes, maxValues }: { maxBytes: number; maxValues: number }): HostileBody[] {
  const room = maxBytes - 200;
  const half = Math.floor(room / 2);
  const within = (count: number, each: number) => Math.min(count, Math.floor(room / each));
  const shapes: Record<string, string> = {
    "nothing but opening brackets": "[".repeat(room),
    "lists within each other": "[".repeat(half) + "]".repeat(half),
    "objects within each other": `${'{"a":'.repeat(room / 6)}1${"}".repeat(room / 6)}`,
    "empty objects": `[${fill("{}", room)}]`,
    ones: `[${fill("1", room)}]`,
    members: `{${manyMembers(Math.floor(room / 12))}}`,
    "members, as many as allowed": `{${manyMembers(within(maxValues - 1, 12))}}`,
    "one name again and again": `{${fill('"a":1', room)}}`,
    "names that are numbers": `{${Array.from({ length: within(maxValues - 1, 16) }, (_, index) => `"${4e9 - index}":1`).join(",")}}`,
    "exponents and fractions, as many as allowed": `{"tokenIds":[${repeat("1.5e3", within(maxValues - 2, 6))}]}`,
    "one number of all bytes": `{"tokenId":${"9".repeat(half)}.${"9".repeat(half)}}`,
    "one string of escapes": `{"a":"${"\\u0041".repeat(Math.floor(room / 6))}"}`,
    "one string of quotes": `{"a":1.5,"b":"${'\\"'.repeat(half)}"}`,
    "half of a pair, again and again": `{"a":"${"\\ud83d".repeat(Math.floor(room / 6))}"}`,
    "a name of all bytes": `{"${"n".repeat(room)}":1}`,
    "JSON that breaks off at its end": `{"a":"${"b".repeat(room)}`,
    "white space": " ".repeat(room),
    "bytes that are no UTF-8": "\u0080".repeat(half),
  };
  return Object.entries(shapes).map(([shape, text]) => ({ shape, text }));
}

export function named(shapes: Record<string, string>): HostileBody[] {
  return Object.entries(shapes).map(([shape, text]) => ({ shape, text }));
}
