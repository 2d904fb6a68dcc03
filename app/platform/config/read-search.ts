import type { readConversation } from "./read-conversation";
import type { SettingReader } from "./setting-reader";

type Conversation = ReturnType<typeof readConversation>;

export function readSearch({ reader, conversation }: { reader: SettingReader; conversation: Conversation }) {
  const gatedNamespaces = [...new Set(reader.getList("SEARCH_GATED_NAMESPACES"))];
  if (gatedNamespaces.some((name) => name.length > 100)) {
    reader.report("SEARCH_GATED_NAMESPACES", "must list names of at most 100 characters.");
  }
  return {
    gatedNamespaces,
    embedding: readEmbedding({ reader, conversation }),
    pinecone: readPinecone(reader),
  };
}

/** Where vectors are made; null for the built-in embedder. */
function readEmbedding({ reader, conversation }: { reader: SettingReader; conversation: Conversation }) {
  const model = reader.findText("EMBEDDING_MODEL");
  if (model === null) return null;
  const { openai, workersAi, local } = conversation;
  const places = {
    openai: { baseUrl: openai.baseUrl, apiKey: openai.apiKey },
    "workers-ai": { baseUrl: workersAi.baseUrl, apiKey: workersAi.apiToken },
    local: { baseUrl: local.baseUrl, apiKey: null },
  };
  const { provider } = conversation;
  // The embedded assistant has no provider of its own: it may still search with a model's vectors.
  const place =
    provider !== "offline"
      ? places[provider]
      : [places.local, ...(openai.apiKey ? [places.openai] : [])].find(({ baseUrl }) => baseUrl);
  if (!place?.baseUrl) {
    reader.report(
      "EMBEDDING_MODEL",
      "needs a provider to ask: set AI_PROVIDER, AI_BASE_URL or OPENAI_API_KEY.",
    );
    return null;
  }
  return { model, baseUrl: place.baseUrl, apiKey: place.apiKey };
}

function readPinecone(reader: SettingReader) {
  const apiKey = reader.findText("PINECONE_API_KEY");
  const [first, ...others] = new Set(reader.getList("PINECONE_INDEXES"));
  const host = reader.findUrl({ name: "PINECONE_HOST", protocols: ["https:", "http:"] });
  if (apiKey === null) return null;
  if (first === undefined) reader.report("PINECONE_INDEXES", "must be set together with PINECONE_API_KEY.");
  if (host !== null && others.length > 0) {
    reader.warnings.push(
      "PINECONE_HOST is one address, and every index of PINECONE_INDEXES is looked for there.",
    );
  }
  if (!reader.isSet("EMBEDDING_MODEL")) {
    reader.report(
      "EMBEDDING_MODEL",
      "must be set together with PINECONE_API_KEY: to the model whose vectors fill the indexes.",
    );
  }
  return { apiKey, indexes: [first ?? "", ...others] as [string, ...string[]], host };
}
