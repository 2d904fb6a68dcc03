import { parseEther } from "viem";

/** A millionth of the chain's coin, the unit of the 32-bit columns. */
export const weiPerMicroether = 10n ** 12n;

/** Plain decimals of the coin, at most as fine as wei. */
export const etherPattern = /^(?:0|[1-9]\d{0,5})(?:\.\d{1,18})?$/;

export function toWei(etherText: string): bigint {
  if (!etherPattern.test(etherText)) throw new TypeError("The text is no amount of ether.");
  return parseEther(etherText);
}

/** Rounded up, so that we never count less than we spend. */
export function toMicroether(wei: bigint): number {
  return Number((wei + weiPerMicroether - 1n) / weiPerMicroether);
}
