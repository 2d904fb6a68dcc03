import { expect, test } from "vitest";
import { cleanProviderWords, findProviderWords, toShownAddress } from "./provider-words";

const clean = (text: string, ...secrets: string[]) => cleanProviderWords({ text, secrets });

test.each([
  ["the key itself", "bad key abc123", "bad key [removed]"],
  ["the start of another key", "use sk-proj-9fA*** now", "use [removed] now"],
  ["an authorization header", "got Bearer abc.def", "got [removed]"],
  ["a long token", "saw eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9 here", "saw [removed] here"],
  ["markup and line breaks", "<b>no</b>\r\n\u0000way\u202e", "no way"],
  ["half a surrogate", "a\ud83d", "a\uFFFD"],
])("takes out %s", (_name, text, told) => {
  expect(clean(text, "abc123", "")).toBe(told);
});

test("a short key is taken out as a word, not out of the middle of words", () => {
  expect(clean("none is nonesense (none)", "none")).toBe("[removed] is nonesense ([removed])");
  expect(clean("a+b* and a+b*c", "a+b*")).toBe("[removed] and a+b*c");
});

test("is at most 200 characters long", () => {
  expect(clean("word ".repeat(100)).length).toBeLessThanOrEqual(200);
});

test.each([
  ['{"error":{"message":"one"}}', "one"],
  ['{"success":false,"errors":[{"code":7,"message":"two"}]}', "two"],
  ['{"error":"three"}', "three"],
  ['{"message":"four"}', "four"],
  ['{"detail":"five"}', "five"],
  ['{"error":{"code":1}}', null],
  ["[]", null],
  ["null", null],
  ["<html>", null],
  ["", null],
])("finds the words in %s", (body, told) => {
  expect(findProviderWords(body)).toBe(told);
});

test("shows an address without credentials, query and closing slash", () => {
  expect(toShownAddress("http://user:pw@localhost:11434/v1/?key=x#y")).toBe("http://localhost:11434/v1");
});
