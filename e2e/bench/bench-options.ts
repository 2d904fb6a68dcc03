export type BenchOptions = {
  resultsDir: string;
  rounds: number;
  /** Multiplies the requests of a round. */
  scale: number;
  /** The slug of the only operation to be measured; null for all. */
  operation: string | null;
  /** The folder of another checkout, whose built server is asked for the same; null for none. */
  beside: string | null;
  hasProfile: boolean;
};

/** What one kind of measurement has found; keeping and showing it is the same for all of them. */
export type BenchResult<Found = unknown> = {
  /** That were measured, which may be fewer than were asked for. */
  rounds: number;
  /** A line for each aim: `PASS`, `over` or `n/a `, and what was measured. Empty where there is no aim. */
  verdicts: readonly string[];
  /** The medians, of which the document's tables are made. */
  figures: Found;
  /** Every round of every side. */
  measured: unknown;
};
