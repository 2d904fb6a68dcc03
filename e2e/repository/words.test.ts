import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { hasForeignOpening, isLong, measureStyle, readComments, readDocument } from "./sentences";
import type { Sentence } from "./sentences";

type Rule = { words: RegExp; say: string; example: string; where?: RegExp };

/** Words that are wrong wherever they appear, or within `where`; docs/glossary.md lists those to use. */
const rules: Rule[] = [
  { words: /\blaps(?:e|ed|es|ing)\b/i, say: "expired", example: "the lease lapsed" },
  { words: /\breckon\w*/i, say: "compute", example: "const reckonCost" },
  { words: /\baskers?\b/i, say: "client or caller", example: "the asker waits" },
  { words: /\bdoings\b/i, say: "scenario", example: "its doings" },
  { words: /\banew\b/i, say: "again", example: "reads anew" },
  { words: /\b(?:tidily|orderly|good order)\b/i, say: "drain, shut down", example: "an orderly end" },
  { words: /\b(?:leav(?:e|es|ing)|left) away\b/i, say: "omit, skip", example: "leave away" },
  { words: /\b(?:went|goes|gone|going) wrong\b/i, say: "error, failed", example: "Something went wrong." },
  { words: /\b(?:found good|kept reading|same flight)\b/i, say: "cached, coalesced", example: "found good" },
  { words: /\bremember(?:ed|s|ing)?\b/i, say: "cached, kept", example: "remembered tokens" },
  { words: /\btalk(?:s|ing|ed)? to\b/i, say: "outgoing connections, queries", example: "talks to Redis" },
  { words: /\b(?:desks?|lanes?|crossings?)\b/i, say: "fixture, route, request", example: "the payment lane" },
  { words: /(?<!\bin )\bflights?\b/i, say: "queue, request; in flight", example: "one flight of reads" },
  {
    words: /\bhold(?:s|er of) (?:a|its|the) lease\b/i,
    say: "owns, owner",
    example: "the holder of the lease",
  },
  {
    words: /\bwatch(?=[A-Z(]|\.\w| =)|[a-z]Watch\b/,
    say: "observe, record, check: only the transfer watcher watches",
    example: "const watch = createOutageWatch()",
  },
  {
    words: /\bdoors?(?=[A-Z(]|\.\w| =)|[a-z]Doors?\b/,
    say: "gate",
    example: "openDoor()",
    // These know nothing of the sites behind the door, which is the only one.
    where:
      /^(?:app\/(?:chat|content|knowledge|landing|operator|payments|platform\/http|quota|search|speech|tools)\/|server\.ts)/,
  },
  {
    words: /\bleases?\b|\blease(?!UntilMs)[A-Z]/i,
    say: "reservation, which expires; heartbeat",
    example: "its lease",
    // Writers of kept answers have leases in the sense of the word.
    where: /^app\/(?:quota|speech|chat)\/(?!kept\/|create-chat)/,
  },
  {
    words: /\blog\??\.(?:info|warn|error|debug)\((?:`|.*, `)/,
    say: "a constant message, and fields",
    example: "log.warn({ err }, `${name} failed`)",
    where: /^(?:app\/|server\.ts)/,
  },
];

/** Uses that are right: a part of the line, and why. */
const allowed: [part: string, why: string][] = [
  ["watchConnection", "a function of wagmi"],
  ["`${tag}:leases`", "a key of Redis that earlier versions read too"],
];

const notOurs =
  /^(?:app\/demo\/content|docs\/licences)\/|^THIRD-PARTY|\/api-types\.ts$|^docs\/glossary\.md$|\/words\.test\.ts$/;

function findViolations(file: string): string[] {
  const lines = readFileSync(file, "utf8").split("\n");
  return lines.flatMap((line, index) =>
    rules
      .filter(({ words, where }) => (where?.test(file) ?? true) && words.test(withoutAllowed(line)))
      .map(({ words, say }) => `${file}:${index + 1}: "${words.exec(line)?.[0]}", say: ${say}`),
  );
}

function withoutAllowed(line: string): string {
  return allowed.reduce((rest, [part]) => rest.replaceAll(part, ""), line);
}

test.each(rules)("a line with a word that $example has is found", ({ words, example }) => {
  expect(withoutAllowed(example)).toMatch(words);
});

function listFiles(...patterns: string[]): string[] {
  const listed = execFileSync("git", ["ls-files", ...patterns], { encoding: "utf8" });
  return listed
    .trim()
    .split("\n")
    .filter((file) => !notOurs.test(file));
}

test("code, tests and documents use the words of the field, each for one thing", () => {
  const files = listFiles("*.ts", "*.tsx", "*.mjs", "*.md", "*.css");
  expect(files.length).toBeGreaterThan(1_000);
  expect(files.flatMap(findViolations)).toEqual([]);
});

type Bounds = { foreignOpenings: number; meanLength: number; long: number };

/** Openings and long sentences are shares of 100. */
const documentBounds: Bounds = { foreignOpenings: 2, meanLength: 14, long: 3 };
const commentBounds: Bounds = { foreignOpenings: 2, meanLength: 12.5, long: 1 };

test.each([
  {
    name: "documents",
    files: listFiles("*.md"),
    read: readDocument,
    bounds: documentBounds,
  },
  {
    name: "comments",
    files: ["server.ts", ...listFiles("app", "prisma", "e2e").filter(hasComments)],
    read: readComments,
    bounds: commentBounds,
  },
])("sentences of $name begin with their subject and are short", ({ files, read, bounds }) => {
  const byFile = files.map((file) => ({ file, sentences: read(readFileSync(file, "utf8")) }));
  const style = measureStyle(byFile.flatMap(({ sentences }) => sentences));
  expect(style.count).toBeGreaterThan(1_000);
  const examples = (isFound: (sentence: Sentence) => boolean) =>
    byFile
      .flatMap(({ file, sentences }) =>
        sentences.filter(isFound).map(({ words }) => `${file}: ${words.slice(0, 90)}`),
      )
      .slice(0, 40)
      .join("\n");
  expect(style.foreignOpenings, examples(hasForeignOpening)).toBeLessThanOrEqual(bounds.foreignOpenings);
  expect(style.meanLength, examples(isLong)).toBeLessThanOrEqual(bounds.meanLength);
  expect(style.long, examples(isLong)).toBeLessThanOrEqual(bounds.long);
});

function hasComments(file: string): boolean {
  return /\.(?:tsx?|mjs|css|prisma)$/.test(file);
}

test("a document's prose, list items and cells are sentences; headings, code and questions are not", () => {
  const text = [
    "# A heading of four words",
    "One sentence stands here. What follows `is. code` opens badly.",
    "Is this a question at all?",
    "- a [list item](x.md) of six words",
    "```sh\nnpm run what is no sentence\n```",
    "| Where a cell opens badly | short |",
  ].join("\n\n");
  const sentences = readDocument(text);
  expect(sentences.map(({ words }) => words)).toEqual([
    "One sentence stands here.",
    "What follows `code` opens badly.",
    "a list item of six words",
    "Where a cell opens badly",
  ]);
  expect(sentences.filter(hasForeignOpening)).toHaveLength(2);
  expect(measureStyle(sentences)).toMatchObject({ foreignOpenings: 50, meanLength: 5, long: 0 });
});

test("comments are read as their blocks and lines, and directives are not", () => {
  const source = [
    "/** A block of two lines",
    " * is one sentence. */",
    "// Lines that follow each other",
    "// are one sentence too.",
    "const url = 'https://not.a.comment of any kind'; // A comment after some code.",
    "// eslint-disable-next-line because of four words",
  ].join("\n");
  expect(readComments(source).map(({ words }) => words)).toEqual([
    "A block of two lines is one sentence.",
    "Lines that follow each other are one sentence too.",
    "A comment after some code.",
  ]);
  expect(isLong({ words: "word ".repeat(26).trim(), isInTable: false })).toBe(true);
});
