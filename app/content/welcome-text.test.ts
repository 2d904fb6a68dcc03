import { expect, test } from "vitest";
import { parseWelcomeText, writeWelcomeText } from "./welcome-text";

function rewrite(source: string): string {
  const welcome = parseWelcomeText(source);
  return writeWelcomeText(
    welcome,
    welcome.pictures.map(({ file }) => `/m/${encodeURI(file)}`),
  );
}

test.each([
  ["an image", "a ![x](a.png) b", "a ![x](/m/a.png) b"],
  ["a title", '![x](a.png "t (a.png)")', '![x](/m/a.png "t (a.png)")'],
  ["words like the address", "![a.png](a.png)", "![a.png](/m/a.png)"],
  ["brackets in the words", "![[a](b](a.png)", "![[a](b](/m/a.png)"],
  ["a leading dot", "![x](./a.png)", "![x](/m/a.png)"],
  ["spaces in angle brackets", "![x](<a b.png>)", "![x](</m/a%20b.png>)"],
  ["an encoded space", "![x](a%20b.png)", "![x](/m/a%20b.png)"],
  ["a reference", "![x][r]\n\n[r]: a.png", "![x][r]\n\n[r]: /m/a.png"],
  ["a list", "- ![x](a.png)\n- ![y](b.png)", "- ![x](/m/a.png)\n- ![y](/m/b.png)"],
  ["a quotation", "> ![x](a.png)\n> ![y](b.png)", "> ![x](/m/a.png)\n> ![y](/m/b.png)"],
  [
    "a table",
    "| a | b |\n|--|--|\n| ![x](a.png) | ![y](b.png) |",
    "| a | b |\n|--|--|\n| ![x](/m/a.png) | ![y](/m/b.png) |",
  ],
  ["a linked image", "[![x](a.png)](b.html)", "[![x](/m/a.png)](b.html)"],
  ["the same image twice", "![x](a.png) ![x](a.png)", "![x](/m/a.png) ![x](/m/a.png)"],
  ["an example in code before it", "`![x](a.png)`\n\n![x](a.png)", "`![x](a.png)`\n\n![x](/m/a.png)"],
  ["an example in a code block", "```\n![x](a.png)\n```", "```\n![x](a.png)\n```"],
  ["an outside address", "![x](https://example.org/a.png)", "![x](https://example.org/a.png)"],
  ["another host", "![x](//example.org/a.png)", "![x](//example.org/a.png)"],
  ["an absolute path", "![x](/a.png)", "![x](/a.png)"],
  ["a path upwards", "![x](../a.png)", "![x](../a.png)"],
  ["a sound", "![x](a.mp3)", "![x](a.mp3)"],
  ["a stray percent sign", "![x](a%.png)", "![x](a%.png)"],
  ["raw HTML", '<img src="a.png">', '<img src="a.png">'],
])("%s is rewritten where the media route serves it, and nowhere else", (_case, source, result) => {
  expect(rewrite(source)).toBe(result);
});

test.each([
  ["front matter", "---\ntitle: x\n---\n# Hello", "# Hello"],
  ["empty front matter", "---\n---\nHello", "Hello"],
  ["Windows line ends", "---\r\ntitle: x\r\n---\r\n\r\nHello\r\nyou", "Hello\nyou"],
  ["a rule further down", "Hello\n\n---\n\nyou\n\n---", "Hello\n\n---\n\nyou\n\n---"],
  ["an opening line that is never closed", "---\nHello", "---\nHello"],
  ["nothing", "", ""],
])("with %s the text is what a reader should see", (_case, source, result) => {
  expect(rewrite(source)).toBe(result);
});

test("a picture without an address keeps its author's text", () => {
  const welcome = parseWelcomeText("![x](a.png) ![y](b.png)");
  expect(writeWelcomeText(welcome, [null, "/m/b"])).toBe("![x](a.png) ![y](/m/b)");
});
