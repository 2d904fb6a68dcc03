import { createActivityStore } from "~/operator/activity/activity.store.server";
import { tokenSeries } from "~/operator/activity/activity-series";
import { countActivity, toDecision } from "~/operator/activity/count-activity.server";
import { createRecorder } from "~/operator/activity/recorder.server";
import type { Recorder } from "~/operator/activity/recorder.server";
import { systemClock as clock } from "~/platform/time/clock";
import type { Config } from "~/settings.server";
import type { Database } from "~/platform/database/database.server";
import type { AccessOutcome } from "~/platform/http/request-context.server";
import type { Log } from "~/platform/log/log.server";
import type { Metrics } from "~/platform/metrics/metrics.server";

type WireRecordingOptions = { config: Config; database: Database; instance: string; log: Log };

/** What is recorded of requests for the operator's view. Without that view nothing is recorded. */
export function wireRecording({ config, database, instance, log }: WireRecordingOptions) {
  const activity = createActivityStore(database);
  const recorder = createRecorder({
    store: activity,
    keepsDecisions: config.operator.decisionDays > 0,
    instance,
    clock,
    onFailure: (error) => log.warn({ err: error }, "activity could not be recorded; retrying"),
  });
  const isOn = config.operator.secret !== null;
  const { areNamed } = config.keys;
  if (isOn) recorder.start();
  return {
    recorder: recorder as Pick<Recorder, "flush" | "status">,
    activity,
    instrumentMetrics: (metrics: Metrics) => (isOn ? countActivity(metrics, recorder) : metrics),
    noteAccess: (outcome: AccessOutcome) => {
      const decision = isOn ? toDecision(outcome) : null;
      if (decision) recorder.noteDecision(areNamed ? decision : { ...decision, keyKind: null });
    },
    countTokens: (tokens: number) => {
      if (isOn && tokens > 0) recorder.count({ series: tokenSeries, amount: tokens });
    },
    /** Writes the last of it; before the database is closed. */
    stop: async () => {
      if (isOn) await recorder.stop();
    },
  };
}
