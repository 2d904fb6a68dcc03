export const channels = ["webhook", "email"] as const;
export type Channel = (typeof channels)[number];

/** A feature's message to the operator. */
export type Notification = { kind: string; data: Readonly<Record<string, unknown>> };

export type DeliveryRef = { notificationId: string; channel: string };

export type ClaimedDelivery = {
  /** The same for every attempt and every channel: `webhook-id`, and the left part of the Message-ID. */
  notificationId: string;
  channel: Channel;
  kind: string;
  /** JSON text, sent byte for byte as it is stored. */
  payload: string;
  /** Failed attempts before this one. */
  attempts: number;
  createdAtMs: number;
};

export type ClaimRequest = {
  /** Unique among all processes. */
  claimant: string;
  limit: number;
  claimSeconds: number;
  channels: readonly Channel[];
};

export type DeliveryClaim = { notificationId: string; channel: Channel; claimant: string };

/**
 * `error` is one line for the operator, stored and logged. It contains no secret, address or message text. `give-up`: the
 * receiver asked never to be called again.
 */
export type DeliveryOutcome =
  | { outcome: "delivered" }
  | { outcome: "retry"; error: string; retryAfterMs?: number }
  | { outcome: "give-up"; error: string };

/** Sends to one receiver. `timeoutMs` bounds an attempt, name lookup and TLS included. */
export type Gateway = {
  timeoutMs: number;
  deliver: (delivery: ClaimedDelivery, signal: AbortSignal) => Promise<DeliveryOutcome>;
};

/** `nextAttemptAtMs` of a delivery that was given up: the latest Date there is. */
export const neverAttemptAtMs = 8_640_000_000_000_000;

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** Waits after the first, second, … failure: six attempts within 75 minutes, then one every six hours. */
export const retryDelaysMs = [5_000, 30_000, 2 * minuteMs, 10 * minuteMs, hourMs, 6 * hourMs] as const;

/** A receiver may ask for a longer wait than ours, up to this. */
export const longestRetryAfterMs = 24 * hourMs;

/** Jitter, so that many failures don't return together. */
const jitterShare = 0.2;

/** `failures` counts this one too; `random` is in [0, 1). */
export function retryDelayMs(failures: number, random: number, retryAfterMs: number = 0): number {
  const delayMs = retryDelaysMs[Math.max(failures, 1) - 1] ?? 6 * hourMs;
  const jittered = Math.round(delayMs * (1 - jitterShare + 2 * jitterShare * random));
  return Math.max(jittered, Math.min(retryAfterMs, longestRetryAfterMs));
}
