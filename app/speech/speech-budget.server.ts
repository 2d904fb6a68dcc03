import type { Caller } from "~/gate/tokens/caller.server";
import { keyRefOf } from "~/gate/kinds/kind";
import type { Clock } from "~/platform/time/clock";
import { quotaExceeded, quotaHeaders } from "~/quota/quota-headers";
import type { QuotaLedger } from "~/quota/quota.server";
import { ownerOfSpeech } from "~/quota/quota-subject";
import type { QuotaOwner } from "~/quota/quota-subject";

type SpeechBudget = {
  store: QuotaLedger;
  isActive: boolean;
  /** Characters per key and window. */
  limit: number;
  windowSeconds: number;
  expiresInSeconds: number;
  clock: Clock;
};

/** Call `settle` exactly once. It returns the quota's headers. */
export type SpeechAdmission = { settle: (use: { isSpoken: boolean }) => Promise<Record<string, string>> };

/** The quota's headers. Null if too little is left, which `admitSpeech` refuses. */
export async function readSpeechAllowance(
  { store, isActive, limit }: SpeechBudget,
  caller: Caller | null,
  characters: number,
): Promise<Record<string, string> | null> {
  if (!isActive) return {};
  const standing = await store.readStanding({ owner: ownerOf(caller), limit });
  return standing.remaining < characters ? null : quotaHeaders(standing);
}

/** Reserves the whole text, or refuses. */
export async function admitSpeech(
  { store, isActive, limit, windowSeconds, expiresInSeconds, clock }: SpeechBudget,
  caller: Caller | null,
  characters: number,
): Promise<SpeechAdmission> {
  if (!isActive) return { settle: () => Promise.resolve({}) };
  const owner = ownerOf(caller);
  const outcome = await store.reserve({
    owner,
    wanted: characters,
    minimum: characters,
    limit,
    windowSeconds,
    expiresInSeconds,
  });
  if (outcome.outcome === "exhausted") {
    throw quotaExceeded({
      explanation: `This key may have ${limit} characters spoken in each window, and ${outcome.remaining} are left.`,
      counted: { unit: "characters", work: "speech" },
      figures: { ...outcome, limit },
      nowMs: clock(),
    });
  }
  const { reservationId } = outcome;
  return {
    settle: async ({ isSpoken }) => {
      await store.settle({ reservationId, usedTokens: isSpoken ? characters : 0 });
      return quotaHeaders(await store.readStanding({ owner, limit }));
    },
  };
}

function ownerOf(caller: Caller | null): QuotaOwner {
  if (caller === null) throw new Error("The speech budget is in force, but there is no key to count for.");
  return ownerOfSpeech(keyRefOf(caller.keyKind, caller.claims.tokenId));
}
