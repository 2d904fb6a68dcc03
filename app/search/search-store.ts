import type { Reader } from "~/knowledge/knowledge-page";
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
  signal?: AbortSignal;
};

export type SearchStore = {
  vendor: "libsql" | "pinecone";
  /** A question that names no index is for the first one. */
  indexes: readonly [string, ...string[]];
  /** Those that hold something. The default namespace is always there. */
  listNamespaces: (index: string) => Promise<readonly string[]>;
  /** Whether everyone may find something there. */
  hasPublicPages: (question: SearchQuestion) => Promise<boolean>;
  search: (question: SearchQuestion) => Promise<PassageMatch[]>;
  stop: () => Promise<void>;
};

/** The visitor may read the message; `cause` is for the log. */
export class SearchUnavailable extends Error {
  override readonly name = "SearchUnavailable";
}
