import { expect, test } from "vitest";
import { createMetrics } from "~/platform/metrics/metrics.server";
import { instrumentLedger } from "./quota.server";
import type { QuotaLedger } from "./quota.server";

test("what is settled is counted once, and not where it was settled before", async () => {
  const metrics = createMetrics();
  let isOpen = true;
  const settle = async () => {
    const wasOpen = isOpen;
    isOpen = false;
    return wasOpen;
  };
  const ledger = instrumentLedger({ settle } as unknown as QuotaLedger, "token", metrics);
  for (let times = 0; times < 2; times++) await ledger.settle({ reservationId: "r", usedTokens: 2.5 });
  const settled = /^latchkey_quota_settled_total\{kind="token"\} (\d+)$/m;
  expect(settled.exec((await metrics.render()).body)?.[1]).toBe("3");
});
