import { expect, test } from "vitest";
import { decodeReferences } from "./character-references";

test("character references are decoded once, and what stands for no character is left to the caller", () => {
  const decode = (text: string) => decodeReferences(text, (reference) => `[${reference}]`);
  expect(decode("&auml; &Auml; &AMP; &frac12; &amp;lt; &#65;&#x42;&#X43; & &;")).toBe(
    "ä Ä & ½ &lt; ABC & &;",
  );
  expect(decode("&nosuch; &constructor; &#0; &#xD800; &#x110000;")).toBe(
    "[&nosuch;] [&constructor;] [&#0;] [&#xD800;] [&#x110000;]",
  );
});
