import { expect, test } from "vitest";
import { replaceBetweenMarks } from "./replace-between-marks";
import { summarizeTools, toToolTable } from "./tool-costs";

test("the ratio is the median of the rounds' own ratios, and the aim is five times", () => {
  const at = (ours: number, sdk: number) => ({ ours, sdk });
  const costs = summarizeTools({ dialect: "x", measured: [at(10, 1), at(10, 2), at(40, 10)] });
  expect(costs).toEqual({ dialect: "x", oursPerSecond: 10, sdkPerSecond: 2, times: 5 });
  expect(toToolTable([costs])).toContain("| 5.0x | met |");
  expect(toToolTable([{ ...costs, times: 4.99 }])).toContain("missed");
});

test("the table goes between its marks and nowhere else", () => {
  const document = "a\n<!-- x:begin -->\nold\n<!-- x:end -->\nb";
  expect(replaceBetweenMarks({ document, name: "x", text: "new" })).toBe(
    "a\n<!-- x:begin -->\n\nnew\n\n<!-- x:end -->\nb",
  );
  expect(() => replaceBetweenMarks({ document, name: "y", text: "new" })).toThrow(/lacks/);
});
