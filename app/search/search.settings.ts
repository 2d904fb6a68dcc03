import type { ChatConfig } from "~/chat/chat.settings";
import { chatProviders } from "~/chat/providers/chat-providers.server";
import { list, oneOf, secret, text, url } from "~/platform/config/kinds";
import type { ValuesOf } from "~/platform/config/setting";
import type { SettingReader } from "~/platform/config/setting-reader";
import { providerAddresses } from "~/platform/providers/provider-families";
import { getProvider } from "~/platform/providers/provider-row";

export const searchSettings = {
  defaultAudience: oneOf(
    "KNOWLEDGE_AUDIENCE",
    { of: ["holders", "everyone"], default: "holders" },
    "Who may find knowledge pages that name no `audience` in their front matter.",
  ),
  gatedNamespaces: list(
    "SEARCH_GATED_NAMESPACES",
    {
      pattern: { matches: /^[^]{1,100}$/, range: "names of at most 100 characters" },
      switches: { name: "Namespaces for holders only", off: "documents go by their audience alone" },
    },
    "Namespaces that answer only to holders, whatever audience their documents have, in whatever capitals. A name that no document has is pointed out in the log.",
  ),
  embeddingModel: text(
    "EMBEDDING_MODEL",
    { switches: { name: "Search by a model's vectors", off: "words alone are compared" } },
    "Model that turns documents and questions into vectors, asked of the chat's provider (`/embeddings`). Default: none, and words alone are compared. Where that costs money, production asks for NEXT_PUBLIC_AI_CHAT_REQUIRES_JWT. With PINECONE_API_KEY it is needed: the model whose vectors fill the indexes.",
  ),
  pinecone: {
    apiKey: secret(
      "PINECONE_API_KEY",
      { switches: { name: "Search at Pinecone", off: "the store is embedded" } },
      "Searches your Pinecone indexes instead of the embedded store. Needs PINECONE_INDEXES and EMBEDDING_MODEL.",
    ),
    indexes: list(
      "PINECONE_INDEXES",
      {},
      "Names of the indexes that may be searched; the first one is the default. Needed with PINECONE_API_KEY.",
    ),
    host: url(
      "PINECONE_HOST",
      { family: providerAddresses },
      "Address of the index, for proxies and private endpoints. Default: looked up by its name.",
    ),
  },
};

export function readSearch(reader: SettingReader, chat: ChatConfig) {
  const { defaultAudience, gatedNamespaces, embeddingModel, pinecone } = reader.read(searchSettings);
  return {
    defaultAudience,
    gatedNamespaces,
    embedding: embeddingModel === null ? null : readEmbedding(reader, embeddingModel, chat),
    pinecone: readPinecone(reader, pinecone),
  };
}

function readEmbedding(reader: SettingReader, model: string, chat: ChatConfig) {
  const chosen = getProvider(chatProviders, chat.provider);
  const row = chosen.embedders ? chosen.embedders.find(reader.hasNeeds) : chosen;
  const site = row?.locate?.(chat);
  if (row && site?.baseUrl) return { ...site, model, provider: row.name, baseUrl: site.baseUrl };
  const problem = "needs a provider to ask: set AI_PROVIDER, AI_BASE_URL or OPENAI_API_KEY.";
  reader.report(searchSettings.embeddingModel, problem);
  return null;
}

type Pinecone = ValuesOf<typeof searchSettings.pinecone>;

function readPinecone(reader: SettingReader, { apiKey, indexes, host }: Pinecone) {
  const rows = searchSettings.pinecone;
  const [first, ...others] = indexes;
  if (apiKey === null) return null;
  if (first === undefined) reader.report(rows.indexes, "must be set together with PINECONE_API_KEY.");
  if (host !== null && others.length > 0) {
    reader.warn(rows.host, "is one address, and every index of PINECONE_INDEXES is looked for there.");
  }
  if (!reader.isSet(searchSettings.embeddingModel)) {
    const problem =
      "must be set together with PINECONE_API_KEY, to the model whose vectors fill the indexes.";
    reader.report(searchSettings.embeddingModel, problem);
  }
  return { apiKey, indexes: [first ?? "", ...others] as [string, ...string[]], host };
}
