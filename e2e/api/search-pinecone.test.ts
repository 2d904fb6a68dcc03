import { expect, onTestFinished, test } from "vitest";
import { startJsonServer } from "~e2e/support/providers/json-server";
import { startServer } from "~e2e/support/running-server";
import { mcpOf } from "./mcp-fixture";

const pinecone = { PINECONE_API_KEY: "pc-secret", PINECONE_INDEXES: "docs" };
// Searching public documents needs no chain, so there is none.
const noChain = {
  RPC_URL: "http://127.0.0.1:9",
  KEY_CONTRACT_ADDRESS: `0x${"12".repeat(20)}`,
  CHAIN_POLL_SECONDS: "300",
};

test("with Pinecone the tool has its name, and asks it with the vectors of the configured model", async () => {
  const { origin, calls } = await startJsonServer(({ path, answer }) => {
    if (path.endsWith("/embeddings")) answer({ data: [{ index: 0, embedding: [0, 3, 4] }] });
    else if (path === "/describe_index_stats") answer({ dimension: 3, namespaces: { news: {} } });
    else answer({ matches: [{ id: "a#1", score: 0.5, metadata: { text: "words" } }] });
  });
  const server = await startServer({
    env: {
      ...noChain,
      ...pinecone,
      PINECONE_HOST: origin,
      AI_BASE_URL: `${origin}/v1`,
      EMBEDDING_MODEL: "a-model",
    },
  });
  onTestFinished(async () => void (await server.stop()));
  const mcp = mcpOf(server);
  const { result } = await mcp.callTool({ name: "pinecone_search", args: { query: "lamp", topK: 3 } });
  expect(result).toMatchObject({
    structuredContent: { index: "docs", topK: 3, matches: [{ id: "a#1", metadata: { text: "words" } }] },
  });
  const bodyOf = (path: string) => calls.find((call) => call.path === path)!.body;
  expect(bodyOf("/v1/embeddings")).toMatchObject({ model: "a-model", input: ["lamp"] });
  const { vector } = bodyOf("/query") as { vector: number[] };
  expect(vector.map((value) => Math.round(value * 100) / 100)).toEqual([0, 0.6, 0.8]);
  expect(server.output()).not.toContain("pc-secret");
});

test("a server with Pinecone and no model for questions does not start, and reports every mistake", async () => {
  const failed = await startServer({ env: { ...noChain, ...pinecone, PORT: "x" } }).then(
    () => "it started",
    (error: Error) => error.message,
  );
  expect(failed).toContain("The configuration has 2 problems");
  expect(failed).toContain("EMBEDDING_MODEL must be set together with PINECONE_API_KEY");
  expect(failed).toContain("PORT");
  expect(failed).not.toContain("pc-secret");
});
