import { expect, test } from "vitest";
import { createRequestTimes } from "./request-times";

test("times are summed by kind, and unfinished ones count until now", () => {
  const times = createRequestTimes(1_000);
  expect(times.render(1_000)).toBe("total;dur=0.0");
  times.begin({ kind: "chain", startedAtMs: 1_001 })(1_003.25);
  const end = times.begin({ kind: "chain", startedAtMs: 1_002 });
  end(1_003);
  end(1_099);
  times.begin({ kind: "provider", startedAtMs: 1_004 });
  const shown = 'total;dur=10.0, chain;dur=3.3;desc="2x", provider;dur=6.0;desc="1x"';
  expect(times.render(1_010)).toBe(shown);
  expect(times.render(1_010)).toBe(shown);
});
