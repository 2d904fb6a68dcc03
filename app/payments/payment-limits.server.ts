import { formatEther } from "viem";
import { weiPerMicroether } from "./ether";
import { PaymentRefused } from "./payment-refused";
import { daySeconds } from "./payments.settings";
import type { readPayments } from "./payments.settings";
import type { RecordOutcome, WindowBounds } from "./payments.store.server";

export type PaymentLimits = Omit<NonNullable<ReturnType<typeof readPayments>>, "privateKey">;

export function requireWithinCall(amountWei: bigint, limits: PaymentLimits): void {
  const maxWei = BigInt(limits.maxMicroetherPerCall) * weiPerMicroether;
  if (amountWei > 0n && amountWei <= maxWei) return;
  throw new PaymentRefused(
    `One payment is more than 0 and at most ${formatEther(maxWei)}. Nothing was paid.`,
  );
}

/** The windows end now, whenever that is: in no span of their length is more paid than they allow. */
export function boundsAt(limits: PaymentLimits, nowMs: number): WindowBounds {
  const since = (seconds: number) => nowMs - seconds * 1_000;
  return {
    address: { limit: limits.addressMicroether, sinceMs: since(limits.addressWindowSeconds) },
    total: { limit: limits.dailyMicroether, sinceMs: since(daySeconds) },
  };
}

export function refuseExhausted(
  { window, left, oldestAtMs }: Extract<RecordOutcome, { outcome: "exhausted" }>,
  limits: PaymentLimits,
): PaymentRefused {
  const [what, seconds] =
    window === "address"
      ? ["This address has had what it may have for now", limits.addressWindowSeconds]
      : ["The service has paid what it may pay in a day", daySeconds];
  const when =
    oldestAtMs === null
      ? "The rest is reserved for payments that the chain has not confirmed yet."
      : `More is left from ${new Date(oldestAtMs + seconds * 1_000).toISOString()} on.`;
  const leftText = formatEther(BigInt(left) * weiPerMicroether);
  return new PaymentRefused(`${what}: ${leftText} is left, fees included. ${when} Nothing was paid.`);
}
