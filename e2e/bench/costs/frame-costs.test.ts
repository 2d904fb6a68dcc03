import { expect, test } from "vitest";
import { judgeFrames, toFrameFigures, toFrameText } from "./frame-costs";

const evenly = (count: number, everyMs: number) =>
  Array.from({ length: count }, (_, at) => 500 + at * everyMs);

test("frames are counted by the gaps between them, and lost ones show in the slowest", () => {
  expect(toFrameFigures({ startsMs: evenly(101, 20), longTasksMs: [60, 51], drawnWords: 400 })).toEqual({
    framesPerSecond: 50,
    p95FrameMs: 20,
    longTasks: 2,
    wordsPerSecond: 200,
  });
  // Ninety-four gaps of 10 ms and six of 110 ms.
  const startsMs = [...evenly(95, 10), ...Array.from({ length: 6 }, (_, at) => 1440 + (at + 1) * 110)];
  const figures = toFrameFigures({ startsMs, longTasksMs: [], drawnWords: 1 });
  expect(figures.p95FrameMs).toBe(110);
  expect(figures.framesPerSecond).toBeCloseTo(100 / 1.6);
});

test("an idle page, or one without frames, is no measurement", () => {
  expect(() => toFrameFigures({ startsMs: evenly(100, 16), longTasksMs: [], drawnWords: 0 })).toThrow(
    "at rest",
  );
  expect(() => toFrameFigures({ startsMs: [1], longTasksMs: [], drawnWords: 9 })).toThrow("no two frames");
});

test("sixty frames a second meet the aim, one fewer does not", () => {
  const figures = { framesPerSecond: 59.5, p95FrameMs: 16.8, longTasks: 0, wordsPerSecond: 199.6 };
  expect(toFrameText(figures, 5)).toContain("| 59.5 | 16.8 | 0 | 200 |");
  expect(judgeFrames(figures)).toBe("PASS  /chat frames a second at least 60: 59.5");
  expect(judgeFrames({ ...figures, framesPerSecond: 59.4 })).toBe(
    "over  /chat frames a second at least 60: 59.4",
  );
});
