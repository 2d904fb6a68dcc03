/** Work that must not be done twice, so that of all processes on one database only the owner of its lease does it. */
export const leaseNames = ["payments", "watcher"] as const;
export type LeaseName = (typeof leaseNames)[number];

/** For statements to check. `term` tells apart what one owner held before and after the lease expired. */
export type LeaseHold = { name: LeaseName; owner: string; term: bigint };

export type Lease = {
  /** Null while another process owns it, and when this one cannot be sure that it still does. */
  findHold: () => LeaseHold | null;
  /** Called each time the lease was acquired. */
  onAcquired: (listener: () => void) => void;
  /** How a piece of the work ended. After failures in a row the lease is released, so that another process may try. */
  noteSuccess: () => void;
  noteFailure: () => void;
};
