import { expect, test } from "vitest";
import { formatAmount } from "./requirement-report";

test.each([
  ["2500000", 6, "2.5"],
  ["1", 0, "1"],
  ["0", 18, "0"],
  ["000", 2, "0"],
  ["1", 18, "0.000000000000000001"],
  ["1234567", 0, "1,234,567"],
  ["1234567890000000000000", 18, "1,234.56789"],
  ["1000000", 6, "1"],
  ["2499999", 6, "2.499999"],
  ["1".padEnd(78, "0"), 77, "1"],
])("%s with %i decimals is %s", (baseUnits, decimals, text) => {
  expect(formatAmount(baseUnits, decimals)).toBe(text);
});
