import { expect, test } from "vitest";
import { Refusal } from "~/platform/refusals/refusal";
import type { PassageMatch, SearchQuestion } from "~/search/search-store";
import { SearchUnavailable } from "~/search/search-store";
import { runTool } from "./run-tool.server";
import { createSearchTool, searchResultSchema } from "./search-tool";
import type { ToolCaller } from "./tool";
import { someKey } from "~e2e/support/key-kinds";

const match: PassageMatch = { id: "a.md#1", score: 1, metadata: { title: "A", text: "words", year: 2024 } };

type MakeToolOptions = {
  matches?: PassageMatch[] | Error;
  gatedNamespaces?: string[];
  /** The chain check's refusal. Undefined: the caller holds the key. */
  refusal?: Error;
  outage?: Error;
};

function makeTool({
  matches = [match],
  gatedNamespaces = ["inner", "never-filled"],
  refusal,
  outage,
}: MakeToolOptions = {}) {
  const asked: SearchQuestion[] = [];
  const done: string[] = [];
  const tool = createSearchTool({
    store: {
      vendor: "libsql",
      indexes: ["knowledge", "archive"],
      hasPublicPages: async ({ namespace }) => {
        done.push("look");
        if (outage) throw outage;
        return ["__default__", "news", "inner"].includes(namespace);
      },
      search: async (question) => {
        done.push("search");
        asked.push(question);
        if (matches instanceof Error) throw matches;
        return matches;
      },
    },
    gatedNamespaces,
    requireHolder: async ({ address, tokenId }) => {
      done.push(`ask for ${address} and ${tokenId}`);
      if (refusal) throw refusal;
    },
  });
  const run = ({ input, caller = null }: { input: unknown; caller?: ToolCaller }) =>
    runTool({
      tool,
      input,
      caller,
      signal: new AbortController().signal,
      log: { warn: () => undefined },
    });
  return { tool, asked, done, run };
}

const holder = { ...someKey, scopes: ["gate:read", "tools"] };

test("the search tool fills in its defaults and answers in the documented shape", async () => {
  const { run, asked } = makeTool();
  const answer = await run({ input: { query: " keys " } });
  expect(answer).toMatchObject({
    ok: true,
    output: {
      query: "keys",
      index: "knowledge",
      namespace: "__default__",
      topK: 5,
      matches: [{ id: "a.md#1", score: 1, metadata: { title: "A", text: "words", year: 2024 } }],
    },
  });
  expect(searchResultSchema.safeParse((answer as { output: unknown }).output).success).toBe(true);
  const bare = await run({ input: { query: "keys", topK: 100, includeMetadata: false, index: "archive" } });
  expect(bare).toMatchObject({ output: { index: "archive", topK: 100 } });
  expect((bare as { output: { matches: unknown } }).output.matches).toEqual([{ id: "a.md#1", score: 1 }]);
  expect(asked).toHaveLength(2);
});

test.each([
  [{ query: "x", topK: -1 }, /topK must be at least 1/],
  [{ query: "x", topK: 0 }, /topK must be at least 1/],
  [{ query: "x", topK: 101 }, /topK must be at most 100/],
  [{ query: "x", topK: 1e9 }, /topK must be at most 100/],
  [{ query: "x", topK: "5" }, /topK must be a whole number from 1 to 100, not text$/],
  [{ query: "x", topK: 1.5 }, /topK must be a whole number from 1 to 100$/],
  [{ query: "x", topK: null }, /topK must be a whole number from 1 to 100$/],
  [{ query: "x", topK: [] }, /topK must be a whole number from 1 to 100$/],
  [{}, /query: must be text: what to look for$/],
  [{ query: 7 }, /query: must be text: what to look for$/],
  [{ query: "" }, /query: must not be empty: say what to look for$/],
  [{ query: " " }, /query: must not be empty: say what to look for$/],
  [{ query: "x".repeat(1_001) }, /query: must be at most 1000 characters long$/],
  [{ query: "x", index: null }, /index: must be text/],
  [{ query: "x", index: "x".repeat(101) }, /index: must be at most 100 characters long$/],
  [{ query: "x", namespace: 7 }, /namespace: must be text/],
  [{ query: "x", includeMetadata: "yes" }, /includeMetadata: must be true or false$/],
  [{ query: "x", namespace: "" }, /namespace/],
  [{ query: "x", namespace: "a\0" }, /namespace/],
  [{ query: "x", filter: { $where: "1" } }, /filter: "\$where" is no operator/],
  [{ query: "x", filter: [] }, /filter/],
  [{ query: "x", other: 1 }, /other/],
])("%j is refused with the reason, and nothing is searched", async (input, words) => {
  const { run, done } = makeTool();
  expect(await run({ input })).toMatchObject({
    ok: false,
    errorText: expect.stringMatching(words) as string,
  });
  expect(done).toEqual([]);
});

test("values at the bounds are accepted", async () => {
  const { run } = makeTool();
  for (const input of [
    { query: "x", topK: 1 },
    { query: "x".repeat(1_000), topK: 100 },
    { query: "x", filter: {} },
    { query: "x", filter: { year: { $gte: 2020 } } },
  ]) {
    expect(await run({ input })).toMatchObject({ ok: true });
  }
});

test("an index that is not configured is named as such, with those that are", async () => {
  const { run, done } = makeTool();
  const answer = await run({ input: { query: "x", index: "other" } });
  expect(answer).toMatchObject({
    ok: false,
    errorText: expect.stringContaining("knowledge, archive") as string,
  });
  expect(done).toEqual([]);
});

test("a gated namespace, filled or not, and a missing one are refused alike, after the same work", async () => {
  const refusals = [];
  for (const namespace of ["inner", "never-filled", "unknown", "Inner", "inner ", "__proto__"]) {
    const { run, done } = makeTool();
    refusals.push(JSON.stringify([await run({ input: { query: "x", namespace } }), done]));
  }
  expect(new Set(refusals).size).toBe(1);
  expect(refusals[0]).toContain("signed in");
  expect(refusals[0]).toContain('["look"]');
});

test("a gated namespace answers a caller whose token may use tools, and no other", async () => {
  const input = { query: "x", namespace: "inner" };
  const { run } = makeTool();
  expect(await run({ input, caller: holder })).toMatchObject({ ok: true });
  expect(await run({ input, caller: { ...holder, scopes: ["gate:read", "chat"] } })).toMatchObject({
    ok: false,
    errorText: expect.stringMatching(/signed in/) as string,
  });
});

const goneAway = new Refusal("you-do-not-own-this-token", { detail: "This key is held by another wallet." });
const chainAway = new Refusal("chain-unavailable", { detail: "The blockchain could not be asked." });

test.each([
  ["whose key is gone", goneAway],
  ["whom the chain cannot be asked about", chainAway],
])("a caller %s finds nothing gated, and cannot tell it from a missing namespace", async (_who, refusal) => {
  const told = [];
  for (const namespace of ["inner", "never-filled", "unknown", "Inner"]) {
    const { run, done } = makeTool({ refusal });
    told.push(JSON.stringify([await run({ input: { query: "x", namespace }, caller: holder }), done]));
  }
  expect(new Set(told).size).toBe(1);
  expect(told[0]).toContain(refusal.detail);
  expect(told[0]).toContain('["ask for 0xabc and 7","look"]');
});

test("only a holder whose key was looked up is searched for as a holder", async () => {
  for (const namespace of ["__default__", "news", "inner"]) {
    const { run, done, asked } = makeTool();
    await run({ input: { query: "x", namespace }, caller: holder });
    expect(done).toEqual(["ask for 0xabc and 7", "search"]);
    expect(asked.map(({ reader }) => reader)).toEqual(["holders"]);
  }
  const weak = { ...holder, scopes: ["gate:read", "chat"] };
  for (const [caller, refusal] of [
    [null, undefined],
    [weak, undefined],
    [holder, goneAway],
    [holder, chainAway],
  ] as const) {
    for (const namespace of ["__default__", "news"]) {
      const { run, asked } = makeTool({ refusal });
      expect(await run({ input: { query: "x", namespace }, caller })).toMatchObject({ ok: true });
      expect(asked.map(({ reader }) => reader)).toEqual(["everyone"]);
    }
  }
});

test("a store that cannot be asked what is public may still answer a holder, and nobody else", async () => {
  const outage = new SearchUnavailable("The search is busy.");
  const input = { query: "x", namespace: "inner" };
  expect(await makeTool({ outage }).run({ input, caller: holder })).toMatchObject({ ok: true });
  const busy = { errorText: "The search is busy." };
  expect(await makeTool({ outage, refusal: goneAway }).run({ input, caller: holder })).toMatchObject(busy);
  expect(await makeTool({ outage }).run({ input })).toMatchObject(busy);
});

test("a namespace is gated in whatever case the operator wrote it", async () => {
  const { run } = makeTool({ gatedNamespaces: ["INNER"] });
  const input = { query: "x", namespace: "inner" };
  expect(await run({ input })).toMatchObject({ ok: false });
  expect(await run({ input, caller: holder })).toMatchObject({ ok: true });
});

test("public namespaces answer everybody, and the default one can be gated too", async () => {
  const { run } = makeTool();
  expect(await run({ input: { query: "x", namespace: "news" } })).toMatchObject({ ok: true });
  const gated = makeTool({ gatedNamespaces: ["__default__"] });
  expect(await gated.run({ input: { query: "x" } })).toMatchObject({ ok: false });
  expect(await gated.run({ input: { query: "x" }, caller: holder })).toMatchObject({ ok: true });
});

test("metadata beyond an answer's size is omitted from the end, ids and scores stay", async () => {
  const matches = Array.from({ length: 100 }, (_, index) => ({
    id: `p${index}`,
    score: 1,
    metadata: { text: "x".repeat(40_000) },
  }));
  const answer = await makeTool({ matches }).run({ input: { query: "x", topK: 100 } });
  const { output } = answer as { output: { matches: { metadata?: unknown }[] } };
  expect(output.matches).toHaveLength(100);
  expect(output.matches.filter(({ metadata }) => metadata !== undefined)).toHaveLength(4);
});

test("a store outage is reported in its words, any other failure is not", async () => {
  const away = makeTool({ matches: new SearchUnavailable("The search is busy.") });
  expect(await away.run({ input: { query: "x" } })).toEqual({ ok: false, errorText: "The search is busy." });
  const broken = makeTool({ matches: new Error("/secret/path") });
  expect(await broken.run({ input: { query: "x" } })).toEqual({ ok: false, errorText: "The tool failed." });
});
