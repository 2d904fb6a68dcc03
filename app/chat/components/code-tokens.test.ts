import { expect, test } from "vitest";
import { createLineReader, tokenizeLine } from "./code-tokens";
import type { CodeState } from "./code-tokens";

function read({ code, language }: { code: string; language: string }) {
  let state: CodeState = null;
  return code.split("\n").map((line) => {
    const { tokens, state: next } = tokenizeLine({ line, state, language });
    state = next;
    expect(tokens.map(({ text }) => text).join("")).toBe(line);
    return tokens.filter(({ kind }) => kind !== null).map(({ kind, text }) => `${kind}:${text.trim()}`);
  });
}

test("words, texts, figures and comments are told apart", () => {
  expect(read({ code: 'const a = f("x // y", 0x1f); // end', language: "ts" })).toEqual([
    ["keyword:const", "name:f", 'string:"x // y"', "number:0x1f", "comment:// end"],
  ]);
  expect(read({ code: "if [ -n \"$A#b\" ]; then echo 'x'; fi # why", language: "bash" })[0]).toEqual([
    ...["keyword:if", 'string:"$A#b"', "keyword:then", "keyword:echo", "string:'x'", "keyword:fi"],
    "comment:# why",
  ]);
  expect(read({ code: "SELECT 1 from t -- all", language: "sql" })).toEqual([
    ["keyword:SELECT", "number:1", "keyword:from", "comment:-- all"],
  ]);
  expect(read({ code: '<p class="x">a</p>', language: "html" })).toEqual([
    ["keyword:<p", 'string:"x"', "keyword:>", "keyword:</p>"],
  ]);
  expect(read({ code: "+new\n-old\n kept\n@@ 1 @@", language: "diff" })).toEqual([
    ["added:+new"],
    ["removed:-old"],
    [],
    ["comment:@@ 1 @@"],
  ]);
});

test("what runs over several lines does", () => {
  expect(read({ code: "a /* b\nc */ d", language: "js" })).toEqual([["comment:/* b"], ["comment:c */"]]);
  expect(read({ code: 'x = """one\ntwo"""\nif', language: "python" })).toEqual([
    ['string:"""one'],
    ['string:two"""'],
    ["keyword:if"],
  ]);
});

test("an address is no comment, an unknown language is plain, and nothing is lost of odd text", () => {
  expect(read({ code: "curl https://example.org/#part", language: "sh" })).toEqual([["keyword:curl"]]);
  expect(read({ code: "const x", language: "constructor" })).toEqual([[]]);
  read({ code: "'unclosed \\", language: "ts" });
  read({ code: "😀\ud800 `${x", language: "ts" });
});

test("lines that did not change keep the state they begin in", () => {
  const readLines = createLineReader();
  readLines({ code: "a /*\nb", language: "ts" });
  expect(readLines({ code: "a /*\nb */\nc", language: "ts" }).map(({ state }) => state)).toEqual([
    null,
    "*/",
    null,
  ]);
  expect(readLines({ code: "a\nb */\nc", language: "ts" }).map(({ state }) => state)).toEqual([
    null,
    null,
    null,
  ]);
});
