import { flag, integer } from "~/platform/config/kinds";
import { ownSecret } from "~/platform/config/secret-strength";
import type { SettingReader } from "~/platform/config/setting-reader";

export const quotaSettings = {
  enabled: flag(
    "AI_CHAT_QUOTA_ENABLED",
    { default: true, switches: { name: "Chat quota" } },
    "Limits what each key may have answered. In force only while chat requires a token and the state service is on.",
  ),
  // Leaves room below the maximum of a 32-bit column for several replies.
  tokens: integer(
    "AI_CHAT_QUOTA_TOKENS",
    { min: 1, max: 1_000_000_000, default: 20_000 },
    "Estimated output tokens of each key in each window.",
  ),
  windowSeconds: integer(
    "AI_CHAT_QUOTA_WINDOW_SEC",
    { min: 1, max: 31_536_000, default: 86_400 },
    "Length in seconds of a window of the chat and speech quotas. It begins with the first use.",
  ),
  resetSecret: ownSecret(
    "AI_QUOTA_RESET_SECRET",
    { switches: { name: "Quota reset by API" } },
    "Secret for POST /api/quota-reset. Without it that address refuses everybody.",
  ),
};

export function readQuota(reader: SettingReader, conditions: Omit<QuotaConditions, "isQuotaEnabled">) {
  const values = reader.read(quotaSettings);
  const activity = describeQuotaActivity({ ...conditions, isQuotaEnabled: values.enabled });
  const why = activity.active ? "All three conditions hold." : `${activity.missing.join("; ")}.`;
  reader.setSwitch(quotaSettings.enabled, activity.active, why);
  return { ...values, activity };
}

type QuotaConditions = {
  isJwtRequired: boolean;
  isStateActive: boolean;
  isQuotaEnabled: boolean;
};

/** `missing`: reasons why the quota is inactive, in words for the operator. */
export type QuotaActivity = { active: boolean; missing: readonly string[] };

/** All three must hold. */
export function describeQuotaActivity(conditions: QuotaConditions): QuotaActivity {
  const missing = [
    conditions.isJwtRequired ? [] : ["NEXT_PUBLIC_AI_CHAT_REQUIRES_JWT is not true"],
    conditions.isStateActive ? [] : ["NEXT_PUBLIC_ENABLE_STATE_WORKER is not true"],
    conditions.isQuotaEnabled ? [] : ["AI_CHAT_QUOTA_ENABLED is not true"],
  ].flat();
  return { active: missing.length === 0, missing };
}
