export type BenchOptions = {
  resultsDir: string;
  /** Puts the tables into their documents. */
  write: boolean;
  rounds: number;
  /** Multiplies the requests of a round. */
  scale: number;
  /** The slug of the only operation to be measured; null for all. */
  operation: string | null;
  hasProfile: boolean;
  /** As somebody would type it, for the report. */
  command: string;
};
