import type { Caller } from "~/gate/tokens/caller.server";
import { keyRefOf } from "~/gate/kinds/kind";
import type { Clock } from "~/platform/time/clock";
import type { QuotaActivity } from "./quota-activity";
import { quotaExceeded, quotaHeaders } from "./quota-headers";
import type { QuotaView } from "./quota.schema";
import type { QuotaStore, Usage } from "./quota.store.server";
import type { QuotaStanding, ReserveRequest } from "./reservations.store.server";
import { ownerOfKey } from "./quota-subject";
import type { QuotaOwner } from "./quota-subject";

/** Reserves, settles and reads quotas for other features. */
export type QuotaLedger = Pick<QuotaStore, "reserve" | "settle" | "readStanding">;

export type QuotaDependencies = {
  store: QuotaLedger;
  activity: QuotaActivity;
  terms: {
    limit: number;
    windowSeconds: number;
    /** The longest one answer may become. */
    maxOutputTokens: number;
    /** `expiryMarginSeconds` longer than any answer can take: a reservation that is older belongs to nobody. */
    expiresInSeconds: number;
  };
  clock: Clock;
};

/** How far an answer may go, where its real length is put down, and headers that tell the client where it stands. */
export type QuotaAdmission = {
  reservation: {
    maxOutputTokens: number;
    settle: (usage: Omit<Usage, "reservationId">) => Promise<void>;
  };
  headers: Record<string, string>;
};

/** Reserves tokens for one answer, under an id that is given or a new one, or refuses: the window has none left. */
export async function admitAnswer(
  caller: Caller | null,
  dependencies: QuotaDependencies,
  given: Pick<ReserveRequest, "reservationId"> = {},
): Promise<QuotaAdmission> {
  const { store, terms, activity, clock } = dependencies;
  if (!activity.active) {
    return {
      reservation: { maxOutputTokens: terms.maxOutputTokens, settle: () => Promise.resolve() },
      headers: {},
    };
  }
  if (caller === null) throw new Error("The quota is in force, but nobody is there whom it could count.");
  const outcome = await store.reserve({
    owner: ownerOfCaller(caller),
    wanted: terms.maxOutputTokens,
    ...given,
    ...terms,
  });
  if (outcome.outcome === "exhausted") {
    throw quotaExceeded({
      explanation: `This key has used its ${terms.limit} tokens.`,
      counted: { unit: "tokens", work: "answers" },
      figures: { ...outcome, limit: terms.limit },
      nowMs: clock(),
    });
  }
  const { reservationId, amount } = outcome;
  return {
    reservation: {
      maxOutputTokens: amount,
      settle: async (usage) => void (await store.settle({ reservationId, ...usage })),
    },
    headers: quotaHeaders(outcome),
  };
}

/** What the caller's key has left. Where the quota is not in force, nothing is counted and nothing looked up. */
export async function readQuota(caller: Caller, dependencies: QuotaDependencies): Promise<QuotaView> {
  const { activity, store, terms } = dependencies;
  const { limit } = terms;
  const standing: QuotaStanding = activity.active
    ? await store.readStanding({ owner: ownerOfCaller(caller), limit })
    : { limit, used: 0, reserved: 0, remaining: limit, resetAtMs: null };
  const { resetAtMs, ...figures } = standing;
  return {
    active: activity.active,
    ...figures,
    resetAt: resetAtMs === null ? null : new Date(resetAtMs).toISOString(),
  };
}

function ownerOfCaller({ claims, keyKind }: Caller): QuotaOwner {
  return ownerOfKey(keyRefOf(keyKind, claims.tokenId));
}
