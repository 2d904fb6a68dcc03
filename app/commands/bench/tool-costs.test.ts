import { expect, test } from "vitest";
import { replaceBetweenMarks } from "./replace-between-marks";
import { summarizeTools, toToolTable } from "./tool-costs";

test("the ratios are medians of the rounds' own ratios, and the aim is five times as many a second", () => {
  const load = (perSecond: number, cpuMicros: number | null) => ({ perSecond, cpuMicros });
  const costs = summarizeTools({
    dialect: "x",
    measured: [
      { ours: load(10, 100), sdk: load(1, 300) },
      { ours: load(10, 100), sdk: load(2, 400) },
      { ours: load(40, 50), sdk: load(10, 250) },
    ],
  });
  expect(costs).toMatchObject({ ours: load(10, 100), sdk: load(2, 300), times: 5, timesByCpu: 4 });
  expect(toToolTable([costs])).toContain("| x | 10 | 2 | 5.0x | 100 | 300 | 4.0x | met |");
  expect(toToolTable([{ ...costs, times: 4.99 }])).toContain("missed");
});

test("where the system does not tell a process's time, the table says so", () => {
  const load = { perSecond: 1, cpuMicros: null };
  const costs = summarizeTools({ dialect: "x", measured: [{ ours: load, sdk: load }] });
  expect(costs.timesByCpu).toBeNull();
  expect(toToolTable([costs])).toContain("unknown");
});

test("the table goes between its marks and nowhere else", () => {
  const document = "a\n<!-- x:begin -->\nold\n<!-- x:end -->\nb";
  expect(replaceBetweenMarks({ document, name: "x", text: "new" })).toBe(
    "a\n<!-- x:begin -->\n\nnew\n\n<!-- x:end -->\nb",
  );
  expect(() => replaceBetweenMarks({ document, name: "y", text: "new" })).toThrow(/lacks/);
});
