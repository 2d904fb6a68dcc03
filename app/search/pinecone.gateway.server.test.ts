import { EventEmitter, once } from "node:events";
import { expect, test } from "vitest";
import { startJsonServer } from "~e2e/support/providers/json-server";
import type { JsonCall } from "~e2e/support/providers/json-server";
import { createWordEmbedder } from "~e2e/support/search/word-embedder";
import { runTool } from "~/tools/run-tool.server";
import { createSearchTool } from "~/tools/search-tool";
import type { ToolCaller } from "~/tools/tool";
import { createPineconeSearch } from "./pinecone.gateway.server";
import { someKey } from "~e2e/support/key-kinds";

const stats = {
  dimension: 8,
  indexFullness: 0,
  totalVectorCount: 3,
  namespaces: { "": { vectorCount: 1 }, news: { vectorCount: 1 }, inner: { vectorCount: 1 } },
};
const match = { id: "a#1", score: 0.9, values: [], metadata: { title: "A", text: "words" } };

function answerWell({ path, answer }: JsonCall): void {
  if (path === "/describe_index_stats") answer(stats);
  else answer({ matches: [match, { id: "b#1", score: 0.5 }], namespace: "", usage: { readUnits: 1 } });
}

/** The tool as the server wires it, in front of a server that speaks Pinecone's data API. */
async function open(
  behave: (call: JsonCall) => void,
  changes: Partial<Parameters<typeof createPineconeSearch>[0]> = {},
  gatedNamespaces: readonly string[] = [],
) {
  const { origin, calls } = await startJsonServer(behave);
  const store = createPineconeSearch({
    apiKey: "pc-secret",
    indexes: ["docs", "archive"],
    host: origin,
    embedder: createWordEmbedder({ dimension: 8 }),
    defaultAudience: "holders",
    ...changes,
  });
  const tool = createSearchTool({
    store,
    gatedNamespaces,
    requireHolder: async () => undefined,
  });
  const run = async (input: unknown, caller: ToolCaller = null) => {
    const signal = new AbortController().signal;
    return runTool({ tool, input, caller, signal, log: { warn: () => undefined } });
  };
  return { run, calls, tool, store };
}

const isForEveryone = { audience: { $in: ["everyone"] } };
const holder = { ...someKey, scopes: ["tools"] };

test("a Pinecone search runs as a tool under the store's name, in Pinecone's own format", async () => {
  const { run, calls, tool } = await open(answerWell);
  expect(tool.name).toBe("pinecone_search");
  const filter = { year: { $gte: 2020 } };
  const answer = await run({ query: "lamp", topK: 2, namespace: "news", filter });
  expect(answer).toMatchObject({
    ok: true,
    output: {
      query: "lamp",
      index: "docs",
      namespace: "news",
      topK: 2,
      matches: [
        { id: "a#1", score: 0.9, metadata: { title: "A", text: "words" } },
        { id: "b#1", score: 0.5, metadata: {} },
      ],
    },
  });
  const query = calls.find(({ path }) => path === "/query")!;
  expect(query.headers).toMatchObject({ "api-key": "pc-secret" });
  expect(query.body).toMatchObject({ topK: 1, namespace: "news", filter: isForEveryone });
  const { body } = calls.findLast(({ path }) => path === "/query")!;
  expect(body).toMatchObject({ topK: 2, namespace: "news", includeMetadata: true });
  expect(body).toMatchObject({ filter: { $and: [filter, isForEveryone] } });
  expect((query.body as { vector: number[] }).vector).toHaveLength(8);
});

test("no more matches than requested are returned, without metadata where none is wanted", async () => {
  const { run } = await open(answerWell);
  const answer = await run({ query: "lamp", topK: 1, includeMetadata: false });
  expect((answer as { output: { matches: unknown } }).output.matches).toEqual([{ id: "a#1", score: 0.9 }]);
});

/** Records of three namespaces by the filters of ours; real Pinecone understands more. */
function answerByAudience({ path, body, answer }: JsonCall): void {
  if (path === "/describe_index_stats") return answer(stats);
  const { namespace, filter } = body as { namespace: string; filter: Record<string, unknown> };
  const records = { news: ["everyone", "holders", "operators", "staff", undefined], inner: ["holders"] };
  const isMet = (group: Record<string, unknown>, audience: string | undefined): boolean => {
    const {
      $and,
      $or,
      audience: asked,
    } = group as {
      $and?: Record<string, unknown>[];
      $or?: Record<string, unknown>[];
      audience?: { $in?: string[]; $exists?: boolean };
    };
    if ($and) return $and.every((each) => isMet(each, audience));
    if ($or) return $or.some((each) => isMet(each, audience));
    if (asked?.$exists !== undefined) return (audience !== undefined) === asked.$exists;
    return asked?.$in === undefined || asked.$in.includes(audience ?? "");
  };
  const found = (records[namespace as "news"] ?? []).filter((audience) => isMet(filter, audience));
  answer({ matches: found.map((audience) => ({ id: String(audience), score: 0.5 })), namespace });
}

test.each([
  ["a stranger", null, "holders", ["everyone"]],
  ["a stranger where pages are for everyone by default", null, "everyone", ["everyone", "undefined"]],
  ["a holder", holder, "holders", ["everyone", "holders", "undefined"]],
  ["a holder with a filter", holder, "everyone", ["everyone", "holders", "undefined"]],
] as const)("%s gets the records of their audience alone", async (who, caller, defaultAudience, ids) => {
  const { run } = await open(answerByAudience, { defaultAudience });
  const filter = who.endsWith("filter") ? { audience: { $in: [...ids, "operators", ""] } } : {};
  const found = await run({ query: "lamp", namespace: "news", topK: 9, filter }, caller);
  const { matches } = (found as { output: { matches: { id: string }[] } }).output;
  expect(matches.map(({ id }) => id)).toEqual(ids);
});

test("namespaces that are gated, unknown or without a public record are refused alike to strangers", async () => {
  const answers = [];
  for (const [namespace, gatedNamespaces] of [
    ["inner", []],
    ["news", ["news"]],
    ["unknown", []],
  ] as const) {
    const { run, calls } = await open(answerByAudience, {}, gatedNamespaces);
    answers.push(JSON.stringify([await run({ query: "x", namespace }), calls.map(({ path }) => path)]));
  }
  expect(new Set(answers).size).toBe(1);
  expect(answers[0]).toContain("signed in");
  const { run } = await open(answerByAudience, {}, ["inner"]);
  expect(await run({ query: "x", namespace: "inner" }, holder)).toMatchObject({ ok: true });
});

test.each<[string, (call: JsonCall) => void, RegExp]>([
  [
    "401",
    ({ answer }) => answer({ code: 16, message: "pc-secret is wrong" }, 401),
    /does not accept this server's key/,
  ],
  ["429", ({ answer }) => answer({ code: 8, message: "Too many requests" }, 429), /asked too often/],
  ["500", ({ answer }) => answer({ message: "stack at /srv" }, 500), /cannot be used: it failed/],
  ["404", ({ answer }) => answer({ message: "no such index" }, 404), /does not know the index/],
  ["silence", () => undefined, /did not answer within 0\.2 seconds/],
  ["a cut connection", ({ response }) => response.destroy(), /could not be reached/],
  [
    "half an answer",
    ({ response }) => void response.writeHead(200).write('{"matches":['),
    /within 0\.2 seconds/,
  ],
  ["HTML", ({ response }) => response.end("<html>oops</html>"), /cannot be used: it failed/],
  [
    "a huge answer",
    ({ response }) => response.end(JSON.stringify({ matches: "x".repeat(300_000) })),
    /larger than 256 KiB/,
  ],
  ["matches of another shape", ({ answer }) => answer({ matches: [{ id: 7 }] }), /cannot be used: it failed/],
  [
    "a redirect",
    ({ response }) => response.writeHead(302, { Location: "http://127.0.0.1:9/" }).end(),
    /redirect/,
  ],
])("%s is reported in a few words without secrets", async (_name, behave, words) => {
  const { run } = await open((call) => (call.path === "/query" ? behave(call) : answerWell(call)), {
    timeoutMs: 200,
    maxBytes: 256 * 1024,
  });
  const answer = await run({ query: "lamp" });
  expect(answer).toMatchObject({ ok: false, errorText: expect.stringMatching(words) as string });
  expect(JSON.stringify(answer)).not.toMatch(/pc-secret|127\.0\.0\.1|\/srv/);
});

/** A service that holds its answers back. */
function startHolding() {
  const arrivals = new EventEmitter();
  function behave(call: JsonCall): void {
    if (call.path !== "/query") return answerWell(call);
    arrivals.emit("question", call);
  }
  return { behave, nextQuestion: async () => ((await once(arrivals, "question")) as [JsonCall])[0] };
}

const question = { query: "lamp", index: "docs", namespace: "news", reader: "everyone", topK: 1 } as const;

test("a search is cancelled when its caller leaves, with the request made for it", async () => {
  const { behave, nextQuestion } = startHolding();
  const { store } = await open(behave);
  const leaving = new AbortController();
  const arrival = nextQuestion();
  const asking = store.search({ ...question, signal: leaving.signal });
  const { response } = await arrival;
  const cut = once(response, "close");
  const left = new Error("They left");
  leaving.abort(left);
  await expect(asking).rejects.toBe(left);
  await cut;
  expect(response.writableEnded).toBe(false);
});
