import { expect, test } from "vitest";
import { endOfSentences } from "./announcer";

test("only whole sentences are told", () => {
  const cut = (text: string) => text.slice(0, endOfSentences(text));
  expect(cut("One. Two! Thr")).toBe("One. Two!");
  expect(cut("Version 1.5 is")).toBe("");
  expect(cut("# Title\n\nand")).toBe("# Title\n\n");
});
