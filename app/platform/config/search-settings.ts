import type { Setting } from "./setting";

/** The part of the list of settings that is about search over the operator's documents. */
export const searchSettings = [
  {
    name: "SEARCH_GATED_NAMESPACES",
    group: "Search",
    effect:
      "Comma-separated namespaces of documents that answer only to holders, with a valid access token, in whatever capitals. All others are public; a name that no document has is pointed out in the log.",
  },
  {
    name: "EMBEDDING_MODEL",
    group: "Search",
    effect:
      "Model that turns documents and questions into vectors, asked of the chat's provider (`/embeddings`). Default: a built-in one that compares words. With PINECONE_API_KEY it is needed: the model whose vectors fill the indexes.",
  },
  {
    name: "PINECONE_API_KEY",
    group: "Search",
    secret: true,
    effect:
      "Searches your Pinecone indexes instead of the embedded store. Needs PINECONE_INDEXES and EMBEDDING_MODEL.",
  },
  {
    name: "PINECONE_INDEXES",
    group: "Search",
    effect:
      "Comma-separated names of the indexes that may be searched; the first one is the default. Needed with PINECONE_API_KEY.",
  },
  {
    name: "PINECONE_HOST",
    group: "Search",
    effect: "Address of the index, for proxies and private endpoints. Default: looked up by its name.",
  },
] as const satisfies readonly Setting[];
