import type { UnmetKind } from "~/platform/refusals/refusal";
import type { AccessOutcome } from "~/platform/http/request-context.server";
import type { Metrics } from "~/platform/metrics/metrics.server";
import { findLatencySeries } from "./activity-series";
import type { NewDecision } from "./buffers";
import type { Recorder } from "./recorder.server";

/** The metrics, extended to count for the charts too. */
export function countActivity(metrics: Metrics, recorder: Pick<Recorder, "count">): Metrics {
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
/** No access decision, but a failure an operator wants to see. */
const accessRefusals = new Set<string>(["siwe-not-enabled", "chain-unavailable", "state-unavailable"]);

/**
 * A request's outcome as a decision; null for what decides nothing about access, such as an unreadable body or an answer
 * to somebody who need not be anybody.
 */
export function toDecision({ context, claim, refusal, site = null }: AccessOutcome): NewDecision | null {
  const { pathname, clientId, requestId } = context;
  if (refusal === null ? !claim : !accessStatuses.has(refusal.status) && !accessRefusals.has(refusal.slug)) {
    return null;
  }
  return {
    // The room's form is sent to its page, by the framework's script.
    route: pathname.replace(/\.data$/, ""),
    clientId,
    requestId,
    outcome: refusal === null ? "granted" : "refused",
    slug: refusal?.slug ?? null,
    reason: refusal?.detail ?? null,
    proof: claim?.proof ?? null,
    address: claim?.address ?? null,
    vault: claim?.vault ?? null,
    tokenId: claim?.tokenId ?? null,
    keyKind: claim?.keyKind ?? refusal?.unmet?.kind ?? null,
    missing: refusal?.unmet ? describeUnmet(refusal.unmet) : null,
    site,
  };
}

/** By place and label, secret leaves too: `key; 1: On the guest list`. */
function describeUnmet({ parts }: UnmetKind): string {
  return parts.map(({ place, label }) => (label === null ? String(place) : `${place}: ${label}`)).join("; ");
}
