import type { Clock } from "~/platform/clock";
import { redactText } from "~/platform/redact";

/** A decision as its request knows it. */
export type NewDecision = {
  route: string;
  outcome: "granted" | "refused";
  slug: string | null;
  reason: string | null;
  proof: string | null;
  address: string | null;
  tokenId: string | null;
  clientId: string;
  requestId: string;
};

/** Whom the gate let in or turned away. */
export type Decision = NewDecision & { id: string; atMs: number };

/** Longer than any sentence of ours. */
const maxReasonChars = 300;
const maxTextChars = 100;

/** Ids begin with the moment in so many digits, so that they sort as moments do. */
const momentDigits = 13;

/** Decisions until somebody takes them, so many of each outcome; more are not kept, and counted. */
export function createDecisionBuffer(clock: Clock, instance: string, maxWaiting: number) {
  const waiting: Record<NewDecision["outcome"], Decision[]> = { granted: [], refused: [] };
  let dropped = 0;
  let sequence = 0;

  function toDecision(decision: NewDecision): Decision {
    const atMs = clock();
    sequence += 1;
    const place = String(sequence).padStart(9, "0");
    const cut = (text: string | null) => text?.slice(0, maxTextChars) ?? null;
    return {
      id: `${String(atMs).padStart(momentDigits, "0")}-${place}-${instance}`,
      atMs,
      route: decision.route,
      outcome: decision.outcome,
      slug: decision.slug,
      // Refusals hold no proof; should one ever do, it goes no further than here.
      reason: decision.reason === null ? null : redactText(decision.reason).slice(0, maxReasonChars),
      proof: decision.proof,
      address: cut(decision.address)?.toLowerCase() ?? null,
      tokenId: cut(decision.tokenId),
      clientId: decision.clientId,
      requestId: decision.requestId,
    };
  }

  function keep(decision: Decision): void {
    const kind = waiting[decision.outcome];
    if (kind.length >= maxWaiting) dropped += 1;
    else kind.push(decision);
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
