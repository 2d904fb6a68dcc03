/**
 * For statements to check. `name` is that of work that must not be done twice, so that of all processes on one database
 * only the owner of its lease does it. `term` tells apart what one owner held before and after the lease expired.
 */
export type LeaseHold = { name: string; owner: string; term: bigint };

export type Lease = {
  /** Null while another process owns it, and when this one cannot be sure that it still does. */
  findHold: () => LeaseHold | null;
  /** Called each time the lease was acquired. */
  onAcquired: (listener: () => void) => void;
  /** How a piece of the work ended. After failures in a row the lease is released, so that another process may try. */
  noteSuccess: () => void;
  noteFailure: () => void;
};
