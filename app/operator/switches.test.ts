import { expect, test } from "vitest";
import { describeQuotaActivity } from "~/quota/quota-activity";
import { describeSwitches } from "./switches";
import type { SwitchSettings } from "./switches";

const allOn: SwitchSettings = {
  isStateEnabled: true,
  legacySignatures: "allow",
  requireSignedMessage: true,
  tokenAlgorithm: "ES256",
  sessionMaxSeconds: 86_400,
  requiresJwt: true,
  quota: describeQuotaActivity({ isJwtRequired: true, isStateActive: true, isQuotaEnabled: true }),
  hasResetSecret: true,
  speechProvider: "flite",
  hasPayments: true,
  hasWebhook: true,
  hasEmail: true,
  isOpenApiEnabled: true,
  metrics: "token",
  isTraced: true,
  trustProxy: "loopback",
  decisionDays: 30,
  limitsOff: [],
};

function listOff(change: Partial<SwitchSettings>): [string, string][] {
  return describeSwitches({ ...allOn, ...change }).flatMap(({ name, isOn, why }) =>
    isOn ? [] : [[name, why]],
  );
}

test("with everything on, nothing is off, and each says why all the same", () => {
  expect(listOff({})).toEqual([]);
  for (const { why } of describeSwitches(allOn)) expect(why).toMatch(/^[A-Z].*\.$/);
});

test.each<[Partial<SwitchSettings>, string]>([
  [{ isStateEnabled: false }, "NEXT_PUBLIC_ENABLE_STATE_WORKER"],
  [{ legacySignatures: "deny" }, "LEGACY_SIGNATURES"],
  [{ legacySignatures: "fallback" }, "LEGACY_SIGNATURES"],
  [{ requireSignedMessage: false }, "REQUIRE_SIGNED_MESSAGE"],
  [{ sessionMaxSeconds: 0 }, "SESSION_MAX_SECONDS"],
  [{ requiresJwt: false }, "NEXT_PUBLIC_AI_CHAT_REQUIRES_JWT"],
  [{ quota: { active: false, missing: ["AI_CHAT_QUOTA_ENABLED is not true"] } }, "AI_CHAT_QUOTA_ENABLED"],
  [{ hasResetSecret: false }, "AI_QUOTA_RESET_SECRET"],
  [{ speechProvider: "disabled" }, "TTS_PROVIDER"],
  [{ hasPayments: false }, "AI_PRIVATE_KEY"],
  [{ hasWebhook: false }, "WEBHOOK_URL"],
  [{ hasEmail: false }, "SMTP_URL"],
  [{ isOpenApiEnabled: false }, "OPENAPI_ENABLED"],
  [{ metrics: null }, "METRICS_TOKEN"],
  [{ isTraced: false }, "OTEL_EXPORTER_OTLP_ENDPOINT"],
  [{ trustProxy: undefined }, "TRUST_PROXY"],
  [{ decisionDays: 0 }, "OPERATOR_DECISIONS_DAYS"],
  [{ limitsOff: ["chat"] }, "chat"],
])("%j switches one thing off, for a reason that names what to set", (change, reason) => {
  const off = listOff(change);
  expect(off).toHaveLength(1);
  expect(off[0]![1]).toContain(reason);
});

test("older signatures stand in where sign-in with Ethereum is off", () => {
  const names = listOff({ isStateEnabled: false, legacySignatures: "fallback" }).map(([name]) => name);
  expect(names).toEqual(["Sign-in with Ethereum"]);
});
