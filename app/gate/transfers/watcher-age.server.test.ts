import { expect, test } from "vitest";
import { createMetrics } from "~/platform/metrics/metrics.server";
import { createWatcherAge } from "./transfer-watchers.server";

test("the allowed age follows the poll interval, and the metrics show the age that readiness judges", async () => {
  let ageMs = 670_000;
  const watcherAge = createWatcherAge({
    findCursorAgeMs: async () => ageMs,
    pollSeconds: 300,
    leaseSeconds: 10,
    clock: () => 0,
  });
  const metrics = createMetrics();
  metrics.observeWatcherAge(watcherAge);
  const { body } = await metrics.render();
  expect(body).toContain("\nlatchkey_watcher_age_seconds 670\n");
  expect(body).toContain("\nlatchkey_watcher_allowed_age_seconds 670\n");
  expect(await watcherAge.judge()).toMatchObject({ fault: null });
  ageMs += 1_000;
  expect((await watcherAge.judge()).fault).toContain("671 s");
});
