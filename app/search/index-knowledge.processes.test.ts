import { once } from "node:events";
import { expect, test } from "vitest";
import { readLines, startTestProcess } from "~e2e/support/child-process";
import {
  createKnowledge,
  inspect,
  manyPages,
  openKnowledgeSearch,
  pageCount,
  runIndex,
} from "~e2e/support/knowledge";
import type { Knowledge } from "~e2e/support/knowledge";

/** Each process takes seconds to start where the machine has other work. */
const processLimitMs = 180_000;

function startIndexing({ folder, dataDir, pauseMs = 0 }: Knowledge & { pauseMs?: number }) {
  const args = [folder, dataDir, String(pauseMs)];
  return startTestProcess("e2e/support/index-process.ts", args);
}

async function readAll(child: ReturnType<typeof startIndexing>): Promise<string[]> {
  const lines = [];
  for await (const line of readLines(child)) lines.push(line);
  return lines;
}

test(
  "indexing killed again and again leaves whole pages and continues where it ended",
  async () => {
    const knowledge = await createKnowledge(manyPages());
    const begun: string[] = [];
    for (const lines of [3, 9, 14]) {
      const child = startIndexing({ ...knowledge, pauseMs: 5 });
      let read = 0;
      for await (const line of readLines(child)) {
        begun.push(line);
        if (++read >= lines * 2) child.kill("SIGKILL");
      }
    }
    const [last = "", ...texts] = (await readAll(startIndexing(knowledge))).reverse();
    const report = JSON.parse(last) as { indexed: number; unchanged: number };
    expect(report.indexed + report.unchanged).toBe(pageCount);
    // Done before the kills: what was begun, but for the page each kill fell into and what came too late to be read.
    expect(report.unchanged).toBeGreaterThanOrEqual(3 + 9 + 14 - 3 * 2);
    expect(texts).toHaveLength(report.indexed * 2);
    expect(new Set([...begun, ...texts]).size).toBe(pageCount * 2);
    expect(await inspect(knowledge)).toMatchObject({
      pages: pageCount,
      passages: pageCount * 2,
      vectors: pageCount * 2,
    });
    const { ask } = openKnowledgeSearch(knowledge);
    for (const number of [0, 17, 39]) {
      expect((await ask(`number${number}`))[0]).toMatch(`p${String(number).padStart(2, "0")}.md`);
    }
  },
  processLimitMs,
);

test(
  "two processes that index at once embed each page once between them",
  async () => {
    const knowledge = await createKnowledge(manyPages());
    const children = [
      startIndexing({ ...knowledge, pauseMs: 2 }),
      startIndexing({ ...knowledge, pauseMs: 2 }),
    ];
    const outputs = await Promise.all(children.map(readAll));
    const texts = outputs.flatMap((lines) => lines.slice(0, -1));
    expect(texts).toHaveLength(pageCount * 2);
    expect(new Set(texts).size).toBe(pageCount * 2);
    const indexed = outputs.map((lines) => (JSON.parse(lines.at(-1)!) as { indexed: number }).indexed);
    expect(indexed.sort()).toEqual([0, pageCount]);
    expect(await inspect(knowledge)).toMatchObject({ pages: pageCount });
  },
  processLimitMs,
);

test(
  "the lock of a killed process delays nobody",
  async () => {
    const knowledge = await createKnowledge(manyPages());
    const child = startIndexing({ ...knowledge, pauseMs: 60_000 });
    const closed = once(child, "close");
    for await (const _line of readLines(child)) child.kill("SIGKILL");
    await closed;
    let waited = false;
    expect(await runIndex({ ...knowledge, onWait: () => (waited = true) })).toMatchObject({
      indexed: pageCount,
    });
    expect(waited).toBe(false);
  },
  processLimitMs,
);
