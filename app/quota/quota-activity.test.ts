import { expect, test } from "vitest";
import { describeQuotaActivity } from "./quota.settings";

test("the quota is in force only when all three conditions hold, and each missing one is named", () => {
  const all = { isJwtRequired: true, isStateActive: true, isQuotaEnabled: true };
  expect(describeQuotaActivity(all)).toEqual({ active: true, missing: [] });
  for (const [condition, name] of [
    ["isJwtRequired", "NEXT_PUBLIC_AI_CHAT_REQUIRES_JWT"],
    ["isStateActive", "NEXT_PUBLIC_ENABLE_STATE_WORKER"],
    ["isQuotaEnabled", "AI_CHAT_QUOTA_ENABLED"],
  ] as const) {
    const conditions = { ...all, [condition]: false };
    expect(describeQuotaActivity(conditions)).toEqual({
      active: false,
      missing: [expect.stringContaining(name) as string],
    });
  }
  const none = { isJwtRequired: false, isStateActive: false, isQuotaEnabled: false };
  expect(describeQuotaActivity(none).missing).toHaveLength(3);
});
