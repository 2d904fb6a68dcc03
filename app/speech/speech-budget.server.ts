import type { Caller } from "~/gate/caller.server";
import type { Clock } from "~/platform/clock";
import { Refusal } from "~/platform/http/refusal";
import type { QuotaLedger } from "~/quota/quota.server";
import { ownerOfSpeech } from "~/quota/quota-subject";

export type SpeechBudget = {
  store: QuotaLedger;
  contractAddress: string;
  /** Whether identities are counted at all on this server. */
  isActive: boolean;
  /** Characters of each key in each window. */
  limit: number;
  windowSeconds: number;
  leaseSeconds: number;
  clock: Clock;
};

/** `settle` has to be called once. */
export type SpeechAdmission = {
  headers: Record<string, string>;
  settle: (use: { isSpoken: boolean }) => Promise<void>;
};

/** Sets the whole text aside, or refuses: half a text is nothing to listen to. */
export async function admitSpeech({
  caller,
  characters,
  budget,
}: {
  caller: Caller | null;
  characters: number;
  budget: SpeechBudget;
}): Promise<SpeechAdmission> {
  const { store, isActive, limit, windowSeconds, leaseSeconds, clock } = budget;
  if (!isActive) return { headers: {}, settle: () => Promise.resolve() };
  if (caller === null)
    throw new Error("The speech budget is in force, but nobody is there whom it could count.");
  const { chainId, tokenId } = caller.claims;
  const outcome = await store.reserve({
    owner: ownerOfSpeech({ chainId, contractAddress: budget.contractAddress, tokenId }),
    wanted: characters,
    minimum: characters,
    ...{ limit, windowSeconds, leaseSeconds },
  });
  const { remaining, resetAtMs } = outcome;
  const resetAt = new Date(resetAtMs).toISOString();
  const headers = {
    "X-Quota-Limit": String(limit),
    "X-Quota-Remaining": String(remaining),
    "X-Quota-Reset": resetAt,
  };
  if (outcome.outcome === "exhausted") {
    throw new Refusal("quota-exceeded", {
      detail: `This key may have ${limit} characters spoken in each window, and ${remaining} are left. A new window begins at ${resetAt}.`,
      members: { remaining, resetAt },
      headers: {
        ...headers,
        "Retry-After": String(Math.max(1, Math.ceil((resetAtMs - clock()) / 1000))),
      },
    });
  }
  const { reservationId } = outcome;
  return {
    headers,
    settle: async ({ isSpoken }) =>
      void (await store.settle({ reservationId, usedTokens: isSpoken ? characters : 0 })),
  };
}
