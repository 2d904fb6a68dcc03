/**
 * For conditions in statements. `name` is the work that only one process does. `term` changes whenever the lease is
 * acquired again.
 */
export type LeaseHold = { name: string; owner: string; term: bigint };

export type Lease = {
  /** Null unless this process is sure to own it. */
  findHold: () => LeaseHold | null;
  /** Called whenever the lease is acquired. */
  onAcquired: (listener: () => void) => void;
  /** After failures in a row the lease is released, so that another process may try. */
  noteSuccess: () => void;
  noteFailure: () => void;
};
