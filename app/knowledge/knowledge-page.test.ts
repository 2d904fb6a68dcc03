import { expect, test } from "vitest";
import { toMarkdown } from "./knowledge-files.server";
import { PageFault, parseKnowledgePage } from "./knowledge-page";

const parse = (text: string, source = "folder/a-page.md") => parseKnowledgePage(source, text);
const shapeOf = (text: string) =>
  parse(text).passages.map(({ id, heading, anchor, text: words }) => [id, heading, anchor, words]);

test("a page is cut at its headings into passages with heading and anchor", () => {
  expect(
    shapeOf("Before.\n\n# One #\n\nFirst.\n\n## Ünder it: 2\n\nSecond.\n\n## Ünder it: 2\n\nThird."),
  ).toEqual([
    ["folder/a-page.md#1", "One", "", "Before."],
    ["folder/a-page.md#2", "One", "one", "First."],
    ["folder/a-page.md#3", "Ünder it: 2", "ünder-it-2", "Second."],
    ["folder/a-page.md#4", "Ünder it: 2", "ünder-it-2-1", "Third."],
  ]);
});

test("a heading without text makes no passage, and marks in code make no headings", () => {
  expect(shapeOf("# One\n\n## Empty\n\n## Code\n\n```sh\n# a comment\nls\n```\n\n#No heading")).toEqual([
    ["folder/a-page.md#1", "Code", "code", "```sh\n# a comment\nls\n```\n\n#No heading"],
  ]);
});

const sentence = (name: string, chars: number) => `${name}${"x".repeat(chars - name.length - 1)}.`;

test("a section of exactly the limit is one passage, one character more makes two, between paragraphs", () => {
  const [first, second] = [sentence("A", 500), sentence("B", 498)];
  expect(shapeOf(`# One\n\n${first}\n\n${second}`)).toHaveLength(1);
  const [one, two] = parse(`# One\n\n${first}\n\n${second}!`).passages;
  expect([one!.text, two!.text]).toEqual([first, `${second}!`]);
  expect([one!.anchor, two!.anchor]).toEqual(["one", "one"]);
});

test("a paragraph beyond the limit is cut between words, and within one only where there are none", () => {
  const words = parse(`${"word ".repeat(500)}end.`).passages.map(({ text }) => text);
  expect(words.length).toBeGreaterThan(2);
  expect(words.join(" ")).toBe(`${"word ".repeat(500)}end.`);
  for (const part of words) expect(part.length).toBeLessThanOrEqual(1_000);
  const pairs = parse("🔑".repeat(2_001)).passages.map(({ text }) => text);
  expect(pairs.join("")).toBe("🔑".repeat(2_001));
  for (const part of pairs) expect(() => encodeURIComponent(part)).not.toThrow();
});

test("front matter gives title, namespace and metadata, and a page without it gets its own names", () => {
  const page = parse(
    '---\ntitle: "Opening: hours"\nnamespace: members\n# a note\nyear: 2024\nprice: -1.5\nopen: true\ntags: [lamp, 7]\nid: 0012x\n---\n# H\n\nText.',
  );
  expect(page).toMatchObject({
    title: "Opening: hours",
    namespace: "members",
    metadata: { year: 2024, price: -1.5, open: true, tags: ["lamp", 7], id: "0012x" },
  });
  expect(parse("# From the heading\n\nText.")).toMatchObject({
    title: "From the heading",
    namespace: "__default__",
    metadata: {},
  });
  expect(parse("\uFEFFText.\r\nMore.")).toMatchObject({
    title: "a-page",
    passages: [{ text: "Text.\nMore." }],
  });
  // An unclosed front-matter mark is text.
  expect(parse("---\nText.").passages[0]!.text).toBe("---\nText.");
});

test.each([
  ["no front matter", "Text.", null],
  ["a field", "---\naudience: operators\n---\nText.", "operators"],
  ["a field in capitals and quotes", '---\nAudience: "holders"\n---\nText.', "holders"],
  ["lines above the field", "\n\n---\n# For all\ntitle: A\naudience: everyone\n---\nText.", "everyone"],
])("a page's audience with %s is read, and is no metadata", (_what, text, audience) => {
  expect(parse(text)).toMatchObject({ audience, metadata: {}, passages: [{ text: "Text." }] });
});

test.each([
  ["no name", "---\njust words\n---\nText."],
  ["a name that is an operator", "---\n$where: 1\n---\nText."],
  ["a namespace beyond its limit", `---\nnamespace: ${"n".repeat(101)}\n---\nText.`],
  ["an audience that nobody belongs to", "---\naudience: public\n---\nText."],
  ["an empty audience", "---\naudience:\n---\nText."],
  ["an audience of another spelling", "---\naudience: Everyone\n---\nText."],
  ["a list of audiences", "---\naudience: [everyone]\n---\nText."],
  ["no end", "---\naudience: operators\n\n# Text"],
  ["a comment first and no end", "---\n\n# internal\naudience: operators\n\nText."],
  ["a namespace that cannot be seen", "---\nnamespace: a\u0007b\n---\nText."],
])("front matter with %s is a fault of the page", (_name, text) => {
  expect(() => parse(text)).toThrow(PageFault);
});

test("HTML is read as its words and headings, without anything that a browser would run or hide", () => {
  const page = parseKnowledgePage(
    "a.html",
    [
      "---\nnamespace: members\n---\n<!doctype html><html><head><title>Lamps &amp; oil</title><style>p{}</style></head>",
      "<body><nav>Menu</nav><!-- hidden --><h1>One</h1><p>A &lt;b&gt; and\n <b>bold</b>.</p>",
      "<ul><li>First</li><li>Second</li></ul><script>alert('x')</script><h2>Two</h2><p>End.</p></body></html>",
    ].join(""),
    toMarkdown,
  );
  expect(page).toMatchObject({ title: "Lamps & oil", namespace: "members" });
  expect(page.passages.map(({ heading, text: words }) => [heading, words.replace(/\n+/g, "\n")])).toEqual([
    ["One", "A <b> and bold.\n- First\n- Second"],
    ["Two", "End."],
  ]);
});
