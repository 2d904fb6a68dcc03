import { once } from "node:events";
import { expect, test } from "vitest";
import { readLines, startTestProcess } from "~e2e/support/child-process";
import { createKnowledge, listVectors, openKnowledgeSearch } from "~e2e/support/search/knowledge";
import type { Knowledge } from "~e2e/support/search/knowledge";
import { runIndex } from "~e2e/support/search/run-index";
import { createWordEmbedder } from "~e2e/support/search/word-embedder";

/** Each process takes seconds to start where the machine has other work. */
const processLimitMs = 180_000;

function startIndexing({ folder, dataDir, pauseMs = 0 }: Knowledge & { pauseMs?: number }) {
  const args = [folder, dataDir, String(pauseMs)];
  return startTestProcess("e2e/support/search/index-process.ts", args);
}

async function readAll(child: ReturnType<typeof startIndexing>): Promise<string[]> {
  const lines = [];
  for await (const line of readLines(child)) lines.push(line);
  return lines;
}

/** More than the passages of three requests. */
const passageCount = 200;

async function createPages() {
  const pages = Array.from({ length: passageCount }, (_, index) => [
    `p${index}.md`,
    `Number${index} is here.`,
  ]);
  return await createKnowledge(Object.fromEntries(pages) as Record<string, string>);
}

test(
  "embedding killed again and again continues where it ended",
  async () => {
    const knowledge = await createPages();
    for (const lines of [1, 65]) {
      const child = startIndexing({ ...knowledge, pauseMs: 300 });
      let read = 0;
      for await (const _line of readLines(child)) if (++read === lines) child.kill("SIGKILL");
    }
    // The first one was killed in its first request, the second one in its second.
    expect(await listVectors(knowledge)).toEqual([{ dimension: 64, vectors: 64 }]);
    const texts = await readAll(startIndexing(knowledge));
    expect(texts.pop()).toBe(String(passageCount - 64));
    expect(new Set(texts).size).toBe(passageCount - 64);
    expect(await listVectors(knowledge)).toEqual([{ dimension: 64, vectors: passageCount }]);
    const { ask } = openKnowledgeSearch(knowledge);
    for (const number of [0, 17, 39]) expect((await ask(`number${number}`))[0]).toBe(`p${number}.md#1`);
  },
  processLimitMs,
);

test(
  "two processes that embed at once embed each passage once between them",
  async () => {
    const knowledge = await createPages();
    const children = [
      startIndexing({ ...knowledge, pauseMs: 50 }),
      startIndexing({ ...knowledge, pauseMs: 50 }),
    ];
    const outputs = await Promise.all(children.map(readAll));
    expect(outputs.map((lines) => Number(lines.pop())).sort()).toEqual([0, passageCount]);
    expect(new Set(outputs.flat()).size).toBe(passageCount);
    expect(await listVectors(knowledge)).toEqual([{ dimension: 64, vectors: passageCount }]);
  },
  processLimitMs,
);

test(
  "the lock of a killed process delays nobody",
  async () => {
    const knowledge = await createPages();
    const child = startIndexing({ ...knowledge, pauseMs: 60_000 });
    const closed = once(child, "close");
    for await (const _line of readLines(child)) child.kill("SIGKILL");
    await closed;
    let waited = false;
    const run = { ...knowledge, embedder: createWordEmbedder(), onWait: () => (waited = true) };
    expect(await runIndex(run)).toMatchObject({ embedded: passageCount });
    expect(waited).toBe(false);
  },
  processLimitMs,
);
