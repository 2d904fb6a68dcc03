import { expect, test } from "vitest";
import { latencyBucketEndMs, latencyBucketOf, quantileMs } from "./activity-view";

const latencyBucketCount = 62;

test("a duration is counted in the bucket whose bounds it lies between", () => {
  for (const durationMs of [0.11, 0.3, 1, 2.5, 10, 99, 1_000, 30_000]) {
    const bucket = latencyBucketOf(durationMs);
    expect(latencyBucketEndMs(bucket)).toBeGreaterThanOrEqual(durationMs * 0.999999);
    expect(latencyBucketEndMs(bucket - 1)).toBeLessThan(durationMs);
  }
  for (let bucket = 1; bucket < latencyBucketCount - 1; bucket++) {
    expect(latencyBucketOf(latencyBucketEndMs(bucket))).toBe(bucket);
    expect(latencyBucketOf(latencyBucketEndMs(bucket) * 1.001)).toBe(bucket + 1);
  }
});

test("a duration below or above all buckets is counted in the first or the last", () => {
  expect([-1, 0, 0.1, Number.NaN].map(latencyBucketOf)).toEqual([0, 0, 0, 0]);
  expect(latencyBucketOf(10_000_000)).toBe(latencyBucketCount - 1);
  expect(latencyBucketEndMs(latencyBucketCount - 1)).toBeGreaterThan(60_000);
});

test("a quantile is never below the real one and at most a quarter above", () => {
  const durationsMs = Array.from({ length: 1_000 }, (_, index) => 0.2 + ((index * 7_919) % 1_000) / 4);
  const counts = new Map<number, number>();
  for (const durationMs of durationsMs) {
    const bucket = latencyBucketOf(durationMs);
    counts.set(bucket, (counts.get(bucket) ?? 0) + 1);
  }
  const sorted = durationsMs.toSorted((left, right) => left - right);
  for (const share of [0.5, 0.95, 0.99]) {
    const real = sorted[Math.ceil(share * sorted.length) - 1]!;
    const found = quantileMs(counts, share)!;
    expect(found).toBeGreaterThanOrEqual(real);
    expect(found).toBeLessThanOrEqual(real * 1.25);
  }
  expect(quantileMs(new Map(), 0.5)).toBeNull();
});
