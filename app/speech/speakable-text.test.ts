import { expect, test } from "vitest";
import { toSpeakableText } from "./speakable-text";

test.each([
  ["emphasis", "This is **very** _much_ ~~not~~ `fine`", "This is very much not fine."],
  ["a link", "Read [the guide](https://example.com/a?b=c#d) now.", "Read the guide now."],
  [
    "a bare address",
    "See https://user:pw@docs.example.com/a/b?c=d for more.",
    "See docs.example.com for more.",
  ],
  ["an autolink", "Go to <https://example.com/path>!", "Go to example.com!"],
  ["an image", "![A lamp](lamp.png) burns.", "A lamp burns."],
  ["a heading", "# Getting in\n\nSign *once*.", "Getting in.\nSign once."],
  ["a list", "1. Sign\n2. Enter\n   - sit down\n   - read", "Sign.\nEnter.\nsit down.\nread."],
  ["tasks", "- [x] done\n- [ ] open", "done.\nopen."],
  ["a code block", "Run this:\n\n```sh\nrm -rf /\n```\n\nThen wait.", "Run this:\nThen wait."],
  ["a quote", "> Come in.\n> Sit.", "Come in. Sit."],
  ["emoji", "Welcome 🎉👩‍👩‍👧 to 🇩🇪 step 1️⃣!", "Welcome to step 1!"],
  ["markup", "a <b>bold</b> <script>x</script> move<!-- secret -->", "a bold x move."],
  ["entities and escapes", "Salt &amp; pepper \\*really\\*", "Salt & pepper *really*."],
  ["rules and symbols", "One\n\n---\n\nTwo -> three | four", "One.\nTwo three four."],
  ["an address of a wallet", "Key of 0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266.", "Key of 0xf39F."],
  ["notes", "It is so [1], they say [^2].", "It is so, they say."],
  ["plain text", "It costs 3.50, doesn't it?", "It costs 3.50, doesn't it?"],
  ["another language", "Straße für Ärzte. Это работает.", "Straße für Ärzte. Это работает."],
])("%s is read as a person would", (_name, markdown, spoken) => {
  expect(toSpeakableText(markdown)).toBe(spoken);
});

test("a table is read row by row, each cell after the name of its column", () => {
  const table = "| Key | Owner |\n|---|:-:|\n| 1 | **Ada** |\n| 2 | |\n";
  expect(toSpeakableText(table)).toBe("Key: 1, Owner: Ada.\nKey: 2.");
});

test.each(["", "  \n", "```\ncode\n```", "🎉", "---", "***", "<br>", "|---|"])(
  "of %j nothing is left",
  (text) => {
    expect(toSpeakableText(text)).toBe("");
  },
);

test("texts made to keep the reader busy are read in passing", () => {
  const hostile = [
    ">",
    "> ",
    "- ",
    "[",
    "![",
    "*a_",
    "`",
    "<",
    "((",
    "1. ",
    "|a",
    "&amp;",
    "\\[",
    "a\n",
    "# ",
    "~~a",
  ];
  for (const piece of hostile) {
    const startedAt = performance.now();
    expect(typeof toSpeakableText(piece.repeat(4_000).slice(0, 4_000)), piece).toBe("string");
    expect(performance.now() - startedAt, piece).toBeLessThan(3_000);
  }
});
