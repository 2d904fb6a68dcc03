/** Work that one process does for all that share a database. */
export const leaseNames = ["outbox", "sweeper", "watcher"] as const;
export type LeaseName = (typeof leaseNames)[number];

/** Proof of a lease, for statements to check. `term` tells apart what one holder held before and after a lapse. */
export type LeaseHold = { name: LeaseName; holder: string; term: bigint };

/** What a worker knows of its lease. */
export type Lease = {
  /** Null while somebody else has it, and when this process cannot be sure that it is still its own. */
  findHold: () => LeaseHold | null;
  /** Called whenever the lease was gained anew. */
  onGain: (listener: () => void) => void;
};
