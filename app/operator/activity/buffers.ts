import type { Clock } from "~/platform/time/clock";
import { redactText } from "~/platform/log/redact";

/** `startMs` is the beginning of the minute. */
export type Count = { startMs: number; series: string; amount: number };

const minuteMs = 60_000;
/** An hour of all series, for an outage. Beyond it the oldest are dropped. */
const maxWaitingCounts = 6_000;

export function createActivityBuffer(clock: Clock) {
  let minuteStartMs = 0;
  let minute = new Map<string, number>();
  let waiting: Count[] = [];
  let droppedAmount = 0;

  function closeMinute(): void {
    for (const [series, amount] of minute) waiting.push({ startMs: minuteStartMs, series, amount });
    minute = new Map();
    const excess = waiting.length - maxWaitingCounts;
    if (excess > 0) for (const { amount } of waiting.splice(0, excess)) droppedAmount += amount;
  }

  return {
    count({ series, amount = 1 }: { series: string; amount?: number }): void {
      const nowMs = clock();
      if (nowMs < minuteStartMs || nowMs >= minuteStartMs + minuteMs) {
        closeMinute();
        minuteStartMs = nowMs - (nowMs % minuteMs);
      }
      minute.set(series, (minute.get(series) ?? 0) + amount);
    },
    take(): Count[] {
      closeMinute();
      return waiting.splice(0);
    },
    putBack(counts: readonly Count[]): void {
      waiting = [...counts, ...waiting];
    },
    size: () => waiting.length + minute.size,
    dropped: () => droppedAmount,
  };
}

export type NewDecision = {
  route: string;
  outcome: "granted" | "refused";
  slug: string | null;
  reason: string | null;
  proof: string | null;
  address: string | null;
  /** Null if the key is the address's own. */
  vault: string | null;
  tokenId: string | null;
  /** Null if kinds of keys have no names. */
  keyKind: string | null;
  /** The unmet parts of that kind. */
  missing: string | null;
  /** The site behind the door. */
  site: string | null;
  clientId: string;
  requestId: string;
};

export type Decision = NewDecision & { id: string; atMs: number };

const maxReasonChars = 300;
const maxTextChars = 100;

/** Ids begin with a timestamp of this many digits, so that they sort by time. */
const momentDigits = 13;

/** Keeps at most `maxWaiting` decisions of each outcome, and counts the dropped ones. */
export function createDecisionBuffer(clock: Clock, instance: string, maxWaiting: number) {
  const waiting: Record<NewDecision["outcome"], Decision[]> = { granted: [], refused: [] };
  let dropped = 0;
  let sequence = 0;

  function toDecision(decision: NewDecision): Decision {
    const atMs = clock();
    sequence += 1;
    const { reason, address, vault, tokenId, missing } = decision;
    return {
      ...decision,
      id: `${String(atMs).padStart(momentDigits, "0")}-${String(sequence).padStart(9, "0")}-${instance}`,
      atMs,
      // Refusals contain no proof. If one ever does, it isn't recorded.
      reason: reason && redactText(reason).slice(0, maxReasonChars),
      address: address && address.slice(0, maxTextChars).toLowerCase(),
      vault: vault && vault.slice(0, maxTextChars).toLowerCase(),
      tokenId: tokenId && tokenId.slice(0, maxTextChars),
      missing: missing && missing.slice(0, maxReasonChars),
    };
  }

  function keep(decision: Decision): void {
    const queue = waiting[decision.outcome];
    if (queue.length >= maxWaiting) dropped += 1;
    else queue.push(decision);
  }

  return {
    add(decision: NewDecision): void {
      if (waiting[decision.outcome].length >= maxWaiting) dropped += 1;
      else keep(toDecision(decision));
    },
    take: (): Decision[] => [...waiting.refused.splice(0), ...waiting.granted.splice(0)],
    putBack: (decisions: readonly Decision[]): void => decisions.forEach(keep),
    size: () => waiting.granted.length + waiting.refused.length,
    dropped: () => dropped,
  };
}
