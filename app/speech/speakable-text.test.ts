import { expect, test } from "vitest";
import { growthOf, linearGrowth } from "~e2e/support/measure/growth";
import { listSpeakableBlocks, toSpeakableText } from "./speakable-text";

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
  ["quotes of quotes", "> > > One.\n> > Two.\n> Three.\nFour.\n\nFive.", "One. Two. Three. Four.\nFive."],
  ["a list in a quote", "> - One\n>   more\n> - Two\n\nThree", "One more.\nTwo.\nThree."],
  ["emoji", "Welcome 🎉👩‍👩‍👧 to 🇩🇪 step 1️⃣!", "Welcome to step 1!"],
  ["markup", "a <b>bold</b> <script>x</script> move<!-- secret -->", "a bold move."],
  ["entities and escapes", "Salt &amp; pepper \\*really\\*", "Salt & pepper really."],
  ["rules and symbols", "One\n\n---\n\nTwo -> three | four", "One.\nTwo three four."],
  ["an address of a wallet", "Key of 0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266.", "Key of 0xf39F."],
  ["notes", "It is so [1], they say [^2].", "It is so, they say."],
  ["plain text", "It costs 3.50, doesn't it?", "It costs 3.50, doesn't it?"],
  ["another language", "Straße für Ärzte. Это работает.", "Straße für Ärzte. Это работает."],
])("%s is read as a person would", (_name, markdown, spoken) => {
  expect(toSpeakableText(markdown)).toBe(spoken);
});

test.each([
  ["www", "See www.example.com/a_b?c=d#e, then www.example.org.", "See example.com, then example.org."],
  ["www in a scheme", "See http://www.example.com:8080/x!", "See example.com!"],
  ["an unfinished www", "The www. is old, as is www.nothing", "The www. is old, as is www.nothing."],
  ["a mail link", "Write to mailto:ada@example.com?subject=Hi, please.", "Write to ada@example.com, please."],
  ["a mail autolink", "Write to <ada@example.com>.", "Write to ada@example.com."],
  ["a telephone link", "Call tel:+49-30-1234 now", "Call +49-30-1234 now."],
  ["ftp", "Load ftp://user:pw@files.example.com:21/pub/x.zip.", "Load files.example.com."],
  [
    "ipfs",
    "At ipfs://bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi/readme.md it is.",
    "At ipfs it is.",
  ],
  [
    "a short name",
    "Open ipns://docs/a or localhost: http://localhost:3000/docs",
    "Open docs or localhost: localhost.",
  ],
  ["data", "It is data:image/png;base64,iVBORw0KGgo= there.", "It is data there."],
  ["a word before a colon", "The data: none. Did: yes.", "The data: none. Did: yes."],
  ["a script's address", "[Press](javascript:alert(1)) or javascript:alert(1)", "Press or javascript."],
  ["an address of numbers", "Ask http://[::1]:8080/x or http://127.0.0.1:80.", "Ask http or 127.0.0.1."],
  ["an address in brackets", "(see https://example.com/a_(b))", "(see example.com)."],
  ["a bold address", "**https://example.com/a**", "example.com."],
  ["an address in another script", "Auf https://müller.de/straße steht es.", "Auf müller.de steht es."],
  ["two addresses", "https://a.example/x,https://b.example/y", "a.example."],
  ["a link by reference", "Read [the guide][1].\n\n[1]: https://example.com/x", "Read the guide."],
  ["a link around an image", "[![Build](b.svg)](https://example.com) ok", "Build ok."],
  ["a link with an escaped bracket", "[a \\[b\\]](https://example.com) c", "a b c."],
])("addresses are read by their host: %s", (_name, markdown, spoken) => {
  expect(toSpeakableText(markdown)).toBe(spoken);
});

test.each([
  ["stars", "5 \\* 3 and \\*so\\*", "5 3 and so."],
  ["underlines", "snake\\_case, snake_case and __init__", "snake case, snake case and init."],
  ["a number sign", "\\# not a heading, \\#1, C# and #tag", "not a heading, 1, C# and tag."],
  ["all the others", "a \\` b \\~ c \\[ d \\] e \\> f \\| g \\\\ h \\{ i", "a b c d e f g h i."],
  ["marks of speech", "Wait\\! What\\? 1\\. No\\-one", "Wait! What? 1. No-one."],
  [
    "emphasis in a word and across words",
    "**Note:** (*this*) and ***that***, ~~gone~~.",
    "Note: (this) and that, gone.",
  ],
  ["emphasis that never ends", "A **bold start and a `code start", "A bold start and a code start."],
  ["code with marks", "Call `await foo_bar(*args)` and ``a ` b``", "Call await foo bar(args) and a b."],
  ["a hard break", "One  \nTwo\\\nThree", "One Two Three."],
])("escapes and emphasis are read as text: %s", (_name, markdown, spoken) => {
  expect(toSpeakableText(markdown)).toBe(spoken);
});

test.each([
  ["named", "A&nbsp;B &mdash; C&hellip; &bdquo;D&ldquo; &Auml;rger &euro;5", "A B — C… „D“ Ärger €5."],
  ["numbered", "It&#39;s &#x201C;so&#x201d;&#8230;", "It's “so”…"],
  ["markup in disguise", "&lt;b&gt;bold&lt;/b&gt; &#60;i&#62;", "b bold /b i."],
  ["unknown and broken", "a &madeup; b &#0; c &#xD800; d &#1114112; e & f &amp g", "a b c d e & f &amp g."],
  ["pictures", "Party &#127881;&copy;", "Party."],
  ["a soft hyphen and other invisible marks", "won\u00adder\u200b\ufeff &shy;now", "wonder now."],
])("entities are read as their characters: %s", (_name, markdown, spoken) => {
  expect(toSpeakableText(markdown)).toBe(spoken);
});

test.each([
  ["skin tones", "Yes 👍🏽👋🏿, done ☝🏻."],
  ["families and professions", "Yes 👩‍👩‍👧‍👦🧑🏽‍🚀👩‍❤️‍💋‍👨, done."],
  ["flags", "Yes 🇩🇪🇫🇷🏴󠁧󠁢󠁥󠁮󠁧󠁿🏳️‍🌈, done."],
  ["keycaps without a number", "Yes #️⃣*️⃣, done."],
  ["hearts, signs and arrows", "Yes ❤️☎️™️↔️→⇒, done."],
  ["shortcodes", "Yes :tada: :+1:, done."],
])("emoji are not read: %s", (_name, markdown) => {
  expect(toSpeakableText(markdown).replace(/:\+1:/, "").replace("  ", " ")).toBe("Yes, done.");
});

test.each([
  ["a footnote", "It is so[^1], they[^long-name] say.\n\n[^1]: By *them*.", "It is so, they say.\nBy them."],
  [
    "headings of all kinds",
    "# One #\n###### Two\nThree\n=====\nFour\n---\n#five",
    "One.\nTwo.\nThree.\nFour.\nfive.",
  ],
  ["a fence with a language", 'A:\n\n```ts title="x"\nlet a = `b`;\n```\nB', "A:\nB."],
  ["a fence of waves", "A\n~~~~python\n```\n~~~\ncode\n~~~~\nB", "A.\nB."],
  ["a fence that never ends", "A\n\n```js\ncode\n\nmore", "A."],
  ["a fence in a list", "1. Run\n\n   ```sh\n   rm x\n   ```\n\n2. Wait", "Run.\nWait."],
  ["a fence in a quote", "> Say\n> ```\n> code\n> ```\n> Done", "Say.\nDone."],
  ["indented code", "A\n\n    code here\n\nB", "A.\nB."],
  ["lists in lists", "- a\n  * b\n    + c\n      1. d\n         1) e\n- f", "a.\nb.\nc.\nd.\ne.\nf."],
  ["a list with paragraphs", "1. First.\n\n   Still first.\n2. [x] Second", "First.\nStill first.\nSecond."],
  ["a definition", 'Term [a]\n\n[a]: https://example.com "Title"', "Term a."],
  ["a long rule and a long underline", `A\n\n${"-".repeat(60)}\n\nB\n${"=".repeat(60)}`, "A.\nB."],
  ["a form to fill in", `Name: ${"_".repeat(40)}`, "Name:"],
  [
    "tags for machines",
    "<style>p { x }</style>\n\nA <script>alert(1)</script>B<!-- no -->\n\n<template>t</template>",
    "A B.",
  ],
  ["a script that never ends", "<div>A</div><script>let b;\n", "A."],
  ["a block of HTML", "<details><summary>More</summary>Text &amp; all</details>", "More Text & all."],
  ["bullets and boxes", "• one ▪ two │ three ░ four", "one two three four."],
  ["math and code signs", "a => b <- c ==> d $$x^2$$ {e}", "a b c d x 2 e."],
])("blocks are read in order: %s", (_name, markdown, spoken) => {
  expect(toSpeakableText(markdown)).toBe(spoken);
});

test.each([
  ["| Key | Owner |\n|---|:-:|\n| 1 | **Ada** |\n| 2 | |\n", "Key: 1, Owner: Ada.\nKey: 2."],
  ["| A | |\n|--|--|\n| `x` \\| y | [z](https://e.example) 🎉 |", "A: x y, z."],
  ["A | B\n:-- | --:\n1 | https://www.example.com/x\n3", "A: 1, B: example.com.\nA: 3."],
  ["| 🎉 | B |\n|---|---|\n| a | --- |", "a."],
  ["| only | names |\n|---|---|", "only, names."],
  ["It is so:\n| A | B |\n|---|---|\n| 1 | 2 |\n\nAnd so.", "It is so:\nA: 1, B: 2.\nAnd so."],
  ["- It is so:\n  | A | B |\n  |---|---|\n  | 1 | 2 |\n- And so.", "It is so:\nA: 1, B: 2.\nAnd so."],
  ["> | A | B |\n> |---|---|\n> | 1 | 2 |\n\nAnd so.", "A: 1, B: 2.\nAnd so."],
  ["| A | B |\n|---|---|\n| 1 | 2 |\n- And\n- so.", "A: 1, B: 2.\nAnd.\nso."],
  ["a | b\n|---|\nis no table", "a b is no table."],
  [`| a | b |\n|${"-".repeat(80)}|${"-".repeat(80)}|\n| c | d |`, "a: c, b: d."],
])("the table %j is read row by row, each cell after the name of its column", (table, spoken) => {
  expect(toSpeakableText(table)).toBe(spoken);
});

test.each([
  "",
  "  \n",
  "```\ncode\n```",
  "🎉",
  "---",
  "***",
  "<br>",
  "|---|",
  "[^1]",
  "👍🏽",
  "&nbsp;",
  "\\*",
  "```js",
])("%j has nothing to be read", (text) => {
  expect(toSpeakableText(text)).toBe("");
});

test("no mark of the markup remains, wherever it is", () => {
  const marks = [..."*_`~|#><[]\\^{}\u200d\u200b🎉"];
  const shapes = [
    (mark: string) => `a ${mark} b`,
    (mark: string) => `${mark} a b`,
    (mark: string) => `a b ${mark}`,
    (mark: string) => `a ${mark.repeat(3)} b`,
    (mark: string) => `${mark}a b${mark}`,
    (mark: string) => `a \\${mark} b`,
    (mark: string) => `- a ${mark}\n- b ${mark}`,
    (mark: string) => `# a ${mark} b`,
    (mark: string) => `> a ${mark} b`,
  ];
  for (const mark of marks) {
    for (const shape of shapes) {
      // Behind a letter it is a name's: C#.
      const spoken = toSpeakableText(shape(mark)).replaceAll("b#", "b");
      expect(spoken, JSON.stringify(shape(mark))).toMatch(/^(?:[ab][ .\n]*){0,2}$/);
    }
  }
});

test("a text longer than one pass is read whole, without its code blocks", () => {
  const paragraph = "The lamp in the [window](https://example.com/x) is **burning**.";
  const code = "```ts\n" + "secret();\n\n".repeat(600) + "```";
  const text = Array.from({ length: 300 }, () => paragraph).join("\n\n");
  const spoken = toSpeakableText(`${text}\n\n${code}\n\n${text}`).split("\n");
  expect(spoken).toEqual(Array.from({ length: 600 }, () => "The lamp in the window is burning."));
  const words = toSpeakableText("word 🔑 ".repeat(20_000));
  expect(words.match(/word/g)).toHaveLength(20_000);
});

const hostilePieces = [
  ">¦> ¦- ¦+ ¦1. ¦\t- ¦[¦]¦[[¦![¦[](¦[a](¦![a](b)¦[a][b]¦[^1]¦[^¦[1]¦*a_¦_a_¦**a¦~~a¦*¦_¦~¦`¦``a`¦<¦>a<",
  "<a¦<a ¦</¦<!--¦<script>¦(¦)¦&¦&amp;¦&#¦&#x1;¦\\¦\\[¦\\*¦|a¦| a |\n|---|\n¦a\n¦\n¦ ¦\t¦\n ¦# ¦#¦```\n",
  "~~~¦a@¦a.¦a.b@¦www.¦www.a.¦http://¦http://@¦mailto:¦ipfs://a@¦data:¦a://¦0x0¦0xabcdef0123456789¦🎉¦👩\u200d¦🇩",
  "|-|-\n|-\n¦a|a\n -:\n¦|-|\n|\n¦|-|-|\na\n¦a\n|a|a\n|-|\n¦|-|\n- a\n\t¦1) ¦\r1) ",
  ':a¦:a:¦-¦=¦=>¦$¦!¦.¦... ¦."¦( ¦a ',
].flatMap((pieces) => pieces.split("¦"));

function read(piece: string, chars: number): number {
  const text = piece.repeat(Math.ceil(chars / piece.length)).slice(0, chars);
  const startedAt = performance.now();
  expect(typeof toSpeakableText(text), piece).toBe("string");
  return performance.now() - startedAt;
}

test("long text of the slowest markup is read in time proportional to its length", () => {
  const times = hostilePieces.map((piece) => ({ piece, ms: read(piece, 16_384) }));
  const [slowest] = times.sort((one, other) => other.ms - one.ms);
  // Read as one text it takes minutes.
  expect(read(slowest!.piece, 262_144), slowest!.piece).toBeLessThan(15_000);
});

/** A wide header over many short rows: each row is filled up to the header's columns. */
function toWideTable(chars: number): string {
  const columns = Math.floor(chars / 8);
  return `${"a|".repeat(columns)}\n${"-|".repeat(columns)}\n${"b\n".repeat(columns * 2)}`;
}

/** Quotes of quotes, each of which ends a line before the one around it. */
function toStairs(chars: number): string {
  const stairs = Array.from({ length: 6 }, (_, index) => `${"> ".repeat(6 - index)}a\n`).join("");
  return stairs.repeat(chars / stairs.length);
}

test("text of a request's length is read in time proportional to it, whatever its markup", () => {
  const repeats = hostilePieces.map((piece) => (chars: number) => piece.repeat(chars / piece.length));
  const times = [toWideTable, toStairs, ...repeats].map((write) => {
    const startedAt = performance.now();
    toSpeakableText(write(4_000));
    return { write, ms: performance.now() - startedAt };
  });
  for (const { write } of times.sort((one, other) => other.ms - one.ms).slice(0, 12)) {
    const read = (chars: number) => toSpeakableText(write(chars));
    expect(growthOf(read, 1_000), write(20)).toBeLessThan(linearGrowth);
  }
});

test("a row that is too short is read as far as it goes", () => {
  expect(toSpeakableText(toWideTable(80))).toBe("a: b.\n".repeat(20).trim());
  expect(toSpeakableText("|a|b|c|\n|-|-|-|\n|1|\n|2|2|")).toBe("a: 1.\na: 2, b: 2.");
});

test("a table's header before each of its cells is read up to a bound, and no further", () => {
  const header = "x".repeat(1_800);
  const table = `|${header}|\n|-|\n${"|a\n".repeat(600)}`;
  expect(listSpeakableBlocks(table, 4_000)).toEqual(Array.from({ length: 3 }, () => `${header}: a`));
  expect(toSpeakableText(table).length).toBeLessThan(table.length * 11);
});
