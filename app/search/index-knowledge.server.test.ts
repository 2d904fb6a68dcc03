import { readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { expect, test } from "vitest";
import { createKnowledge, listVectors, manyPages, openKnowledgeSearch } from "~e2e/support/search/knowledge";
import { runIndex } from "~e2e/support/search/run-index";
import { makeText } from "~e2e/support/search/made-up-text";
import { createWordEmbedder } from "~e2e/support/search/word-embedder";
import type { Embedder } from "~/platform/providers/provider-embedder.gateway.server";
import { parseKnowledgePage } from "~/knowledge/knowledge-page";
import { createSearchIndex } from "./search-index.server";
import { takeLock } from "./vectors.store.server";

function modelOf(model: string, dimension = 64): Embedder & { asked: string[] } {
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

const threePages = { "a.md": "lamp", "b.md": "door\n\n# H\n\nwindow", "c.md": "oar" };

test("only new and changed passages are embedded, and progress is reported", async () => {
  const knowledge = await createKnowledge(threePages);
  const model = modelOf("m");
  const seen: string[] = [];
  const first = await runIndex({
    ...knowledge,
    embedder: model,
    onProgress: ({ done, total, source }) => seen.push(`${done}/${total} ${source}`),
  });
  expect(first).toEqual({
    indexed: 3,
    removed: 0,
    passages: 4,
    embedded: 4,
    readers: { everyone: 0, holders: 3 },
    broken: [],
  });
  expect(seen).toEqual(["0/4 a.md#1", "4/4 "]);
  model.asked.length = 0;
  await knowledge.write("b.md", "door\n\n# H\n\nwindows changed");
  await knowledge.write("renamed/c.md", "# c\n\noar");
  await knowledge.remove("c.md");
  expect(await runIndex({ ...knowledge, embedder: model })).toMatchObject({ indexed: 3, embedded: 1 });
  expect(model.asked).toEqual(["H\nH\nwindows changed"]);
  expect(await runIndex({ ...knowledge, embedder: model })).toMatchObject({ embedded: 0 });
  expect(await runIndex({ ...knowledge, embedder: model, rebuild: true })).toMatchObject({ embedded: 4 });
});

test("a page that breaks is no longer found and is reported, and comes back when it is fixed", async () => {
  const knowledge = await createKnowledge({ "a.md": "a lamp", "b.md": "a door" });
  const reports: unknown[] = [];
  const note = (fields: unknown) => void reports.push(fields);
  const { ask } = openKnowledgeSearch({ ...knowledge, recheckMs: 0, log: { info: note, warn: note } });
  expect(await ask("lamp")).toEqual(["a.md#1"]);
  await knowledge.write("a.md", new Uint8Array([0xff, 0xfe]));
  expect(await ask("lamp")).toEqual([]);
  await knowledge.write("a.md", "a lamp again");
  expect(await ask("lamp")).toEqual(["a.md#1"]);
  expect(reports).toMatchObject([
    { indexed: 2, removed: 0 },
    { source: "a.md", reason: "it is not UTF-8" },
    { indexed: 0, removed: 1 },
    { indexed: 1, removed: 0 },
  ]);
});

test("a namespace disappears with its last page", async () => {
  const knowledge = await createKnowledge({ "a.md": "---\nnamespace: inner\n---\nwords", "b.md": "words" });
  const { search } = openKnowledgeSearch({ ...knowledge, recheckMs: 0 });
  expect(await search.listNamespaces()).toEqual(["__default__", "inner"]);
  await knowledge.remove("a.md");
  expect(await search.listNamespaces()).toEqual(["__default__"]);
});

test("a run that waits for another process can be stopped", async () => {
  const knowledge = await createKnowledge({ "a.md": "words" });
  const release = await takeLock(knowledge.dataDir);
  const stop = new AbortController();
  const embedder = modelOf("m");
  const waiting = runIndex({ ...knowledge, embedder, signal: stop.signal, onWait: () => stop.abort() });
  await expect(waiting).rejects.toThrow();
  release!();
  expect(await runIndex({ ...knowledge, embedder })).toMatchObject({ embedded: 1 });
});

test("another model embeds everything again, and a run that was cut short is resumed", async () => {
  const knowledge = await createKnowledge(manyPages());
  const [old, next] = [modelOf("old", 64), modelOf("next", 128)];
  await runIndex({ ...knowledge, embedder: old });
  expect(await listVectors(knowledge)).toEqual([{ dimension: 64, vectors: 80 }]);
  const stop = new AbortController();
  const cutShort: Embedder = {
    ...next,
    async embed(call) {
      if (next.asked.length > 0) stop.abort();
      call.signal?.throwIfAborted();
      return next.embed(call);
    },
  };
  await expect(runIndex({ ...knowledge, embedder: cutShort, signal: stop.signal })).rejects.toThrow();
  expect(await listVectors(knowledge)).toEqual([{ dimension: 128, vectors: 64 }]);
  old.asked.length = next.asked.length = 0;
  const { ask, search } = openKnowledgeSearch({ ...knowledge, embedder: next });
  await search.refresh();
  expect(next.asked).toHaveLength(16);
  expect(await listVectors(knowledge)).toEqual([{ dimension: 128, vectors: 80 }]);
  expect((await ask("number7"))[0]).toMatch(/^p07\.md/);
  expect(next.asked.at(-1)).toBe("number7");
  expect(old.asked).toEqual([]);
});

test("a question is answered by words while the model is unreachable", async () => {
  const knowledge = await createKnowledge({ "a.md": "a lamp" });
  const failing: Embedder = { ...modelOf("m"), embed: () => Promise.reject(new Error("away")) };
  const { ask, search, warnings } = openKnowledgeSearch({ ...knowledge, embedder: failing });
  expect(await ask("lamp")).toEqual(["a.md#1"]);
  await search.refresh();
  expect(warnings.join()).toContain("the previous index stays in use");
});

test("vectors that another process made are taken over once the pause after a failure is over", async () => {
  const knowledge = await createKnowledge({ "a.md": "a lamp" });
  const embedder = modelOf("m");
  let [isAway, nowMs] = [true, 0];
  const away: Embedder = {
    ...embedder,
    embed: (call) => (isAway ? Promise.reject(new Error("away")) : embedder.embed(call)),
  };
  const { find, search } = openKnowledgeSearch({ ...knowledge, embedder: away, clock: () => nowMs });
  await search.refresh();
  await runIndex({ ...knowledge, embedder });
  isAway = false;
  nowMs = 30_000;
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
  expect(await runIndex({ ...knowledge, embedder: grown, rebuild: true })).toMatchObject({ embedded: 2 });
  expect(await listVectors(knowledge)).toEqual([{ dimension: 128, vectors: 2 }]);
});

test("an unfinished row is cut off, unused rows go, and so do the files of earlier versions", async () => {
  const knowledge = await createKnowledge(threePages);
  const embedder = modelOf("m", 2);
  await runIndex({ ...knowledge, embedder });
  const [name = ""] = (await readdir(knowledge.dataDir)).filter((its) => its.endsWith(".f32"));
  const file = path.join(knowledge.dataDir, name);
  const whole = await readFile(file);
  await writeFile(file, Buffer.concat([whole, whole.subarray(0, 37)]));
  await writeFile(path.join(knowledge.dataDir, "search.db-wal"), "tables");
  expect(await runIndex({ ...knowledge, embedder })).toMatchObject({ embedded: 0 });
  expect(await readFile(file)).toEqual(whole);
  await knowledge.remove("b.md");
  await knowledge.remove("c.md");
  await runIndex({ ...knowledge, embedder });
  expect(await readFile(file)).toEqual(whole.subarray(0, 40));
  expect((await readdir(knowledge.dataDir)).sort()).toEqual([name, "search.lock"]);
});

test("a text that says nothing is asked for once, and found by words", async () => {
  const knowledge = await createKnowledge({ "a.md": "a lamp", "the.md": "the of" });
  const embedder = modelOf("m");
  const { ask, search } = openKnowledgeSearch({ ...knowledge, embedder, recheckMs: 0 });
  await search.refresh();
  await search.refresh();
  expect(embedder.asked).toHaveLength(2);
  expect((await ask("lamp"))[0]).toBe("a.md#1");
});

test("questions are answered while passages are embedded", async () => {
  const knowledge = await createKnowledge(manyPages());
  const ofWords = modelOf("n", 32);
  let pauseMs = 0;
  const embedder: Embedder = {
    ...ofWords,
    async embed(call) {
      if (call.texts.length > 1) await pause(pauseMs);
      return await ofWords.embed(call);
    },
  };
  const { ask, search } = openKnowledgeSearch({ ...knowledge, embedder, recheckMs: 0 });
  await search.refresh();
  pauseMs = 500;
  await knowledge.write("new.md", "A lighthouse\n\n# More\n\nIts keeper");
  let isDone = false;
  const embedding = search.refresh().finally(() => (isDone = true));
  expect(await ask("lighthouse")).toContain("new.md#1");
  expect(isDone).toBe(false);
  await embedding;
  expect(await listVectors(knowledge)).toEqual([{ dimension: 32, vectors: 82 }]);
});

test("a page of many passages is added and removed in pieces, and other requests have their turn between them", async () => {
  const text = Array.from({ length: 500 }, (_, at) => `## Section ${at}\n\n${makeText(at)}`).join("\n\n");
  const index = createSearchIndex("everyone");
  let turns = 0;
  const timer = setInterval(() => (turns += 1), 0);
  for (const work of [
    () => index.add(parseKnowledgePage("long.md", text), "1"),
    () => index.remove("long.md"),
  ]) {
    turns = 0;
    const begunAt = performance.now();
    await work();
    // A piece takes 4 ms, and the last passage in it a little more.
    expect(turns).toBeGreaterThan((performance.now() - begunAt) / 50);
  }
  clearInterval(timer);
});
