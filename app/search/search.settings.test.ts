import { expect, test } from "vitest";
import { parseConfig, problemsInProduction, production } from "~e2e/support/config";

function read(environment: Record<string, string>) {
  return parseConfig({ ...production, ...environment });
}

test("search needs nothing to be set: embedded, by words alone, for holders unless a page says otherwise", () => {
  const { search, warnings } = read({});
  expect(search).toEqual({
    defaultAudience: "holders",
    gatedNamespaces: [],
    embedding: null,
    pinecone: null,
  });
  expect(warnings).toEqual([]);
});

test("gated namespaces are read as a list, each name once", () => {
  expect(read({ SEARCH_GATED_NAMESPACES: " inner,members ,inner," }).search.gatedNamespaces).toEqual([
    "inner",
    "members",
  ]);
  expect(read({ SEARCH_GATED_NAMESPACES: "x".repeat(100) }).search.gatedNamespaces).toHaveLength(1);
  expect(problemsInProduction({ SEARCH_GATED_NAMESPACES: "x".repeat(101) }).join(" ")).toContain(
    "SEARCH_GATED_NAMESPACES",
  );
});

/** The choice that a provider which costs money asks for. */
const forAll = { NEXT_PUBLIC_AI_CHAT_REQUIRES_JWT: "false" };

test.each([
  [{ AI_PROVIDER: "openai", OPENAI_API_KEY: "k" }, "openai", "https://api.openai.com/v1", "k"],
  [{ AI_PROVIDER: "local", AI_BASE_URL: "http://127.0.0.1:1/v1" }, "local", "http://127.0.0.1:1/v1", null],
  [
    {
      AI_PROVIDER: "workers-ai",
      CLOUDFLARE_ACCOUNT_ID: "acc",
      CLOUDFLARE_API_TOKEN: "t",
      WORKERS_AI_BASE_URL: "https://edge.example.com/v1",
    },
    "workers-ai",
    "https://edge.example.com/v1",
    "t",
  ],
  [{ AI_BASE_URL: "http://127.0.0.1:1/v1", OPENAI_API_KEY: "k" }, "local", "http://127.0.0.1:1/v1", null],
  [
    { OPENAI_API_KEY: "k", OPENAI_BASE_URL: "https://proxy.example.com/v1/" },
    "openai",
    "https://proxy.example.com/v1",
    "k",
  ],
])(
  "the embedding model is requested from the chat's provider: %j",
  (environment, provider, baseUrl, apiKey) => {
    const { search } = read({ ...environment, ...forAll, EMBEDDING_MODEL: "m" });
    expect(search.embedding).toEqual({ model: "m", provider, baseUrl, apiKey });
  },
);

test("an embedding model without a provider is a mistake", () => {
  expect(problemsInProduction({ EMBEDDING_MODEL: "m" }).join(" ")).toContain(
    "EMBEDDING_MODEL needs a provider",
  );
});

test("Pinecone requires names of indexes, and settings that do not fit together are reported", () => {
  const key = { ...forAll, PINECONE_API_KEY: "pc", OPENAI_API_KEY: "k", EMBEDDING_MODEL: "m" };
  const { search, warnings } = read({ ...key, PINECONE_INDEXES: "docs,more" });
  expect(search.pinecone).toEqual({ apiKey: "pc", indexes: ["docs", "more"], host: null });
  expect(warnings).toEqual([]);
  expect(problemsInProduction(key).join(" ")).toContain("PINECONE_INDEXES must be set");
  expect(
    problemsInProduction({ ...key, PINECONE_INDEXES: "docs", PINECONE_HOST: "ftp://x" }).join(" "),
  ).toContain("PINECONE_HOST");
  const hosted = read({ ...key, PINECONE_INDEXES: "docs,more", PINECONE_HOST: "https://h.example.com" });
  expect(hosted.warnings.join()).toContain("PINECONE_HOST is one address");
  expect(read({ PINECONE_INDEXES: "docs" }).search.pinecone).toBeNull();
});

test("Pinecone without the model that filled its indexes is a mistake, reported with all others", () => {
  const problems = problemsInProduction({
    PINECONE_API_KEY: "pc-secret",
    PINECONE_HOST: "ftp://x",
    AI_PROVIDER: "?",
  }).join(" ");
  for (const name of ["PINECONE_INDEXES", "PINECONE_HOST", "AI_PROVIDER"]) expect(problems).toContain(name);
  expect(problems).toContain(
    "EMBEDDING_MODEL must be set together with PINECONE_API_KEY, to the model whose vectors fill the indexes.",
  );
  expect(problems).not.toContain("pc-secret");
  expect(problemsInProduction({ PINECONE_API_KEY: "pc", PINECONE_INDEXES: "docs" }).join(" ")).toMatch(
    /^EMBEDDING_MODEL [^.]*\.$/,
  );
  // A model without a provider is the other mistake, and the only one reported.
  const unasked = problemsInProduction({
    PINECONE_API_KEY: "pc",
    PINECONE_INDEXES: "docs",
    EMBEDDING_MODEL: "m",
  }).join(" ");
  expect(unasked).toMatch(/^EMBEDDING_MODEL needs a provider to ask/);
});
