import { formatEther } from "viem";
import type { Address } from "viem";
import type { QuotaLedger } from "~/quota/quota.server";
import { ownerOfAddress, ownerOfAllPayments } from "~/quota/quota-subject";
import type { QuotaOwner } from "~/quota/quota-subject";
import { toMicroether, weiPerMicroether } from "./ether";
import { PaymentRefused } from "./payment-refused";

export type PaymentLimits = {
  maxMicroetherPerCall: number;
  addressMicroether: number;
  addressWindowSeconds: number;
  dailyMicroether: number;
};
export type PaymentReservations = { addressReservationId: string; dayReservationId: string };

const daySeconds = 86_400;

export function requireWithinCall({ amountWei, limits }: { amountWei: bigint; limits: PaymentLimits }): void {
  const maxWei = BigInt(limits.maxMicroetherPerCall) * weiPerMicroether;
  if (amountWei > 0n && amountWei <= maxWei) return;
  throw new PaymentRefused(
    `One payment is more than 0 and at most ${formatEther(maxWei)}. Nothing was paid.`,
  );
}

/** Sets aside the most that the payment can cost, in both windows or in neither. */
export async function reservePayment({
  recipient,
  maxCostWei,
  limits,
  ledger,
}: {
  recipient: Address;
  maxCostWei: bigint;
  limits: PaymentLimits;
  ledger: QuotaLedger;
}): Promise<PaymentReservations> {
  const amount = toMicroether(maxCostWei);
  const addressReservationId = await reserve({
    owner: ownerOfAddress(recipient),
    limit: limits.addressMicroether,
    windowSeconds: limits.addressWindowSeconds,
    amount,
    ledger,
    what: "This address has had what it may have for now",
  });
  try {
    const dayReservationId = await reserve({
      owner: ownerOfAllPayments,
      limit: limits.dailyMicroether,
      windowSeconds: daySeconds,
      amount,
      ledger,
      what: "The service has paid what it may pay in a day",
    });
    return { addressReservationId, dayReservationId };
  } catch (error) {
    await ledger.settle({ reservationId: addressReservationId, usedTokens: 0 });
    throw error;
  }
}

/** Puts down what was really spent. A second time changes nothing. */
export async function settlePayment({
  reservations: { addressReservationId, dayReservationId },
  spentWei,
  ledger,
}: {
  reservations: PaymentReservations;
  spentWei: bigint;
  ledger: QuotaLedger;
}): Promise<void> {
  const usedTokens = toMicroether(spentWei);
  await ledger.settle({ reservationId: addressReservationId, usedTokens });
  await ledger.settle({ reservationId: dayReservationId, usedTokens });
}

/** The lease is as long as the window: as long as the chain has not decided, the amount stays set aside. */
async function reserve({
  owner,
  limit,
  windowSeconds,
  amount,
  ledger,
  what,
}: {
  owner: QuotaOwner;
  limit: number;
  windowSeconds: number;
  amount: number;
  ledger: QuotaLedger;
  what: string;
}): Promise<string> {
  const terms = { owner, limit, windowSeconds, leaseSeconds: windowSeconds };
  const outcome = await ledger.reserve({ ...terms, wanted: amount, minimum: amount });
  if (outcome.outcome === "reserved") return outcome.reservationId;
  const left = formatEther(BigInt(outcome.remaining) * weiPerMicroether);
  const resetAt = new Date(outcome.resetAtMs).toISOString();
  throw new PaymentRefused(
    `${what}: ${left} is left, fees included. A new window begins at ${resetAt}. Nothing was paid.`,
  );
}
