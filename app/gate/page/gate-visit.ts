import type { GateVisit } from "~/gate/visit";
import { readRefused } from "~/platform/http/notice";
import { readSession } from "./gate-answers";
import { enterRoom, initialGateState } from "./gate-flow";
import type { GateState } from "./gate-state";
import { noticeForEnd, noticeFor } from "./gate-notice";
import { RefusedError } from "./gate-api";

/** Where the visitor stands when the page arrives: as the server drew it, so that both draw the same. */
export function stateFromVisit(visit: GateVisit, nowMs: number): GateState {
  if (visit.kind === "unknown") {
    const refused = readRefused({ status: visit.problem.status, body: visit.problem });
    return { ...initialGateState, notice: noticeFor(new RefusedError(refused), "reload") };
  }
  const answer = readSession(visit.session, nowMs);
  if (answer.session === null || visit.kind === "outside") {
    const ended = answer.session === null ? answer.ended : null;
    return ended ? { ...initialGateState, notice: noticeForEnd(ended) } : initialGateState;
  }
  const { session } = answer;
  const { tokenId } = session;
  const nobody = { turn: 0, account: null, keys: { status: "unlisted" }, tokenId } as const;
  return enterRoom({
    state: nobody,
    tokenId,
    grant: { accessToken: null, content: visit.content },
    session,
  });
}
