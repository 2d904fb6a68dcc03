import { existsSync, readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

type Link = { words: string; file: string };

const security = readFileSync("docs/security.md", "utf8");
const standard = readFileSync("docs/security-asvs.md", "utf8");
const statuses = ["met", "partly", "not met", "not applicable"];

/** Requirements of levels 1 and 2 by section. Level 3 comes last in each. */
const sections: Record<string, number> = {
  "1.1": 2,
  "1.2": 9,
  "1.3": 11,
  "1.4": 3,
  "1.5": 2,
  "2.1": 3,
  "2.2": 3,
  "2.3": 4,
  "2.4": 1,
  "3.2": 2,
  "3.3": 4,
  "3.4": 6,
  "3.5": 5,
  "3.7": 2,
  "4.1": 3,
  "4.2": 1,
  "4.3": 2,
  "4.4": 4,
  "5.1": 1,
  "5.2": 3,
  "5.3": 2,
  "5.4": 3,
  "6.1": 3,
  "6.2": 12,
  "6.3": 4,
  "6.4": 4,
  "6.5": 5,
  "6.6": 3,
  "6.8": 4,
  "7.1": 3,
  "7.2": 4,
  "7.3": 2,
  "7.4": 5,
  "7.5": 2,
  "7.6": 2,
  "8.1": 2,
  "8.2": 3,
  "8.3": 1,
  "8.4": 1,
  "9.1": 3,
  "9.2": 4,
  "11.1": 2,
  "11.2": 3,
  "11.3": 3,
  "11.4": 4,
  "11.5": 1,
  "11.6": 1,
  "12.1": 3,
  "12.2": 2,
  "12.3": 4,
  "13.1": 1,
  "13.2": 5,
  "13.3": 2,
  "13.4": 5,
  "14.1": 2,
  "14.2": 4,
  "14.3": 3,
  "15.1": 3,
  "15.2": 3,
  "15.3": 7,
  "16.1": 1,
  "16.2": 5,
  "16.3": 4,
  "16.4": 3,
  "16.5": 3,
};

function findLinks(text: string): Link[] {
  return [...text.matchAll(/\[([^\]]+)\]\(([^)\s#]+)(?:#[^)]*)?\)/g)].map(([, words, target]) => ({
    words: words!,
    file: target!.startsWith("../") ? target!.slice("../".length) : `docs/${target}`,
  }));
}

/** Tests that several files share are in a file that no runner picks up. */
const isTest = ({ file }: Link) => /\.(?:test|spec)\.tsx?$|\/instances-sharing\.ts$/.test(file);

/** Finds a test by its name, right after `test` or its table. */
function hasTest(source: string, name: string): boolean {
  const escaped = name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  // Skipped tests and commented-out ones don't count as evidence.
  const live = source.replaceAll(/^\s*(?:\/\/|\*).*$/gm, "");
  return new RegExp(
    `(?:\\btest\\w*(?:\\.(?!skip\\(|todo|fixme)\\w+)*|\\))\\(\\s*"${escaped}(?: @deep)?",`,
  ).test(live);
}

function readRows(text: string): string[][] {
  return text
    .split("\n")
    .filter((line) => line.startsWith("|") && !/^\|[\s|:-]+$/.test(line))
    .map((line) =>
      line
        .split("|")
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
}

test.each([
  { name: "docs/security.md", text: security },
  { name: "docs/security-asvs.md", text: standard },
])("every file and every test that $name links to exists", ({ text }) => {
  const links = findLinks(text);
  expect(links.filter(({ file }) => !existsSync(file))).toEqual([]);
  const tests = links.filter(isTest);
  expect(tests.length).toBeGreaterThan(20);
  const lost = tests.filter(({ file, words }) => !hasTest(readFileSync(file, "utf8"), words));
  expect(lost).toEqual([]);
});

test("a link to a missing, skipped or commented-out test is noticed", () => {
  const source =
    'test("one thing", () => {});\ntest.each([1])(\n  "another",\n  () => {},\n);\nit("third", 1);';
  const lost = '// test("fourth", () => {});\ntest.skip("fifth", () => {});\ntest.todo("sixth",);';
  expect(["fourth", "fifth", "sixth"].filter((name) => hasTest(lost, name))).toEqual([]);
  expect(["one thing", "another", "one", "third"].map((name) => hasTest(source, name))).toEqual([
    ...[true, true, false, false],
  ]);
});

test("every promise is proved by a test", () => {
  const [, promises] = security.split("## What is promised");
  const rows = readRows(promises!.split("## What is not promised")[0]!).filter(
    ([first]) => first !== "Promise",
  );
  expect(rows.length).toBeGreaterThan(25);
  expect(rows.filter(([, held]) => !findLinks(held ?? "").some(isTest))).toEqual([]);
});

test("every advisory that does not apply is proved by a test", () => {
  const [, advisories] = security.split("\n| Advisory |");
  const rows = readRows(advisories!.split("\n\n")[0]!).filter(([first]) => first!.startsWith("GHSA-"));
  expect(rows.length).toBeGreaterThan(5);
  expect(rows.filter(([, , held]) => !findLinks(held ?? "").some(isTest))).toEqual([]);
});

test("the rows of every table follow each other without a gap", () => {
  const lines = security.split("\n");
  const isLost = (line: string, index: number) =>
    line.startsWith("|") &&
    !lines[index - 1]!.startsWith("|") &&
    !/^\|[\s|:-]+$/.test(lines[index + 1] ?? "");
  expect(lines.filter(isLost)).toEqual([]);
});

test("each requirement of levels 1 and 2 is judged once, with evidence where it is met and words where not", () => {
  const rows = readRows(standard).filter(([first]) => /^\d/.test(first!));
  const numbers = rows.flatMap(([first]) => first!.split(", "));
  const due = Object.entries(sections).flatMap(([section, count]) =>
    Array.from({ length: count }, (_, index) => `${section}.${index + 1}`),
  );
  // One requirement of the OAuth chapter applies, and none of the WebRTC chapter.
  expect(numbers.toSorted()).toEqual([...due, "10.1.1"].toSorted());
  for (const [first, asked, status, evidence] of rows) {
    expect(asked!.length, first).toBeGreaterThan(5);
    expect(statuses, first).toContain(status);
    expect(evidence!.length, first).toBeGreaterThan(10);
    if (status === "met") expect(findLinks(evidence!).length, first).toBeGreaterThan(0);
  }
});

test("the sum of the requirements is that of the rows", () => {
  const rows = readRows(standard).filter(([first]) => /^\d/.test(first!));
  const counts = statuses.map((status) => {
    const judged = rows.filter(([, , judgement]) => judgement === status);
    return judged.reduce((sum, [numbers]) => sum + numbers!.split(", ").length, 0);
  });
  const all = counts.reduce((sum, count) => sum + count, 0);
  const words = counts.map((count, index) => `${count} ${statuses[index]}`).join(", ");
  expect(standard).toContain(`Of ${all} requirements: ${words}.`);
});

test("every browser journey is checked for broken policies", () => {
  const specs = readdirSync("e2e/journeys", { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".spec.ts"),
  );
  expect(specs.length).toBeGreaterThan(15);
  for (const name of specs) {
    const source = readFileSync(`e2e/journeys/${name}`, "utf8");
    expect(source, name).not.toMatch(/import \{[^}]*\btest\b[^}]*\} from "@playwright\/test"/);
  }
});
