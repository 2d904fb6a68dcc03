import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";

const listMarkdown = (folder: string) =>
  readdirSync(folder)
    .filter((name) => name.endsWith(".md"))
    .map((name) => path.join(folder, name));
const pages = listMarkdown("docs");
const decisions = listMarkdown("docs/decisions");
const all = ["README.md", "CONTRIBUTING.md", ...pages, ...decisions];

const read = (file: string) => readFileSync(file, "utf8");
/** Bars and dashes of tables and lists don't count as words. */
const countWords = (text: string) => text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
const countAll = (files: string[]) => files.reduce((sum, file) => sum + countWords(read(file)), 0);
const withoutCode = (text: string) =>
  text.replaceAll(/^( *)```[^]*?^\1```/gm, "").replaceAll(/`[^`\n]*`/g, "`code`");

test("documents stay short", () => {
  expect(read("README.md").split("\n").length - 1).toBeLessThanOrEqual(120);
  expect(countAll(pages)).toBeLessThanOrEqual(34_000);
  expect(decisions.length).toBeLessThanOrEqual(35);
  expect(countAll(decisions)).toBeLessThanOrEqual(14_000);
  expect(decisions.filter((file) => countWords(read(file)) > 700)).toEqual([]);
});

test("no table cell has more than 40 words", () => {
  const long = all.flatMap((file) =>
    withoutCode(read(file))
      .split("\n")
      .filter((line) => line.startsWith("|"))
      .flatMap((line) => line.split(/(?<!\\)\|/))
      .map((cell) => cell.replaceAll(/\]\([^)]*\)/g, "]"))
      .filter((cell) => countWords(cell) > 40)
      .map((cell) => `${file}: ${cell.trim().slice(0, 80)}`),
  );
  expect(long).toEqual([]);
});

test("every link between documents leads to a file and a heading", () => {
  const headings = new Map(all.map((file) => [file, listAnchors(read(file))]));
  const lost = all.flatMap((file) => {
    const links = withoutCode(read(file)).matchAll(/\]\((?!https?:|mailto:)([^)\s]+)\)/g);
    return [...links].flatMap(([, link = ""]) => {
      const [target = "", anchor] = link.split("#");
      const found = target ? path.join(path.dirname(file), target) : file;
      const isThere = existsSync(found) && (!anchor || headings.get(found)?.includes(anchor) !== false);
      return isThere ? [] : [`${file}: ${link}`];
    });
  });
  expect(lost).toEqual([]);
});

function listAnchors(text: string): string[] {
  const prose = text.replaceAll(/^( *)```[^]*?^\1```/gm, "");
  return [...prose.matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
    heading
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_\- ]/gu, "")
      .replaceAll(" ", "-"),
  );
}
