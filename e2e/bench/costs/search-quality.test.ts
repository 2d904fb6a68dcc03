import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { createTestDir } from "~e2e/support/databases/database";
import { openKnowledgeSearch } from "~e2e/support/knowledge";
import { listKnowledgeFiles, readKnowledgeFile } from "~/search/knowledge-files.server";
import { knowledgeFolder } from "~/search/knowledge-search.server";
import { measureQuality } from "./search-quality";
import type { LabelledQuestion } from "./search-quality";

const contentDir = fileURLToPath(new URL("../../../content", import.meta.url));
const questions = JSON.parse(
  readFileSync(fileURLToPath(new URL("labelled-questions.json", import.meta.url)), "utf8"),
) as LabelledQuestion[];

test("every label names an existing passage", async () => {
  const folder = knowledgeFolder(contentDir);
  const knownIds = new Set<string>();
  for (const file of await listKnowledgeFiles(folder)) {
    const { page } = await readKnowledgeFile(folder, file);
    for (const { anchor } of page.passages) knownIds.add(`${page.source}#${anchor}`);
  }
  expect(questions.flatMap(({ answers }) => answers).filter((answer) => !knownIds.has(answer))).toEqual([]);
});

/** What a visitor or an operator asks first: each is answered in the first place. */
const firstQuestions = 5;

test("the pages that ship answer the labelled questions, the first ones at rank one", async () => {
  const { find } = openKnowledgeSearch({ contentDir, dataDir: await createTestDir() });
  const search = (query: string) => find({ query });
  const first = await measureQuality(questions.slice(0, firstQuestions), search);
  expect(first).toEqual({ recallAt5: 1, meanReciprocalRank: 1, missed: [] });
  // Some of the rest use none of the pages' words, which only a model's vectors would find.
  const quality = await measureQuality(questions, search);
  expect(quality.recallAt5).toBeGreaterThan(0.85);
  expect(quality.meanReciprocalRank).toBeGreaterThan(0.7);
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
