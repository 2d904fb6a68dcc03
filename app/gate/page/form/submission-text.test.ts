import { expect, test } from "vitest";
import { countWords, faultOf, submissionText, textLimit } from "./submission-area";
import { tokenIdFault } from "../kinds/key-choice";

test("a lone message is sent as it was written, without surrounding blanks", () => {
  expect(submissionText([["room-message", "  Hello\r\nthere \n"]])).toBe("Hello\nthere");
});

test("other fields are put above the message, each with its name, and empty ones omitted", () => {
  const fields = [
    ["room-message", "Hello"],
    ["room-name", "Ada"],
    ["room-town", "  "],
  ] as const;
  expect(submissionText(fields)).toBe("name: Ada\n\nHello");
});

test("fields are sent alone without a message, and nothing is sent when all are empty", () => {
  expect(submissionText([["colour", "red"]])).toBe("colour: red");
  expect(submissionText([["room-message", " "]])).toBe("");
});

test("a token id may have up to 78 digits and nothing else", () => {
  for (const good of ["0", " 7 ", "9".repeat(78)]) expect(tokenIdFault(good), good).toBeNull();
  for (const bad of ["", "9".repeat(79), "-1", "1e3", "0x1", "1.0", "١"])
    expect(tokenIdFault(bad), bad).toMatch(/digits only/);
});

test("the limit is the server's, or the only field's own where that is smaller", () => {
  const message = { name: "room-message", maxLength: 500 };
  expect(textLimit([message])).toBe(500);
  expect(textLimit([{ ...message, maxLength: -1 }])).toBe(10_000);
  expect(textLimit([{ ...message, maxLength: 20_000 }])).toBe(10_000);
  expect(textLimit([message, { name: "room-name", maxLength: 10 }])).toBe(10_000);
  expect(textLimit([{ name: "room-name", maxLength: 10 }])).toBe(10_000);
});

test("the number of characters is stated in words, and too many are named as such", () => {
  expect(countWords({ count: 0, limit: 500 })).toBe("0 of 500 characters");
  expect(countWords({ count: 10_000, limit: 10_000 })).toBe("10,000 of 10,000 characters");
  expect(countWords({ count: 10_001, limit: 10_000 })).toBe("10,001 of 10,000 characters: 1 too many");
});

test("an empty text and one beyond the server's limit are faults", () => {
  expect(faultOf("")).toContain("Write something");
  expect(faultOf("x".repeat(10_000))).toBeNull();
  expect(faultOf("x".repeat(10_001))).toContain("10000 fit at most");
});
