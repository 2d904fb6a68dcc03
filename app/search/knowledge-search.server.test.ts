import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { createTestDir } from "~e2e/support/databases/database";
import { demoContent } from "~e2e/support/demo-content";
import type { Embedder } from "~/platform/providers/provider-embedder.gateway.server";
import { createKnowledge, openKnowledgeSearch } from "~e2e/support/search/knowledge";
import { createWordEmbedder } from "~e2e/support/search/word-embedder";
import { growthOf, linearGrowth } from "~e2e/support/measure/growth";
import { toSearchWords } from "~/knowledge/search-words";

async function open(pages: Record<string, string | Uint8Array>) {
  const knowledge = await createKnowledge(pages);
  return { ...knowledge, ...openKnowledgeSearch(knowledge) };
}

test("passages are found by their words, best first, with what is needed to quote and open them", async () => {
  const { find } = await open({
    "gate.md":
      "---\ntitle: The gate\nyear: 2024\n---\n# The gate\n\nIt opens for holders.\n\n## Opening hours\n\nAlways open.",
    "form.md": "# The form\n\nSend it once.",
  });
  const matches = await find({ query: "When does it open?" });
  expect(matches[0]).toEqual({
    id: "gate.md#2",
    score: 1,
    metadata: {
      title: "The gate",
      heading: "Opening hours",
      anchor: "opening-hours",
      source: "gate.md",
      text: "Always open.",
      year: 2024,
    },
  });
  expect(matches.map(({ metadata }) => metadata.source)).not.toContain("form.md");
  expect(await find({ query: "When does it open?", topK: 1 })).toEqual(matches.slice(0, 1));
});

test("one common word in an unrelated question is no match", async () => {
  const { ask } = await open({
    "a.md":
      "# Keys\n\nA key opens the room.\n\n## More\n\nThe key is used once.\n\n## Wallets\n\nA wallet holds a key.",
  });
  expect(await ask("How do I bake a key lime pie with cream?")).toEqual([]);
  expect(await ask("the of and")).toEqual([]);
  expect((await ask("wallet"))[0]).toBe("a.md#3");
});

test("other forms of a word, missing accents, mixed spellings, misspellings and unspaced scripts match", async () => {
  const { ask } = await open({
    "a.md": "# A\n\nMemberships are renewed.",
    "b.md": "# B\n\nDer Schlüssel öffnet.",
    "c.md": "# C\n\nUse erc1155 here.",
    "d.md": "# D\n\n鍵を持っている人",
  });
  expect(await ask("renewing a membership")).toEqual(["a.md#1"]);
  expect(await ask("schlussel")).toEqual(["b.md#1"]);
  expect(await ask("ERC-1155")).toEqual(["c.md#1"]);
  expect(await ask("持っている")).toEqual(["d.md#1"]);
  expect(await ask("membreships")).toEqual(["a.md#1"]);
});

test("pronouns and contractions, with either apostrophe or without, say nothing of what a question is about", () => {
  expect(toSearchWords("I can't renew, it won’t renew, cant he renew")).toEqual(["renew", "renew", "renew"]);
});

test("the words of a text with a long run of marks take time proportional to its length", () => {
  const read = (chars: number) => toSearchWords(`key${"\u0316\u0301".repeat(chars / 2)}s`);
  expect(read(4)).toEqual(["key"]);
  expect(growthOf(read, 16_000)).toBeLessThan(linearGrowth);
});

test.each(["\ufdfa", "\u3316", "한국어", "a1", "ﬃ", "鍵"])(
  "the words of %s are at most twice as long as the text",
  (sign) => {
    const text = `${sign.repeat(5)} `.repeat(50);
    const words = toSearchWords(text);
    expect(words.length).toBeGreaterThan(0);
    expect(words.join("").length).toBeLessThanOrEqual(text.length * 2);
  },
);

test("words of a script that is written by syllables are whole, however they are spelt", () => {
  for (const form of ["NFC", "NFD"]) expect(toSearchWords("열쇠".normalize(form))).toEqual(["열쇠"]);
});

test("words that a page's front matter gives as synonyms find the passages that hold the page's own word", async () => {
  const { ask } = await open({
    "a.md":
      "---\nsynonyms: [back-up = dump snapshot, manual]\n---\n# A\n\n## One\n\nMake a back-up.\n\n## Two\n\nA lamp.",
  });
  expect(await ask("snapshots")).toEqual(["a.md#1"]);
  expect((await ask("manual")).sort()).toEqual(["a.md#1", "a.md#2"]);
});

test("only a word that no passage holds is completed or corrected", async () => {
  const { ask } = await open({
    "a.md": "# A\n\nThe configuration of metrics.",
    "b.md": "# B\n\nThe config of metric lamps.",
    "c.md": "# C\n\nA wallet of 1155.",
  });
  expect(await ask("config")).toEqual(["b.md#1"]);
  expect((await ask("configur"))[0]).toBe("a.md#1");
  expect(await ask("walelt")).toEqual(["c.md#1"]);
  expect(await ask("1156")).toEqual([]);
});

test("ten thousand words, known and unknown, cost no more than the first of them", async () => {
  const words = Array.from(
    { length: 3_000 },
    (_, index) => `lantern${String.fromCodePoint(0x4e00 + index)}b`,
  );
  const { ask } = await open({
    "a.md": "# Keys\n\nA key opens the room.",
    "b.md": `# B\n\n${words.join(" ")}`,
  });
  await ask("key");
  const begunAt = performance.now();
  const many = Array.from(
    { length: 10_000 },
    (_, index) => `lanter${index.toString(26).replace(/\d/g, "q")}`,
  );
  expect(await ask(`key ${many.join(" ")}`)).toEqual(expect.any(Array));
  expect(performance.now() - begunAt).toBeLessThan(5_000);
});

test.each([
  ["begins", "completed", "lantern"],
  ["is close to", "corrected", "lanternqqqax"],
])(
  "a word that %s more of the shelf's words than a question may cost is not %s",
  async (_how, _what, question) => {
    const letters = (value: number) =>
      String.fromCodePoint(...[676, 26, 1].map((unit) => 97 + (Math.floor(value / unit) % 26)));
    const words = Array.from({ length: 60 }, (_, index) => `lanternqqq${letters(index * 7)}`).join(" ");
    const askAmong = async (sections: number) => {
      const texts = Array.from({ length: sections }, (_, index) => `## Part ${index}\n\n${words}`);
      return await (await open({ "a.md": `# A\n\n${texts.join("\n\n")}` })).ask(question);
    };
    expect(await askAmong(10)).not.toEqual([]);
    expect(await askAmong(200)).toEqual([]);
  },
);

test.each([
  ['" OR 1=1 --'],
  ["title:key AND (NEAR(a b) NOT c*)"],
  ['"""'],
  ["key'); DROP TABLE pages; --"],
  ["^key* -x {title}: +"],
  ["a\0b key"],
  ["\uD800 \uDFFF"],
  ["🔑🗝️"],
  ["the and of"],
  ["x".repeat(1_000)],
  [Array.from({ length: 250 }, (_, index) => `w${index}`).join(" ")],
  ["🗝".repeat(500)],
  ["% _ \\ / $ ` ; :"],
  ["constructor __proto__ toString"],
])("the query %j is searched as plain words", async (query) => {
  const { ask, find } = await open({ "a.md": "# Keys\n\nA key opens the room." });
  await expect(find({ query })).resolves.toBeInstanceOf(Array);
  expect(await ask("key")).toEqual(["a.md#1"]);
});

test("namespaces are kept apart by their exact names", async () => {
  const { find, ask, search } = await open({ "a.md": "---\nnamespace: inner\n---\nA secret garden" });
  await search.refresh();
  expect(await ask("garden")).toEqual([]);
  expect((await find({ query: "garden", namespace: "inner" })).map(({ metadata }) => metadata.title)).toEqual(
    ["a"],
  );
  for (const namespace of ["__proto__", "Inner", "inner ", "inner\0"]) {
    expect(await ask("garden", namespace)).toEqual([]);
  }
  expect(await search.listNamespaces()).toEqual(["__default__", "inner"]);
});

test("gated documents do not influence public scores and ranks", async () => {
  const pages = Object.fromEntries(
    Array.from({ length: 12 }, (_, index) => [
      `p${index}.md`,
      `# Page ${index}\n\nA lamp and ${"oil ".repeat(index)} wick.`,
    ]),
  );
  const gated = Object.fromEntries(
    Array.from({ length: 30 }, (_, index) => [
      `inner/g${index}.md`,
      `---\nnamespace: inner\n---\n# Lamp\n\nlamp wick oil lamp secret${index}`,
    ]),
  );
  const [plain, mixed] = [await open(pages), await open({ ...pages, ...gated })];
  for (const query of ["lamp", "oil wick", "secret3", "lamp secret", "page 4"]) {
    const found = await mixed.find({ query, topK: 100 });
    expect(found).toEqual(await plain.find({ query, topK: 100 }));
    expect(found.every(({ metadata }) => !String(metadata.source).startsWith("inner/"))).toBe(true);
  }
});

test("a page that becomes gated is no longer public as soon as it is indexed", async () => {
  const { write, ask, search } = await open({ "a.md": "A garden", "b.md": "A lamp" });
  await search.refresh();
  expect(await ask("garden")).toEqual(["a.md#1"]);
  await write("a.md", "---\nnamespace: inner\n---\nA garden");
  await search.refresh();
  expect(await ask("garden")).toEqual([]);
  expect(await ask("garden", "inner")).toEqual(["a.md#1"]);
});

/** A model whose provider can fail, or return with vectors of another length. */
function createFickleEmbedder() {
  const ofWords = createWordEmbedder();
  const state = { fault: "none" as "none" | "away" | "dimension", calls: 0 };
  const embedder: Embedder = {
    ...ofWords,
    embed: async (request) => {
      state.calls += 1;
      if (state.fault === "away") throw new Error("The provider is away.");
      const vectors = await ofWords.embed(request);
      return state.fault === "dimension" ? vectors.map((vector) => vector && vector.slice(0, 8)) : vectors;
    },
  };
  return { embedder, state };
}

test.each(["away", "dimension"] as const)(
  "gated, removed and broken pages are not found even while the provider is at fault (%s)",
  async (fault) => {
    let nowMs = 0;
    const { embedder, state } = createFickleEmbedder();
    const knowledge = await createKnowledge({
      "a.md": "A garden",
      "b.md": "A lamp",
      "c.md": "A fountain",
      "d.md": "A statue",
    });
    const { ask, warnings } = openKnowledgeSearch({ ...knowledge, embedder, clock: () => nowMs });
    expect((await ask("garden"))[0]).toBe("a.md#1");
    expect((await ask("fountain"))[0]).toBe("c.md#1");

    state.fault = fault;
    await knowledge.write("a.md", "---\nnamespace: inner\n---\nA garden");
    await knowledge.remove("b.md");
    await knowledge.write("c.md", "---\nnamespace: [\n---\nA fountain");
    await knowledge.write("e.md", "A bench");
    nowMs += 1_000;
    // This includes the very first question after the pause.
    expect(await ask("garden")).toEqual([]);
    expect(await ask("lamp")).toEqual([]);
    expect(await ask("fountain")).toEqual([]);
    expect(await ask("statue")).toEqual(["d.md#1"]);
    await expect.poll(() => warnings).toContain("knowledge indexing failed; the previous index stays in use");

    // The removal doesn't wait for the provider's next request.
    await knowledge.remove("d.md");
    nowMs += 1_000;
    const { calls } = state;
    expect(await ask("statue")).toEqual([]);
    expect(state.calls - calls).toBeLessThanOrEqual(1);

    state.fault = "none";
    nowMs += 30_000;
    // An attempt may just have ended, so the next one is due after the pause.
    const askLater = async () => {
      nowMs += 1_000;
      return await ask("garden", "inner");
    };
    await expect.poll(askLater, { timeout: 10_000 }).toEqual(["a.md#1"]);
  },
);

test("added, changed and removed pages are noticed with the first question after the pause", async () => {
  let nowMs = 0;
  const knowledge = await createKnowledge({ "a.md": "old words" });
  const { search, ask } = openKnowledgeSearch({ ...knowledge, clock: () => nowMs, recheckMs: 1_000 });
  expect(await ask("old")).toEqual(["a.md#1"]);
  await knowledge.write("a.md", "newer words");
  await knowledge.write("b.md", "newer as well");
  nowMs = 999;
  await ask("newer");
  await knowledge.remove("a.md");
  nowMs = 1_000;
  await ask("newer");
  await search.refresh();
  expect(await ask("newer")).toEqual(["b.md#1"]);
  expect(await ask("old")).toEqual([]);
});

test("questions asked before there is an index wait for it and get the same answer", async () => {
  const { ask } = await open({ "a.md": "one page" });
  const answers = await Promise.all(Array.from({ length: 20 }, () => ask("page")));
  expect(answers).toEqual(Array.from({ length: 20 }, () => ["a.md#1"]));
});

test("questions that come together leave other requests their turn between them", async () => {
  const { find } = await open({ "a.md": "# Keys\n\nA key opens the room." });
  await find({ query: "key" });
  let [turns, isDone] = [0, false];
  const count = () => {
    turns += 1;
    if (!isDone) setImmediate(count);
  };
  setImmediate(count);
  await Promise.all(Array.from({ length: 20 }, () => find({ query: "key" })));
  isDone = true;
  expect(turns).toBeGreaterThanOrEqual(19);
});

test("pages indexed by another process are found, and not indexed again", async () => {
  const knowledge = await createKnowledge({ "a.md": "one page", "b.md": "another" });
  const ofWords = createWordEmbedder();
  const embedded: string[] = [];
  const embedder: Embedder = {
    ...ofWords,
    embed: (call) => {
      embedded.push(...call.texts);
      return ofWords.embed(call);
    },
  };
  const [first, second] = [
    openKnowledgeSearch({ ...knowledge, embedder }),
    openKnowledgeSearch({ ...knowledge, embedder }),
  ];
  await Promise.all([first.search.refresh(), second.search.refresh()]);
  expect(embedded).toHaveLength(2);
  expect((await second.ask("page"))[0]).toBe("a.md#1");
});

test("broken files are reported once and omitted, other kinds of file ignored", async () => {
  const { folder, ask, warnings, search } = await open({
    "good.md": "plain words",
    "notes.txt": "words in text",
    "page.html": "<title>T</title><script>words()</script><h2>Head</h2><p>words &amp; more</p>",
    "sub/deep.md": "deep words",
    "image.svg": "<svg>words</svg>",
    ".hidden.md": "words",
    "huge.md": "words ".repeat(200_000),
    "latin.md": new Uint8Array([0x77, 0x6f, 0x72, 0x64, 0x73, 0xe4]),
    "binary.txt": "words\0words",
    "empty.md": "---\ntitle: words\n---\n",
    "front.md": "---\nthis is no field\n---\nwords",
    "front.html": "---\nno field\n---\n<p>words</p>",
  });
  await mkdir(path.join(folder, "folder.md"));
  await search.refresh();
  expect(new Set(await ask("words"))).toEqual(
    new Set(["good.md#1", "notes.txt#1", "page.html#1", "sub/deep.md#1"]),
  );
  await writeFile(path.join(folder, "good.md"), "plain words again");
  await search.refresh();
  expect(warnings.sort()).toEqual([
    expect.stringContaining("binary.txt: it is not text"),
    expect.stringContaining("empty.md: it has no text"),
    expect.stringContaining("front.html: its front matter"),
    expect.stringContaining("front.md: its front matter"),
    expect.stringContaining("huge.md: it is larger than 1024 KiB"),
    expect.stringContaining("latin.md: it is not UTF-8"),
  ]);
});

test("a missing folder gives no matches and no error", async () => {
  const dir = await createTestDir();
  const { ask, warnings } = openKnowledgeSearch({
    contentDir: path.join(dir, "no"),
    dataDir: path.join(dir, "data"),
  });
  expect(await ask("anything")).toEqual([]);
  expect(warnings).toEqual([]);
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
  const { find } = openKnowledgeSearch({ contentDir: demoContent, dataDir: await createTestDir() });
  const [best] = await find({ query, topK: 3 });
  expect(best?.metadata.source).toBe(source);
});
