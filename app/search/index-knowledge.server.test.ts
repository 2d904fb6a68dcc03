import { once } from "node:events";
import { utimes } from "node:fs/promises";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { expect, test } from "vitest";
import { readLines, startTestProcess } from "~e2e/support/child-process";
import { createKnowledge, openKnowledgeSearch, runIndex } from "~e2e/support/knowledge";
import type { Knowledge } from "~e2e/support/knowledge";
import type { Embedder } from "./embedder";
import { createHashedEmbedder } from "./hashed-embedder";
import { searchFile } from "./knowledge-search.server";
import { openSearchDatabase } from "./search-database.store.server";

const pageCount = 40;
/** Each process takes seconds to start where the machine has other work. */
const processLimitMs = 180_000;

function manyPages(): Record<string, string> {
  return Object.fromEntries(
    Array.from({ length: pageCount }, (_, index) => [
      `p${String(index).padStart(2, "0")}.md`,
      `# Page ${index}\n\nNumber${index} is here.\n\n## More\n\nStill number${index}.`,
    ]),
  );
}

function startIndexing({ folder, dataDir, pauseMs = 0 }: Knowledge & { pauseMs?: number }) {
  const args = [folder, searchFile(dataDir), String(pauseMs)];
  return startTestProcess("e2e/support/index-process.ts", args);
}

async function readAll(child: ReturnType<typeof startIndexing>): Promise<string[]> {
  const lines = [];
  for await (const line of readLines(child)) lines.push(line);
  return lines;
}

/** What is wrong with the file, and how many rows of each kind it holds for its pages. */
async function inspect({ dataDir }: Pick<Knowledge, "dataDir">) {
  const database = openSearchDatabase({ file: searchFile(dataDir) });
  try {
    const [check, collections = [], pages] = await database.read(
      { sql: "PRAGMA integrity_check" },
      { sql: "SELECT id, namespace, model, isLive FROM collections ORDER BY id" },
      { sql: "SELECT count(*) AS count FROM pages" },
    );
    const counts = [];
    for (const { id } of collections) {
      const rows = await database.read(
        ...["passages", "vectors", "words"].map((name) => ({
          sql: `SELECT count(*) AS count FROM ${name}_${Number(id)}`,
        })),
      );
      counts.push(rows.map(([row]) => Number(row?.count)));
    }
    const models = collections.map(({ namespace, model, isLive }) => [namespace, model, isLive]);
    return { check: check?.[0]?.integrity_check, models, pages: Number(pages?.[0]?.count), counts };
  } finally {
    await database.close();
  }
}

test("only new and changed pages are indexed, removed ones deleted, and progress reported", async () => {
  const knowledge = await createKnowledge({ "a.md": "one", "b.md": "two\n\n# H\n\nthree", "c.md": "four" });
  const seen: string[] = [];
  const first = await runIndex({
    ...knowledge,
    onProgress: ({ done, total, source }) => seen.push(`${done}/${total} ${source}`),
  });
  expect(first).toEqual({ indexed: 3, unchanged: 0, removed: 0, passages: 4, broken: [] });
  expect(seen).toEqual(["0/3 a.md", "1/3 b.md", "2/3 c.md", "3/3 "]);

  await knowledge.write("a.md", "one changed");
  await knowledge.remove("c.md");
  await utimes(path.join(knowledge.folder, "b.md"), 1, 1);
  expect(await runIndex(knowledge)).toEqual({
    indexed: 1,
    unchanged: 1,
    removed: 1,
    passages: 1,
    broken: [],
  });
  expect(await runIndex(knowledge)).toMatchObject({ indexed: 0, unchanged: 2, removed: 0 });
  expect(await inspect(knowledge)).toMatchObject({ check: "ok", pages: 2, counts: [[3, 3, 3]] });
  expect(await runIndex({ ...knowledge, rebuild: true })).toMatchObject({ indexed: 2, unchanged: 0 });
});

test("a page that breaks is removed and reported, and comes back when it is fixed", async () => {
  const knowledge = await createKnowledge({ "a.md": "a lamp", "b.md": "a door" });
  await runIndex(knowledge);
  await knowledge.write("a.md", new Uint8Array([0xff, 0xfe]));
  expect(await runIndex(knowledge)).toMatchObject({
    unchanged: 1,
    removed: 1,
    broken: [{ source: "a.md", reason: "it is not UTF-8" }],
  });
  const { ask, search } = openKnowledgeSearch({ ...knowledge, recheckMs: 3_600_000 });
  await search.refresh();
  expect(await ask("lamp")).toEqual([]);
  await knowledge.write("a.md", "a lamp again");
  expect(await runIndex(knowledge)).toMatchObject({ indexed: 1, broken: [] });
  expect(await ask("lamp")).toEqual(["a.md#1"]);
});

test("a namespace disappears with its last page", async () => {
  const knowledge = await createKnowledge({ "a.md": "---\nnamespace: inner\n---\nwords", "b.md": "words" });
  await runIndex(knowledge);
  await knowledge.remove("a.md");
  await runIndex(knowledge);
  expect((await inspect(knowledge)).models).toEqual([["__default__", "built-in-hashed-256", 1]]);
});

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
      check: "ok",
      pages: pageCount,
      counts: [[pageCount * 2, pageCount * 2, pageCount * 2]],
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
    expect(await inspect(knowledge)).toMatchObject({ check: "ok", pages: pageCount });
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

test("a run that waits for another process can be stopped", async () => {
  const knowledge = await createKnowledge({ "a.md": "words" });
  const holder = openSearchDatabase({ file: searchFile(knowledge.dataDir) });
  expect(await holder.takeLock()).toBe(true);
  const stop = new AbortController();
  const waiting = runIndex({ ...knowledge, signal: stop.signal, onWait: () => stop.abort() });
  await expect(waiting).rejects.toThrow();
  await holder.releaseLock();
  await holder.close();
  expect(await runIndex(knowledge)).toMatchObject({ indexed: 1 });
});

function modelOf(model: string, dimension: number): Embedder & { asked: string[] } {
  const hashed = createHashedEmbedder({ dimension });
  const asked: string[] = [];
  return {
    ...hashed,
    model,
    asked,
    embed(call) {
      asked.push(...call.texts);
      return hashed.embed(call);
    },
  };
}

test("another model embeds everything again, and the old one answers until that is done", async () => {
  const knowledge = await createKnowledge({ "a.md": "a lamp", "b.md": "a door" });
  const [old, next] = [modelOf("old", 64), modelOf("next", 128)];
  await runIndex({ ...knowledge, embedder: old });
  const stop = new AbortController();
  const cutShort: Embedder = {
    ...next,
    async embed(call) {
      if (next.asked.length === 1) stop.abort();
      call.signal?.throwIfAborted();
      return next.embed(call);
    },
  };
  await expect(runIndex({ ...knowledge, embedder: cutShort, signal: stop.signal })).rejects.toThrow();
  expect((await inspect(knowledge)).models).toEqual([
    ["__default__", "old", 1],
    ["__default__", "next", 0],
  ]);

  const findEmbedder = (model: string) => [old, next].find((its) => its.model === model) ?? null;
  const idle = { ...knowledge, embedder: old, findEmbedder, contentDir: knowledge.contentDir };
  const { find, search } = openKnowledgeSearch({ ...idle, embedder: next });
  old.asked.length = next.asked.length = 0;
  await search.refresh();
  // Taken up where it ended: one of the two pages was done.
  expect(next.asked).toHaveLength(1);
  expect((await inspect(knowledge)).models).toEqual([["__default__", "next", 1]]);
  expect((await find({ query: "a lamp" })).map(({ id }) => id)).toEqual(["a.md#1"]);
  expect(next.asked.at(-1)).toBe("a lamp");
  expect(old.asked).toEqual([]);
});

test("a question is embedded by its namespace's model, and answered by words without one", async () => {
  const knowledge = await createKnowledge({ "a.md": "a lamp" });
  const old = modelOf("old", 64);
  await runIndex({ ...knowledge, embedder: old });
  const next = modelOf("next", 128);
  const failing: Embedder = { ...next, embed: () => Promise.reject(new Error("away")) };
  const findEmbedder = (model: string) => (model === "old" ? old : null);
  const opened = openKnowledgeSearch({ ...knowledge, embedder: failing, findEmbedder });
  old.asked.length = 0;
  expect(await opened.ask("lamp")).toEqual(["a.md#1"]);
  expect(old.asked).toEqual(["lamp"]);
  await opened.search.refresh();
  expect(opened.warnings.join()).toContain("the previous index stays in use");

  const without = openKnowledgeSearch({ ...knowledge, embedder: failing, findEmbedder: () => null });
  expect(await without.ask("lamp")).toEqual(["a.md#1"]);
});

test("vectors of a model that changes its dimension under the same name are not mixed", async () => {
  const knowledge = await createKnowledge({ "a.md": "a lamp" });
  await runIndex({ ...knowledge, embedder: modelOf("m", 64) });
  await knowledge.write("b.md", "a door");
  const grown = modelOf("m", 128);
  await expect(runIndex({ ...knowledge, embedder: grown })).rejects.toThrow(/--rebuild/);
  expect(await runIndex({ ...knowledge, embedder: grown, rebuild: true })).toMatchObject({ indexed: 2 });
});

test("questions are answered while another connection writes", async () => {
  const knowledge = await createKnowledge(manyPages());
  await runIndex(knowledge);
  const { ask } = openKnowledgeSearch(knowledge);
  let isDone = false;
  const rebuilding = runIndex({
    ...knowledge,
    rebuild: false,
    embedder: modelOf("n", 32),
  });
  const asking = (async () => {
    let answers = 0;
    while (!isDone) {
      expect((await ask("number7"))[0]).toMatch(/^p07\.md/);
      answers += 1;
      await pause(1);
    }
    return answers;
  })();
  await rebuilding.finally(() => (isDone = true));
  expect(await asking).toBeGreaterThan(0);
});
