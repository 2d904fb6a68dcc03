export const channels = ["webhook", "email"] as const;
export type Channel = (typeof channels)[number];

/** What a feature has to tell the operator. */
export type Notification = { kind: string; data: Readonly<Record<string, unknown>> };

export type DeliveryRef = { notificationId: string; channel: string };

export type ClaimedDelivery = {
  /** The same for every attempt and every channel: `webhook-id`, and the left part of the Message-ID. */
  notificationId: string;
  channel: Channel;
  kind: string;
  /** JSON text, sent as it is stored, byte for byte. */
  payload: string;
  /** Attempts that were marked as failed before this one: 0 at the first. */
  attempts: number;
  createdAtMs: number;
};

export type ClaimRequest = {
  /** Names the caller among all processes: two callers with one name would share their claims. */
  claimant: string;
  limit: number;
  claimSeconds: number;
  channels: readonly Channel[];
};

export type DeliveryClaim = { notificationId: string; channel: Channel; claimant: string };

/**
 * How an attempt ended. `error` is one line for the operator, stored and logged, and holds neither secrets nor the
 * receiver's address nor the message. `give-up` is for receivers that asked never to be called again.
 */
export type DeliveryOutcome =
  | { outcome: "delivered" }
  | { outcome: "retry"; error: string; retryAfterMs?: number }
  | { outcome: "give-up"; error: string };

/** The way to one receiver. Never throws; ends soon after `signal` aborts. */
export type Gateway = {
  deliver(delivery: ClaimedDelivery, signal: AbortSignal): Promise<DeliveryOutcome>;
};

/** `nextAttemptAtMs` of a delivery that was given up: the last moment a Date can name. */
export const neverAttemptAtMs = 8_640_000_000_000_000;

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** Waits after the first, second, … failure: six attempts within 75 minutes, then one every six hours. */
export const retryDelaysMs = [5_000, 30_000, 2 * minuteMs, 10 * minuteMs, hourMs, 6 * hourMs] as const;

/** A receiver may ask for a longer wait than ours, but not delay us forever. */
export const longestRetryAfterMs = 24 * hourMs;

/** Each wait is stretched or shortened by up to this share, so that many failures do not return together. */
const jitterShare = 0.2;

/** How long to wait after a failure. `failures` counts this one too; `random` is in [0, 1). */
export function retryDelayMs(failures: number, random: number, retryAfterMs: number = 0): number {
  const delayMs = retryDelaysMs[Math.max(failures, 1) - 1] ?? 6 * hourMs;
  const jittered = Math.round(delayMs * (1 - jitterShare + 2 * jitterShare * random));
  return Math.max(jittered, Math.min(retryAfterMs, longestRetryAfterMs));
}
