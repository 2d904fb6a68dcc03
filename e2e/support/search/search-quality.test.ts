import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { createTestDir } from "~e2e/support/databases/database";
import { copyKnowledge, demoContent } from "~e2e/support/demo-content";
import { openKnowledgeSearch } from "./knowledge";
import { listKnowledgeFiles, readKnowledgeFile } from "~/knowledge/knowledge-files.server";
import { knowledgeFolder } from "~/search/knowledge-search.server";
import { measureQuality } from "./search-quality";
import type { LabelledQuestion } from "./search-quality";

const readQuestions = (name: string) =>
  JSON.parse(readFileSync(fileURLToPath(new URL(name, import.meta.url)), "utf8")) as LabelledQuestion[];
const questions = readQuestions("labelled-questions.json");
const furtherQuestions = readQuestions("further-questions.json");
/** By a reader who knew only the pages' text. Never choose a synonym or weight by them. */
const unseenQuestions = readQuestions("unseen-questions.json");
const allQuestions = [questions, furtherQuestions, unseenQuestions];

async function openDemoSearch() {
  const [contentDir, dataDir] = [await createTestDir(), await createTestDir()];
  await copyKnowledge(contentDir);
  return openKnowledgeSearch({ contentDir, dataDir });
}

test("every label names an existing passage", async () => {
  const folder = knowledgeFolder(demoContent);
  const knownIds = new Set<string>();
  for (const file of await listKnowledgeFiles(folder)) {
    const page = await readKnowledgeFile(folder, file);
    for (const { anchor } of page.passages) knownIds.add(`${page.source}#${anchor}`);
  }
  const labels = allQuestions.flat().flatMap(({ answers }) => answers);
  expect(labels.filter((answer) => !knownIds.has(answer))).toEqual([]);
});

/** A visitor's or operator's first questions. Each must rank first. */
const firstQuestions = 5;

test("the pages that ship answer the labelled questions, the first ones at rank one", async () => {
  const { find } = await openDemoSearch();
  const search = (query: string) => find({ query });
  const first = await measureQuality(questions.slice(0, firstQuestions), search);
  expect(first).toEqual({ recallAt5: 1, meanReciprocalRank: 1, missed: [] });
  for (const asked of allQuestions) {
    const { recallAt5, meanReciprocalRank, missed } = await measureQuality(asked, search);
    expect(recallAt5, missed.join("\n")).toBeGreaterThanOrEqual(0.95);
    expect(meanReciprocalRank).toBeGreaterThanOrEqual(0.9);
  }
});

test("of questions about something else no more than one in four meets a passage by chance", async () => {
  const { find } = await openDemoSearch();
  const unrelated = JSON.parse(
    readFileSync(fileURLToPath(new URL("unrelated-questions.json", import.meta.url)), "utf8"),
  ) as string[];
  const answered: string[] = [];
  for (const query of unrelated) if ((await find({ query })).length > 0) answered.push(query);
  expect(answered.length, answered.join("\n")).toBeLessThanOrEqual(unrelated.length / 4);
});

test("recall counts answers among the first five, the reciprocal rank their position", async () => {
  const match = (source: string) => ({ id: source, score: 1, metadata: { source, anchor: "x" } });
  const found = ["a", "b", "c", "d", "e", "f"].map(match);
  const quality = await measureQuality(
    [
      { question: "first", answers: ["a#x"] },
      { question: "second", answers: ["z#x", "b#x"] },
      { question: "sixth", answers: ["f#x"] },
      { question: "none", answers: ["z#x"] },
    ],
    async () => found,
  );
  expect(quality).toEqual({ recallAt5: 0.5, meanReciprocalRank: 0.375, missed: ["sixth", "none"] });
});
