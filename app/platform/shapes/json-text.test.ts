import { expect, test } from "vitest";
import { findJsonExcess, parseJsonText } from "./json-text";

const bounds = { maxValues: 10, maxDepth: 4 };
const excessOf = (text: string) => findJsonExcess(Buffer.from(text), bounds);
const tooMany = "The body holds more than 10 members and elements.";
const tooDeep = "The body is nested more than 4 levels deep.";
const list = (length: number, element = "1") => `[${Array.from({ length }, () => element).join(",")}]`;
const members = (length: number) =>
  `{${Array.from({ length }, (_, index) => `"m${index}" : 1`).join(" , ")}}`;

test.each([
  ["ten elements", list(10), null],
  ["eleven elements", list(11), tooMany],
  ["ten members", members(10), null],
  ["eleven members", members(11), tooMany],
  ["ten empty objects", list(10, "{ }"), null],
  ["eleven empty objects", list(11, "{ }"), tooMany],
  ["five lists of one element", list(5, "[1]"), null],
  ["six lists of one element", list(6, "[1]"), tooMany],
  ["the same name again and again", `{${Array.from({ length: 11 }, () => '"m":1').join(",")}}`, tooMany],
  ["four levels", "[[[[1]]]]", null],
  ["five levels", "[[[[[1]]]]]", tooDeep],
  ["five levels of both kinds", '{"a":[{"b":[{}]}]}', tooDeep],
  ["five levels that never close", "[[[[[", tooDeep],
  ["four levels, closed and opened again", "[[[[1]]],[[[1]]]]", null],
  ["marks within a string", `["${"[{,".repeat(20)}"]`, null],
  ["marks behind an escaped quote", String.raw`["a\"${"[,".repeat(20)}"]`, null],
  ["marks behind an escaped backslash", String.raw`["a\\",${list(11)}]`, tooMany],
  ["letters of several bytes", '["ключ 🔑 [[[[[[ ,,,,,,,,,,,,"]', null],
  ["a text alone", '"text"', null],
  ["nothing", "", null],
  ["what is no JSON", "} ] nonsense :", null],
] as const)("a JSON text of %s is checked against the bounds", (_name, text, expected) => {
  expect(excessOf(text)).toBe(expected);
});

test("a body is judged by its bounds as it is read: of 256 KiB of brackets no more is read than they allow", () => {
  let reads = 0;
  const bytes = new Proxy(Buffer.from("[".repeat(262_144)), {
    get(target, name) {
      if (typeof name === "string" && /^\d+$/.test(name)) reads += 1;
      return Reflect.get(target, name, target) as unknown;
    },
  });
  expect(findJsonExcess(bytes, bounds)).toBe(tooDeep);
  expect(reads).toBe(5);
});

test.each([
  ['{"tokenId":1e3}', { tokenId: "1e3" }],
  ['{"tokenId":7.0}', { tokenId: "7.0" }],
  ['{"tokenId" : -0.0e-5 }', { tokenId: "-0.0e-5" }],
  ['{"tokenId":9007199254740991.4}', { tokenId: "9007199254740991.4" }],
  ['{"tokenId":1E400}', { tokenId: "1E400" }],
  ['{"tokenId":7}', { tokenId: 7 }],
  ['{"tokenId":"1e3"}', { tokenId: "1e3" }],
  [String.raw`{"\u0074okenId":1e3}`, { tokenId: "1e3" }],
  [String.raw`{"\u0074\u006f\u006B\u0065\u006e\u0049\u0064"` + "\n:\t1e3}", { tokenId: "1e3" }],
  ['{"tokenIds":[7,1e3,"8",7.0]}', { tokenIds: [7, "1e3", "8", "7.0"] }],
  ['{"params":{"arguments":{"tokenId":1e3}}}', { params: { arguments: { tokenId: "1e3" } } }],
  ['{"tokenId":{"value":1e3},"x":1.0}', { tokenId: { value: 1000 }, x: 1 }],
  ['{"tokenIds":[{"x":1e3},1e3],"x":1e3}', { tokenIds: [{ x: 1000 }, "1e3"], x: 1000 }],
  ['{"tokenId":1e3,"tokenId":5}', { tokenId: 5 }],
  ['{"tokenId":5,"tokenId":1e3}', { tokenId: "1e3" }],
  ['{"timestamp":1.7e12,"topK":5.0}', { timestamp: 1.7e12, topK: 5 }],
  [
    String.raw`{"message":"\"tokenId\":1e3, {\"tokenId\":7.0}"}`,
    { message: '"tokenId":1e3, {"tokenId":7.0}' },
  ],
  [String.raw`{"message":"\\","tokenId":1e3}`, { message: "\\", tokenId: "1e3" }],
  ['["tokenId",1e3]', ["tokenId", 1000]],
  ["1e3", 1000],
])("%s is read with its token ids as they were written", (text, expected) => {
  expect(parseJsonText(text)).toEqual(expected);
});

/** Numbers from 0 up to 1, the same ones for the same seed. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

type Written = { text: string; value: unknown };

/** Builds texts and their expected values side by side, so neither is derived from the other. */
function createWriter(random: () => number) {
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)]!;
  const space = () => pick(["", "", " ", "\n\t"]);
  const numbers = [
    "0",
    "7",
    "-1",
    "1e3",
    "7.0",
    "1E+2",
    "0.5",
    "-0.0",
    "9007199254740991.4",
    "12345678901234567890",
  ];
  const texts = ["", "tokenId", '"tokenId":1e3', "\\", '\\"', "{[,:]}1e3", "ключ 🔑", "\u0000 7.0"];
  const names = ["tokenId", "tokenIds", "tokenid", "value", '"', "\\", "1e3"];

  const mustEscape = ['"', "\\", "\u0000"];

  /** Any letter may be written as an escape, and some have to be. */
  function writeString(plain: string): string {
    const units = Array.from({ length: plain.length }, (_, at) => plain.charAt(at));
    const escape = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
    const written = units.map((unit) =>
      random() < 0.2 ? escape(unit) : mustEscape.includes(unit) ? JSON.stringify(unit).slice(1, -1) : unit,
    );
    return `"${written.join("")}"`;
  }

  function write(owner: string | null, depth: number): Written {
    const kind = depth > 3 ? random() * 0.6 : random();
    if (kind < 0.35) {
      const text = pick(numbers);
      const isKept = (owner === "tokenId" || owner === "tokenIds") && /[.eE]/.test(text);
      return { text, value: isKept ? text : Number(text) };
    }
    if (kind < 0.5) {
      const plain = pick(texts);
      return { text: writeString(plain), value: plain };
    }
    if (kind < 0.6)
      return pick([
        { text: "true", value: true },
        { text: "null", value: null },
      ]);
    const count = Math.floor(random() * 5);
    if (kind < 0.8) {
      const parts = Array.from({ length: count }, () => write(owner, depth + 1));
      return {
        text: `[${parts.map(({ text }) => `${space()}${text}${space()}`).join(",")}]`,
        value: parts.map(({ value }) => value),
      };
    }
    const parts = Array.from({ length: count }, () => {
      const name = pick(names);
      return { name, ...write(name, depth + 1) };
    });
    const entries = parts.map(
      ({ name, text }) => `${space()}${writeString(name)}${space()}:${space()}${text}`,
    );
    return {
      text: `{${entries.join(",")}${space()}}`,
      value: Object.fromEntries(parts.map(({ name, value }) => [name, value])),
    };
  }
  return () => write(null, 0);
}

test("ten thousand random texts in every spelling are read with their values", () => {
  const write = createWriter(createRandom(20_260_115));
  let kept = 0;
  for (let round = 0; round < 10_000; round += 1) {
    const { text, value } = write();
    const read = parseJsonText(text);
    expect(read, text).toEqual(value);
    if (JSON.stringify(read) !== JSON.stringify(JSON.parse(text))) kept += 1;
  }
  expect(kept, "texts in which a token id had to be kept").toBeGreaterThan(500);
});

test("invalid JSON is refused as JSON.parse refuses it", () => {
  for (const text of [
    "",
    "{",
    '{"tokenId":1e}',
    '{"tokenId":1.}',
    '{"tokenId":.5}',
    "[1e3",
    '{"tokenId":1e3',
  ]) {
    expect(() => parseJsonText(text), text).toThrow(SyntaxError);
  }
});
