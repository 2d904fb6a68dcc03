export type QuotaConditions = {
  isJwtRequired: boolean;
  isStateActive: boolean;
  isQuotaEnabled: boolean;
};

/** `missing`: what keeps the quota from being in force, each in words for the operator. */
export type QuotaActivity = { active: boolean; missing: readonly string[] };

/** All three have to hold: nobody is counted who is not known, nor where there is nothing to count in. */
export function describeQuotaActivity(conditions: QuotaConditions): QuotaActivity {
  const missing = [
    conditions.isJwtRequired ? [] : ["NEXT_PUBLIC_AI_CHAT_REQUIRES_JWT is not true"],
    conditions.isStateActive ? [] : ["NEXT_PUBLIC_ENABLE_STATE_WORKER is not true"],
    conditions.isQuotaEnabled ? [] : ["AI_CHAT_QUOTA_ENABLED is not true"],
  ].flat();
  return { active: missing.length === 0, missing };
}
