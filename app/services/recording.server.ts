import { createActivityStore } from "~/operator/activity/activity.store.server";
import type { ActivityStore } from "~/operator/activity/activity.store.server";
import { tokenSeries } from "~/operator/activity/activity-series";
import { countActivity, toDecision } from "~/operator/activity/count-activity.server";
import { createRecorder } from "~/operator/activity/recorder.server";
import type { Recorder } from "~/operator/activity/recorder.server";
import { systemClock as clock } from "~/platform/clock";
import type { Config } from "~/settings.server";
import type { Database } from "~/platform/database/database.server";
import type { AccessOutcome } from "~/platform/http/request-context.server";
import type { Log } from "~/platform/log.server";
import type { Metrics } from "~/platform/metrics.server";

/** What requests leave behind for the operator's view. */
export type Recording = {
  recorder: Pick<Recorder, "flush" | "status">;
  activity: ActivityStore;
  watch: (metrics: Metrics) => Metrics;
  noteAccess: (outcome: AccessOutcome) => void;
  countTokens: (tokens: number) => void;
  /** Writes the last of it; before the database is closed. */
  stop: () => Promise<void>;
};

type WireRecordingOptions = {
  config: Config;
  database: Database;
  instance: string;
  log: Log;
};

/** Without a view for it nothing is recorded at all. */
export function wireRecording({ config, database, instance, log }: WireRecordingOptions): Recording {
  const activity = createActivityStore(database);
  const recorder = createRecorder({
    store: activity,
    keepsDecisions: config.operator.decisionDays > 0,
    instance,
    clock,
    onFailure: (error) => log.warn({ err: error }, "activity could not be recorded; it is retried"),
  });
  if (config.operator.secret === null) {
    return {
      recorder,
      activity,
      watch: (metrics) => metrics,
      noteAccess: () => {},
      countTokens: () => {},
      stop: async () => {},
    };
  }
  recorder.start();
  return {
    recorder,
    activity,
    watch: (metrics) => countActivity(metrics, recorder),
    noteAccess: (outcome) => {
      const decision = toDecision(outcome);
      if (decision) recorder.noteDecision(decision);
    },
    countTokens: (tokens) => {
      if (tokens > 0) recorder.count({ series: tokenSeries, amount: tokens });
    },
    stop: recorder.stop,
  };
}
