import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { maxMessageChars } from "../chat-limits";
import { CharactersLeft, countLeft } from "./composer";

const tell = (text: string) =>
  renderToStaticMarkup(createElement(CharactersLeft, { leftChars: countLeft(text) }));

test("the composer shows how many characters are left near the limit, counted as the server counts them", () => {
  expect(tell("🔑".repeat(maxMessageChars - 1_000))).toBe("");
  expect(tell("🔑".repeat(maxMessageChars - 999))).toBe("<strong>999 characters left.</strong>");
  expect(tell("🔑".repeat(maxMessageChars))).toBe("<strong>0 characters left.</strong>");
  expect(tell(`${"🔑".repeat(maxMessageChars)}👍🏽`)).toBe(
    '<strong class="too-long">2 characters too many: shorten it.</strong>',
  );
});
