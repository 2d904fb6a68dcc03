import type { QuotaKind, QuotaOwner } from "./quota-subject";

/** All keys of the quota share a tag in braces, so that a cluster keeps them on one server, where scripts can. */
const tag = "{quota}";

export const quotaKeys = {
  /** used, windowStartMs, resetAtMs */
  window: ({ kind, subject }: QuotaOwner) => `${tag}:window:${kind}:${subject}`,
  /** What is set aside in the windows of one subject: reservation → "amount resetAtMs". */
  held: ({ kind, subject }: QuotaOwner) => `${tag}:held:${kind}:${subject}`,
  /** Whose a reservation is, and until when. */
  reservation: (id: string) => `${tag}:reservation:${id}`,
  /** "id instance" of every reservation, ordered by the end of its lease. */
  leases: `${tag}:leases`,
  /** Processes that set tokens aside, ordered by the end of their leases. */
  instances: `${tag}:instances`,
  /** The subjects that have windows, ordered by their ends. */
  subjects: (kind: QuotaKind) => `${tag}:subjects:${kind}`,
};

/** For scripts that learn only from a reservation whose it is. */
export const quotaKeyStart = `${tag}:`;
