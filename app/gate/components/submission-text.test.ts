import { expect, test } from "vitest";
import { submissionText } from "./submission-text";
import { isTokenIdText } from "./token-id-text";

test("sends a lone message as it was written, without outer blanks", () => {
  expect(submissionText([["room-message", "  Hello\r\nthere \n"]])).toBe("Hello\nthere");
});

test("puts other fields above the message, each with its name, empty ones left out", () => {
  const fields = [
    ["room-message", "Hello"],
    ["room-name", "Ada"],
    ["room-town", "  "],
  ] as const;
  expect(submissionText(fields)).toBe("name: Ada\n\nHello");
});

test("sends fields alone when there is no message, and nothing when all are empty", () => {
  expect(submissionText([["colour", "red"]])).toBe("colour: red");
  expect(submissionText([["room-message", " "]])).toBe("");
});

test("takes up to 78 digits for a token id and nothing else", () => {
  for (const good of ["0", " 7 ", "9".repeat(78)]) expect(isTokenIdText(good), good).toBe(true);
  for (const bad of ["", "9".repeat(79), "-1", "1e3", "0x1", "1.0", "١"])
    expect(isTokenIdText(bad), bad).toBe(false);
});
