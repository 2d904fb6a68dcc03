import type { Reader } from "./audience";
import type { MetadataFilter } from "./metadata-filter";

/** `metadata`: the page's own, and the passage's title, heading, anchor, source and text. */
export type PassageMatch = { id: string; score: number; metadata: Record<string, unknown> };

export type SearchQuestion = {
  query: string;
  index: string;
  namespace: string;
  /** Nothing tells this one that there are pages for others. */
  reader: Reader;
  topK: number;
  filter?: MetadataFilter | undefined;
  /** Clients share the search fairly. */
  clientId: string;
  signal?: AbortSignal;
};

export type SearchStore = {
  vendor: "libsql" | "pinecone";
  /** The first one is asked when a question names none. */
  indexes: readonly [string, ...string[]];
  /** Those that hold something. The default namespace is always there. */
  listNamespaces: (
    question: Pick<SearchQuestion, "index" | "clientId" | "signal">,
  ) => Promise<readonly string[]>;
  /** Whether everyone may find something there. */
  hasPublicPages: (question: SearchQuestion) => Promise<boolean>;
  search: (question: SearchQuestion) => Promise<PassageMatch[]>;
  stop: () => Promise<void>;
};

/** In words that the person who asks may read; `cause` is for the log. */
export class SearchUnavailable extends Error {
  override readonly name = "SearchUnavailable";
}
