/** The other transaction takes `hold` first, and runs `ask` when the write waits for it, so they deadlock. */
export type Conflict = {
  hold: string;
  ask: string;
  /** A table that gains exactly one row, however often the write was retried. */
  grows?: string;
};
export type StoreWrite = Conflict & { write: () => Promise<unknown>; outcome: unknown };

export type ListedStore = {
  store: object;
  /** Functions that only read. */
  reads: readonly string[];
  writes: Readonly<Record<string, readonly StoreWrite[]>>;
  /** Writes without possible conflicts, each with the reason. */
  alone?: Readonly<Record<string, string>>;
};

/** The write meets a row that another transaction has touched. */
export function at(table: string): Conflict {
  return { hold: `DELETE FROM "${table}"`, ask: `LOCK TABLE "${table}" IN SHARE MODE` };
}

/** The write has finished with the first table when it has to wait for the second. */
export function between(first: string, second: string): Conflict {
  return { hold: `LOCK TABLE "${second}" IN SHARE MODE`, ask: `LOCK TABLE "${first}" IN SHARE MODE` };
}

/** The same, but the second table gets a new row. */
export function adding(first: string, second: string): Conflict {
  return { ...between(first, second), grows: second };
}

export function meets(conflict: Conflict, write: () => Promise<unknown>, outcome?: unknown): StoreWrite[] {
  return [{ ...conflict, write, outcome }];
}
