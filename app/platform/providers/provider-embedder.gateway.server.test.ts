import { expect, test } from "vitest";
import { startJsonServer } from "~e2e/support/providers/json-server";
import type { JsonCall } from "~e2e/support/providers/json-server";
import { createKnowledge, openKnowledgeSearch } from "~e2e/support/search/knowledge";
import { runIndex } from "~e2e/support/search/run-index";
import { createProviderEmbedder } from "./provider-embedder.gateway.server";

type EmbeddingsBody = { model: string; input: string[]; encoding_format: string };

async function open(behave: (call: JsonCall & { body: EmbeddingsBody }) => void) {
  const server = await startJsonServer((call) => behave({ ...call, body: call.body as EmbeddingsBody }));
  const embedder = createProviderEmbedder({
    model: "small",
    baseUrl: `${server.origin}/v1`,
    apiKey: "the-key",
    retryPauseMs: 1,
  });
  return { ...server, embedder };
}

/** Two numbers a text: how much it speaks of light, and how much of anything else. */
function answerWell({ body, answer }: JsonCall & { body: EmbeddingsBody }): void {
  const data = body.input.map((text, index) => ({
    index,
    embedding: /lamp|candle|light/i.test(text) ? [3, 0.1] : [0.1, 3],
  }));
  answer({ object: "list", data: data.reverse() });
}

test("all texts are embedded in one request, and the vectors returned in order, at length 1", async () => {
  const { embedder, calls } = await open(answerWell);
  const [dark, light] = await embedder.embed({ texts: ["door", "lamp"] });
  expect(Math.hypot(...light!)).toBeCloseTo(1, 5);
  expect(light![0]).toBeGreaterThan(0.9);
  expect(dark![1]).toBeGreaterThan(0.9);
  expect(calls[0]).toMatchObject({
    method: "POST",
    path: "/v1/embeddings",
    headers: { authorization: "Bearer the-key" },
    body: { model: "small", input: ["door", "lamp"], encoding_format: "float" },
  });
});

test("lone surrogates are not sent, and a text of any length is cut", async () => {
  const { embedder, calls } = await open(answerWell);
  await embedder.embed({ texts: ["a\uD800b", "x".repeat(20_000)] });
  const { input } = calls[0]!.body as EmbeddingsBody;
  expect(input[0]).toBe("a\uFFFDb");
  expect(input[1]).toHaveLength(8_000);
});

test("a busy provider is retried for pages, and once only for a question", async () => {
  const { embedder, calls } = await open((call) => {
    if (call.number <= 2) call.answer({ error: "busy" }, call.number === 1 ? 429 : 503);
    else answerWell(call);
  });
  expect(await embedder.embed({ texts: ["a", "b"] })).toHaveLength(2);
  expect(calls).toHaveLength(3);
  const question = await open((call) => call.answer({}, 429));
  await expect(question.embedder.embed({ texts: ["a"] })).rejects.toThrow("answered 429");
  expect(question.calls).toHaveLength(1);
});

test("a provider that stays away fails in the end, without the key in its words", async () => {
  const { embedder, calls } = await open((call) => call.answer({ error: "the-key is over its limit" }, 500));
  const failure = (await embedder.embed({ texts: ["a", "b"] }).catch((error: unknown) => error)) as Error;
  expect(failure.message).toBe("The embedding provider answered 500.");
  expect(calls).toHaveLength(4);
});

test.each<[string, (call: JsonCall) => void]>([
  ["a page of HTML", ({ response }) => response.end("<html>")],
  ["too few vectors", ({ answer }) => answer({ data: [{ index: 0, embedding: [1] }] })],
  [
    "an index out of range",
    ({ answer }) =>
      answer({
        data: [
          { index: 0, embedding: [1] },
          { index: 7, embedding: [1] },
        ],
      }),
  ],
  [
    "two dimensions",
    ({ answer }) =>
      answer({
        data: [
          { index: 0, embedding: [1] },
          { index: 1, embedding: [1, 2] },
        ],
      }),
  ],
  [
    "words for numbers",
    ({ answer }) =>
      answer({
        data: [
          { index: 0, embedding: ["1"] },
          { index: 1, embedding: [1] },
        ],
      }),
  ],
  ["a redirect", ({ response }) => response.writeHead(307, { Location: "http://127.0.0.1:9/" }).end()],
  ["a wrong key", ({ answer }) => answer({}, 401)],
])("%s is refused as an answer", async (_name, behave) => {
  const { embedder } = await open(behave);
  await expect(embedder.embed({ texts: ["a", "b"] })).rejects.toThrow();
});

test("embedding stops when aborted", async () => {
  const stop = new AbortController();
  const { embedder } = await open(() => stop.abort());
  await expect(embedder.embed({ texts: ["a", "b"], signal: stop.signal })).rejects.toThrow(/abort/);
});

test("a model finds passages that share no word, and unchanged ones are not embedded again", async () => {
  const { embedder, calls } = await open(answerWell);
  const knowledge = await createKnowledge({
    "a.md": "# Lamp\n\nIt burns oil.",
    "b.md": "# Door\n\nIt creaks.",
  });
  expect(await runIndex({ ...knowledge, embedder })).toMatchObject({ embedded: 2 });
  const { find } = openKnowledgeSearch({ ...knowledge, embedder });
  const matches = await find({ query: "a candle" });
  expect(matches.map(({ id }) => id)).toEqual(["a.md#1", "b.md#1"]);
  // All passages, and the question.
  expect(calls).toHaveLength(2);
});

test("pages wait for the next look while the provider is away, and questions are answered by words", async () => {
  let isAway = false;
  const { embedder } = await open((call) => (isAway ? call.answer({}, 401) : answerWell(call)));
  const knowledge = await createKnowledge({
    "a.md": "# Lamp\n\nIt burns oil.",
    "b.md": "# Door\n\nIt creaks.",
  });
  await runIndex({ ...knowledge, embedder });
  isAway = true;
  const { ask, warnings, search } = openKnowledgeSearch({ ...knowledge, embedder });
  await knowledge.write("c.md", "# Window\n\nIt rattles.");
  await search.refresh();
  expect(await ask("creaks")).toEqual(["b.md#1"]);
  expect(warnings).toContain("question embedding failed; searching by words alone");
  expect(warnings).toContain("knowledge indexing failed; the previous index stays in use");
});
