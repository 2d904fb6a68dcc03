import { expect, test } from "vitest";
import { summarizePart, toPartTable } from "./part-costs";

test("each part has a row, library first, with the median of the rounds' own ratios", () => {
  const rounds = [
    { libraryMicros: 100, ownMicros: 10 },
    { libraryMicros: 400, ownMicros: 80 },
    { libraryMicros: 200, ownMicros: 100 },
  ];
  const cost = summarizePart({ part: "sign", rounds });
  expect(cost).toEqual({ part: "sign", libraryMicros: 200, ownMicros: 80, times: 0.2 });
  expect(toPartTable([cost]).split("\n")[2]).toBe("| sign | 200 | 80 | 0.20 |");
});
