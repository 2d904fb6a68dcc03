import { expect, test } from "vitest";
import { createKnowledge, openKnowledgeSearch } from "~e2e/support/search/knowledge";
import { createWordEmbedder } from "~e2e/support/search/word-embedder";
import type { Audience, Reader } from "~/knowledge/knowledge-page";

const pageFor = (audience: string, text: string, namespace = "__default__") =>
  `---\naudience: ${audience}\nnamespace: ${namespace}\n---\n${text}`;

const lamps = {
  "everyone.md": pageFor("everyone", "A lamp in the hall"),
  "holders.md": pageFor("holders", "A lamp in the room"),
  "operators.md": pageFor("operators", "A lamp in the office"),
  "unknown.md": pageFor("friends", "A lamp in the garden"),
  "unmarked.md": "A lamp in the attic",
};

test.each<[Reader, Reader, string[]]>([
  ["everyone", "holders", ["everyone.md"]],
  ["everyone", "everyone", ["everyone.md", "unmarked.md"]],
  ["holders", "holders", ["everyone.md", "holders.md", "unmarked.md"]],
  ["holders", "everyone", ["everyone.md", "holders.md", "unmarked.md"]],
])("of pages, %s find, where unmarked ones are for %s: %j", async (reader, defaultAudience, sources) => {
  const embedder = createWordEmbedder();
  for (const choice of [{}, { embedder }]) {
    const knowledge = await createKnowledge(lamps);
    const { find, warnings } = openKnowledgeSearch({ ...knowledge, ...choice, defaultAudience });
    const found = await find({ query: "lamp", topK: 100, reader });
    expect(found.map(({ metadata }) => metadata.source).sort()).toEqual(sources);
    expect(warnings).toEqual([
      "knowledge page omitted: unknown.md: its audience is none of everyone, holders, operators",
    ]);
  }
});

test("pages for others leave no trace in scores, ranks, guessed words and namespaces", async () => {
  const open: Record<string, string> = Object.fromEntries(
    Array.from({ length: 12 }, (_, index) => [
      `p${index}.md`,
      pageFor("everyone", `# Page ${index}\n\nA lamp and ${"oil ".repeat(index)} wick.`),
    ]),
  );
  const hidden: Record<string, string> = Object.fromEntries(
    (["holders", "operators"] satisfies Audience[]).flatMap((audience) => [
      [`p3-${audience}.md`, pageFor(audience, "Oil, oil and the crystal chandelier")],
      [`in-${audience}.md`, pageFor(audience, "A lamp", `of-${audience}`)],
    ]),
  );
  const told = [];
  for (const pages of [open, { ...open, ...hidden }]) {
    const { search, find } = openKnowledgeSearch(await createKnowledge(pages));
    const asked = ["lamp oil", "oil", "chandelier", "chandelir", "cryst"];
    const answers = [];
    for (const query of asked) answers.push(await find({ query, topK: 100, reader: "everyone" }));
    const question = {
      query: "lamp",
      index: "knowledge",
      reader: "everyone",
      topK: 5,
    } as const;
    for (const namespace of ["of-holders", "of-operators", "never"]) {
      answers.push(await search.hasPublicPages({ ...question, namespace }));
      answers.push(await find({ query: "lamp", namespace, reader: "everyone" }));
    }
    told.push(answers);
  }
  expect(told[1]).toEqual(told[0]);
  expect(told[0]!.slice(5)).toEqual([false, [], false, [], false, []]);
});

test("a page whose audience narrows is gone for the others before the next answer", async () => {
  const embedder = createWordEmbedder();
  const knowledge = await createKnowledge({ "a.md": pageFor("everyone", "A lamp"), "b.md": "An oar" });
  let isAway = false;
  const search = openKnowledgeSearch({
    ...knowledge,
    recheckMs: 0,
    embedder: {
      ...embedder,
      embed: (call) => (isAway ? Promise.reject(new Error("away")) : embedder.embed(call)),
    },
  });
  const sources = async (reader: Reader) =>
    (await search.find({ query: "lamp", reader })).map(({ metadata }) => metadata.source);
  expect([await sources("everyone"), await sources("holders")]).toEqual([["a.md"], ["a.md", "b.md"]]);
  isAway = true;
  await knowledge.write("a.md", pageFor("holders", "A lamp"));
  expect([await sources("everyone"), await sources("holders")]).toEqual([[], ["a.md"]]);
  await knowledge.write("a.md", pageFor("operators", "A lamp"));
  expect(await sources("holders")).toEqual([]);
});

test("where pages were for everyone by default and no longer are, only those marked for everyone are found", async () => {
  const embedder = createWordEmbedder();
  const knowledge = await createKnowledge({ "a.md": "A lamp", "b.md": pageFor("everyone", "A lamp too") });
  const before = openKnowledgeSearch({ ...knowledge, embedder, defaultAudience: "everyone" });
  expect(await before.find({ query: "lamp", reader: "everyone" })).toHaveLength(2);
  await before.search.stop();
  const away = { ...embedder, embed: () => Promise.reject(new Error("away")) };
  const after = openKnowledgeSearch({ ...knowledge, embedder: away });
  expect((await after.find({ query: "lamp", reader: "everyone" })).map(({ id }) => id)).toEqual(["b.md#1"]);
});

test("a page that two kinds of readers may find is embedded once", async () => {
  const embedder = createWordEmbedder();
  const texts: string[] = [];
  const { find } = openKnowledgeSearch({
    ...(await createKnowledge({ "a.md": pageFor("everyone", "A lamp") })),
    embedder: {
      ...embedder,
      embed: (call) => {
        texts.push(...call.texts);
        return embedder.embed(call);
      },
    },
  });
  await find({ query: "lamp" });
  expect(texts).toEqual(["a\na\nA lamp", "lamp"]);
});
