import type { Reader } from "~/knowledge/knowledge-page";
import type { MetadataFilter } from "./metadata-filter";

export type PassageMatch = { id: string; score: number; metadata: Record<string, unknown> };

export type SearchQuestion = {
  query: string;
  index: string;
  namespace: string;
  reader: Reader;
  topK: number;
  filter?: MetadataFilter | undefined;
  signal?: AbortSignal;
};

export type SearchStore = {
  vendor: "libsql" | "pinecone";
  /** The first one is the default. */
  indexes: readonly [string, ...string[]];
  /** Namespaces with pages, and the default. */
  listNamespaces: (index: string) => Promise<readonly string[]>;
  hasPublicPages: (question: SearchQuestion) => Promise<boolean>;
  search: (question: SearchQuestion) => Promise<PassageMatch[]>;
  stop: () => Promise<void>;
};

/** The message is for the visitor, `cause` for the log. */
export class SearchUnavailable extends Error {
  override readonly name = "SearchUnavailable";
}
