import type { Database } from "~/platform/database/database.server";
import type { AccessOutcome } from "~/platform/http/request-context.server";
import type { WarnLog } from "~/platform/log/log.server";
import type { Metrics } from "~/platform/metrics/metrics.server";
import { systemClock as clock } from "~/platform/time/clock";
import { createActivityStore, hourSeconds } from "./activity.store.server";
import { createRecorder } from "./recorder.server";
import type { Recorder } from "./recorder.server";
import type { UnmetKind } from "~/platform/refusals/refusal";
import type { NewDecision } from "./buffers";
import { activityRange, findLatencySeries, tokenSeries, viewActivity } from "./activity-view";
import type { ActivitySpan, ActivityView } from "./activity-view";

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
    /** Writes the rest; call it before the database is closed. */
    stop: async () => {
      if (isOn) await recorder.stop();
    },
  };
}

/** Also counts for the charts. */
function countActivity(metrics: Metrics, recorder: Pick<Recorder, "count">): Metrics {
  return {
    ...metrics,
    countGrant(proof) {
      metrics.countGrant(proof);
      recorder.count({ series: `grant:${proof}` });
    },
    countRefusal(slug) {
      metrics.countRefusal(slug);
      recorder.count({ series: `refusal:${slug}` });
    },
    observeRequest(request) {
      metrics.observeRequest(request);
      const series = findLatencySeries(request);
      if (series !== null) recorder.count({ series });
    },
  };
}

const accessStatuses = new Set([401, 403, 429]);
/** Not an access decision, but a failure that operators want to see. */
const accessRefusals = new Set<string>(["siwe-not-enabled", "chain-unavailable", "state-unavailable"]);

/** Null for an outcome that decides nothing about access, such as an unreadable body. */
function toDecision({ context, subject, refusal, site = null }: AccessOutcome): NewDecision | null {
  const { pathname, clientId, requestId } = context;
  if (
    refusal === null ? !subject : !accessStatuses.has(refusal.status) && !accessRefusals.has(refusal.slug)
  ) {
    return null;
  }
  return {
    // The framework's script sends the room's form to its page's data.
    route: pathname.replace(/\.data$/, ""),
    clientId,
    requestId,
    outcome: refusal === null ? "granted" : "refused",
    slug: refusal?.slug ?? null,
    reason: refusal?.detail ?? null,
    proof: subject?.proof ?? null,
    address: subject?.address ?? null,
    vault: subject?.vault ?? null,
    tokenId: subject?.tokenId ?? null,
    keyKind: subject?.keyKind ?? refusal?.unmet?.kind ?? null,
    missing: refusal?.unmet ? describeUnmet(refusal.unmet) : null,
    site,
  };
}

/** By place and label, secret leaves too: `key; 1: On the guest list`. */
function describeUnmet({ parts }: UnmetKind): string {
  return parts.map(({ place, label }) => (label === null ? String(place) : `${place}: ${label}`)).join("; ");
}

type ReaderOptions = { recording: Recording; keptDays: number };

export function createActivityReader({ recording: { recorder, activity }, keptDays }: ReaderOptions) {
  return async function readActivity({ span }: { span: ActivitySpan }): Promise<ActivityView> {
    // Writes this process's own counts first.
    await recorder.flush();
    const nowMs = clock();
    const { sinceMs, untilMs } = activityRange(span, nowMs);
    const { spanSeconds } = span;
    // Hides hours that the sweep is about to delete.
    const keptSinceMs = spanSeconds === hourSeconds ? nowMs - keptDays * 86_400_000 : 0;
    const range = { spanSeconds, sinceMs: Math.max(sinceMs, keptSinceMs), untilMs };
    return viewActivity(span, nowMs, await activity.readCounts(range));
  };
}
