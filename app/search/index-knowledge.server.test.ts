import { utimes } from "node:fs/promises";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { expect, test } from "vitest";
import { createKnowledge, inspect, manyPages, openKnowledgeSearch, runIndex } from "~e2e/support/knowledge";
import { createWordEmbedder } from "~e2e/support/word-embedder";
import type { Embedder } from "./embedder";
import { createSearchFiles } from "./search-files.store.server";

test("only new and changed pages are indexed, removed ones deleted, and progress reported", async () => {
  const knowledge = await createKnowledge({ "a.md": "one", "b.md": "two\n\n# H\n\nthree", "c.md": "four" });
  const seen: string[] = [];
  const first = await runIndex({
    ...knowledge,
    onProgress: ({ done, total, source }) => seen.push(`${done}/${total} ${source}`),
  });
  expect(first).toEqual({
    indexed: 3,
    unchanged: 0,
    removed: 0,
    passages: 4,
    readers: { everyone: 0, holders: 3 },
    broken: [],
  });
  expect(seen).toEqual(["0/3 a.md", "1/3 b.md", "2/3 c.md", "3/3 "]);

  await knowledge.write("a.md", "one changed");
  await knowledge.remove("c.md");
  await utimes(path.join(knowledge.folder, "b.md"), 1, 1);
  expect(await runIndex(knowledge)).toEqual({
    indexed: 1,
    unchanged: 1,
    removed: 1,
    passages: 1,
    readers: { everyone: 0, holders: 2 },
    broken: [],
  });
  expect(await runIndex(knowledge)).toMatchObject({ indexed: 0, unchanged: 2, removed: 0 });
  expect(await inspect(knowledge)).toMatchObject({ pages: 2, passages: 3, vectors: 0 });
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
  const { ask, search } = openKnowledgeSearch({ ...knowledge, recheckMs: 0 });
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
  expect(await inspect(knowledge)).toMatchObject({ namespaces: ["__default__"] });
});

test("a run that waits for another process can be stopped", async () => {
  const knowledge = await createKnowledge({ "a.md": "words" });
  const release = await createSearchFiles(knowledge.dataDir).takeLock();
  const stop = new AbortController();
  const waiting = runIndex({ ...knowledge, signal: stop.signal, onWait: () => stop.abort() });
  await expect(waiting).rejects.toThrow();
  release!();
  expect(await runIndex(knowledge)).toMatchObject({ indexed: 1 });
});

function modelOf(model: string, dimension: number): Embedder & { asked: string[] } {
  const ofWords = createWordEmbedder({ dimension });
  const asked: string[] = [];
  return {
    ...ofWords,
    model,
    asked,
    embed(call) {
      asked.push(...call.texts);
      return ofWords.embed(call);
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
  expect(await inspect(knowledge)).toMatchObject({ model: "next", pages: 1 });

  const { ask, search } = openKnowledgeSearch({ ...knowledge, embedder: next });
  old.asked.length = next.asked.length = 0;
  await search.refresh();
  // Taken up where it ended: one of the two pages was done.
  expect(next.asked).toHaveLength(1);
  expect(await inspect(knowledge)).toMatchObject({ model: "next", pages: 2, vectors: 2 });
  expect((await ask("a lamp"))[0]).toBe("a.md#1");
  expect(next.asked.at(-1)).toBe("a lamp");
  expect(old.asked).toEqual([]);
});

test("a question is embedded by its namespace's model, and answered by words without one", async () => {
  const knowledge = await createKnowledge({ "a.md": "a lamp" });
  const old = modelOf("old", 64);
  await runIndex({ ...knowledge, embedder: old });
  const opened = openKnowledgeSearch({ ...knowledge, embedder: old });
  old.asked.length = 0;
  expect(await opened.ask("lamp")).toEqual(["a.md#1"]);
  expect(old.asked).toEqual(["lamp"]);

  const next = modelOf("next", 128);
  const failing: Embedder = { ...next, embed: () => Promise.reject(new Error("away")) };
  const changed = openKnowledgeSearch({ ...knowledge, embedder: failing });
  expect(await changed.ask("lamp")).toEqual(["a.md#1"]);
  await changed.search.refresh();
  expect(changed.warnings.join()).toContain("the previous index stays in use");
});

test("without a model words alone answer, also from an index that a model has made, until it is rebuilt", async () => {
  const knowledge = await createKnowledge({ "a.md": "a lamp" });
  await runIndex({ ...knowledge, embedder: modelOf("old", 64) });
  const { ask, search } = openKnowledgeSearch(knowledge);
  expect(await ask("lamp")).toEqual(["a.md#1"]);
  await search.refresh();
  expect(await inspect(knowledge)).toMatchObject({ model: "", passages: 1, vectors: 0 });
  expect(await ask("lamp")).toEqual(["a.md#1"]);
});

test("vectors that another process made are taken over without a change in the folder", async () => {
  const knowledge = await createKnowledge({ "a.md": "a lamp" });
  const embedder = modelOf("m", 64);
  let isAway = true;
  const away: Embedder = {
    ...embedder,
    embed: (call) => (isAway ? Promise.reject(new Error("away")) : embedder.embed(call)),
  };
  const { find, search } = openKnowledgeSearch({ ...knowledge, embedder: away, clock: () => 0 });
  await search.refresh();
  await runIndex({ ...knowledge, embedder });
  isAway = false;
  expect(await find({ query: "lamp a" })).toMatchObject([{ score: 1 }]);
  await search.refresh();
  embedder.asked.length = 0;
  expect(await find({ query: "lamp a" })).toMatchObject([{ score: 1 }]);
  expect(embedder.asked).toEqual(["lamp a"]);
});

test("vectors of a model that changes its dimension under the same name are not mixed", async () => {
  const knowledge = await createKnowledge({ "a.md": "a lamp" });
  await runIndex({ ...knowledge, embedder: modelOf("m", 64) });
  await knowledge.write("b.md", "a door");
  const grown = modelOf("m", 128);
  await expect(runIndex({ ...knowledge, embedder: grown })).rejects.toThrow(/--rebuild/);
  expect(await runIndex({ ...knowledge, embedder: grown, rebuild: true })).toMatchObject({ indexed: 2 });
});

test("questions are answered while an index is made", async () => {
  const knowledge = await createKnowledge(manyPages());
  const { ask, search } = openKnowledgeSearch({ ...knowledge, recheckMs: 0 });
  await search.refresh();
  let isDone = false;
  const rebuilding = runIndex({ ...knowledge, embedder: modelOf("n", 32) });
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
