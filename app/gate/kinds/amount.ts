/**
 * An amount in base units as people write it: 2500000 of a token with 6 decimals is 2.5. Exact, however long: a
 * rounded amount could look enough where it is not.
 */
export function formatAmount(baseUnits: string, decimals: number): string {
  const digits = baseUnits.replace(/^0+(?=\d)/, "").padStart(decimals + 1, "0");
  const point = digits.length - decimals;
  const whole = digits.slice(0, point).replaceAll(/\B(?=(?:\d{3})+$)/g, ",");
  const fraction = digits.slice(point).replace(/0+$/, "");
  return fraction === "" ? whole : `${whole}.${fraction}`;
}
