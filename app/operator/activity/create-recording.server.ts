import type { Database } from "~/platform/database/database.server";
import type { AccessOutcome } from "~/platform/http/request-context.server";
import type { WarnLog } from "~/platform/log/log.server";
import type { Metrics } from "~/platform/metrics/metrics.server";
import { systemClock as clock } from "~/platform/time/clock";
import { tokenSeries } from "./activity-series";
import { createActivityStore } from "./activity.store.server";
import { countActivity, toDecision } from "./count-activity.server";
import { createRecorder } from "./recorder.server";
import type { Recorder } from "./recorder.server";

export type Recording = ReturnType<typeof createRecording>;

type Dependencies = {
  /** Without the operator's view nothing is recorded. */
  isOn: boolean;
  keepsDecisions: boolean;
  areKindsNamed: boolean;
  database: Database;
  instance: string;
  log: WarnLog;
};

/** Records requests for the operator's view. */
export function createRecording({
  isOn,
  keepsDecisions,
  areKindsNamed,
  database,
  instance,
  log,
}: Dependencies) {
  const activity = createActivityStore(database);
  const recorder = createRecorder({
    store: activity,
    keepsDecisions,
    instance,
    clock,
    onFailure: (error) => log.warn({ err: error }, "activity could not be recorded; retrying"),
  });
  if (isOn) recorder.start();
  return {
    recorder: recorder as Pick<Recorder, "flush" | "status">,
    activity,
    instrumentMetrics: (metrics: Metrics) => (isOn ? countActivity(metrics, recorder) : metrics),
    noteAccess: (outcome: AccessOutcome) => {
      const decision = isOn ? toDecision(outcome) : null;
      if (decision) recorder.noteDecision(areKindsNamed ? decision : { ...decision, keyKind: null });
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
