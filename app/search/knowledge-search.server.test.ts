import { mkdir, mkdtemp, rm, unlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { parseKnowledgePage } from "./knowledge-page";
import { createKnowledgeSearch } from "./knowledge-search.server";

const namespace = "__default__";

async function makeContent(pages: Record<string, string>) {
  const contentDir = await mkdtemp(path.join(tmpdir(), "knowledge-"));
  onTestFinished(() => rm(contentDir, { recursive: true }));
  const folder = path.join(contentDir, "knowledge");
  await mkdir(folder);
  const write = (name: string, text: string) => writeFile(path.join(folder, name), text);
  for (const [name, text] of Object.entries(pages)) await write(name, text);
  const time = { nowMs: 0 };
  const warnings: string[] = [];
  const search = createKnowledgeSearch({
    contentDir,
    clock: () => time.nowMs,
    recheckMs: 1_000,
    warn: (message) => warnings.push(message),
  });
  const ask = async (query: string, topK = 5) =>
    (await search({ query, namespace, topK })).map(({ id }) => id);
  return { folder, write, time, search, ask, warnings };
}

test("finds passages by their words, best first, with what is needed to quote them", async () => {
  const { search } = await makeContent({
    "gate.md":
      "---\ntitle: The gate\n---\n# The gate\n\nIt opens for holders.\n\n## Opening hours\n\nAlways open.",
    "form.md": "# The form\n\nSend it once.",
  });
  const matches = await search({ query: "When does it open?", namespace, topK: 5 });
  expect(matches[0]).toEqual({
    id: "gate.md#2",
    score: expect.any(Number) as number,
    title: "The gate",
    heading: "Opening hours",
    source: "gate.md",
    text: "Always open.",
  });
  expect(matches.map(({ source }) => source)).not.toContain("form.md");
  expect(await search({ query: "When does it open?", namespace, topK: 1 })).toEqual(matches.slice(0, 1));
});

test("one common word in a question about something else is no match", async () => {
  const { ask } = await makeContent({
    "a.md":
      "# Keys\n\nA key opens the room.\n\n## More\n\nThe key is used once.\n\n## Wallets\n\nA wallet holds a key.",
  });
  expect(await ask("How do I bake a key lime pie with cream?")).toEqual([]);
  expect(await ask("the of and")).toEqual([]);
  expect(await ask("")).toEqual([]);
  expect(await ask("wallet")).toEqual(["a.md#3"]);
});

test("finds other forms of a word, accents left out, mixed spellings and unspaced scripts", async () => {
  const { ask } = await makeContent({
    "a.md": "# A\n\nMemberships are renewed.",
    "b.md": "# B\n\nDer Schlüssel öffnet.",
    "c.md": "# C\n\nUse erc1155 here.",
    "d.md": "# D\n\n鍵を持っている人",
  });
  expect(await ask("renewing a membership")).toEqual(["a.md#1"]);
  expect(await ask("schlussel")).toEqual(["b.md#1"]);
  expect(await ask("ERC-1155")).toEqual(["c.md#1"]);
  expect(await ask("持っている")).toEqual(["d.md#1"]);
});

test("keeps namespaces apart", async () => {
  const { search } = await makeContent({ "a.md": "---\nnamespace: inner\n---\nA secret garden" });
  expect(await search({ query: "garden", namespace, topK: 5 })).toEqual([]);
  expect((await search({ query: "garden", namespace: "inner", topK: 5 })).map(({ title }) => title)).toEqual([
    "a",
  ]);
  expect(await search({ query: "garden", namespace: "__proto__", topK: 5 })).toEqual([]);
});

test("sees pages that were added, changed and removed, after the pause and not before", async () => {
  const { folder, write, time, ask } = await makeContent({ "a.md": "old words" });
  expect(await ask("old")).toEqual(["a.md#1"]);
  await write("a.md", "newer words");
  await write("b.md", "newer as well");
  time.nowMs = 999;
  expect(await ask("newer")).toEqual([]);
  time.nowMs = 1_000;
  expect(new Set(await ask("newer"))).toEqual(new Set(["a.md#1", "b.md#1"]));
  await unlink(path.join(folder, "a.md"));
  time.nowMs = 2_000;
  expect(await ask("newer")).toEqual(["b.md#1"]);
});

test("questions asked at once share one look at the files and get the same answer", async () => {
  const { ask } = await makeContent({ "a.md": "one page" });
  const answers = await Promise.all(Array.from({ length: 20 }, () => ask("page")));
  expect(answers).toEqual(Array.from({ length: 20 }, () => ["a.md#1"]));
});

test("no folder, other files, folders named like pages and oversized pages are left alone", async () => {
  const search = createKnowledgeSearch({
    contentDir: path.join(tmpdir(), "not-there"),
    warn: () => undefined,
  });
  expect(await search({ query: "x", namespace, topK: 5 })).toEqual([]);
  const { folder, ask, warnings } = await makeContent({
    "notes.txt": "words",
    ".hidden.md": "words",
    "huge.md": "words ".repeat(200_000),
  });
  await mkdir(path.join(folder, "folder.md"));
  expect(await ask("words")).toEqual([]);
  expect(warnings).toEqual([]);
});

test("a page is cut at its headings, but not inside code, and long sections between paragraphs", () => {
  const paragraph = "word ".repeat(120).trim();
  const page = parseKnowledgePage({
    source: "p.md",
    text: `\uFEFF---\r\ntitle: "Quoted"\r\nnamespace:  \r\n---\r\nIntro\r\n\r\n# One #\n\n\`\`\`sh\n# no heading\n\`\`\`\n\n## Two\n\n${paragraph}\n\n${paragraph}\n\n${"x".repeat(2_500)}`,
  });
  expect(page).toMatchObject({ title: "Quoted", namespace: "__default__" });
  expect(page.passages.map(({ heading, text }) => [heading, text.length])).toEqual([
    ["Quoted", 5],
    ["One", 22],
    ["Two", paragraph.length],
    ["Two", paragraph.length],
    ["Two", 1_000],
    ["Two", 1_000],
    ["Two", 500],
  ]);
});

test.each([
  ["What is Latchkey?", "what-latchkey-is.md"],
  ["How do I get a key?", "getting-and-using-a-key.md"],
  ["Why was I refused?", "getting-and-using-a-key.md"],
  ["What happens after I send the form?", "the-one-time-form.md"],
  ["Can I gate my own ERC-1155 contract?", "gate-your-own-contract.md"],
  ["How do I call the chat API with curl?", "api-quick-start.md"],
  ["Which provider answers in the chat?", "configuration-basics.md"],
])("the pages that ship answer: %s", async (query, source) => {
  const contentDir = fileURLToPath(new URL("../../content", import.meta.url));
  const search = createKnowledgeSearch({ contentDir, warn: () => undefined });
  const [best] = await search({ query, namespace, topK: 3 });
  expect(best?.source).toBe(source);
});
