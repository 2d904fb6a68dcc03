/** What the page at /problems/<slug> shows. One slug may stand for several statuses. */
export type ProblemPage = { slug: string; cases: ProblemCase[] };

export type ProblemCase = {
  name: string;
  status: number;
  title: string;
  meaning: string;
  remedy: string;
  examples: ProblemExample[];
};

/** An answer as programs get it, and who answers so. */
export type ProblemExample = {
  contentType: string;
  text: string;
  operations: { id: string; method: string; path: string }[];
};
