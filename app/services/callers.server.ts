import { subjectOf } from "~/gate/tokens/caller.server";
import type { Caller } from "~/gate/tokens/caller.server";
import type { GateAccessBody } from "~/gate/proofs/gate-bodies";
import type { Claimant } from "~/gate/proofs/proof.server";
import { subjectOfClaimant } from "~/gate/proofs/proofs.server";
import type { SessionOrder } from "~/gate/session/session.schema";
import type { SessionCaller } from "~/gate/session/session.server";
import type { CallerRule } from "~/gate/tokens/access-token.schema";
import type { Actor } from "~/operator/sessions.store.server";
import type { CallerStep } from "~/platform/http/route.server";
import { getServices, requireOperatorService } from "~/services.server";

/** A holder with an access token. */
export function keyHolder(rule: CallerRule & { isRequired: true }): CallerStep<Caller>;
/** Null for a stranger, if the operator serves any. */
export function keyHolder(rule: CallerRule): CallerStep<Caller | null>;
export function keyHolder(rule: CallerRule): CallerStep<Caller | null> {
  return {
    identify: ({ context: { headers, searchParams }, body }) =>
      getServices().gate.identifyCaller(rule, { headers, searchParams, body }),
    subjectOf,
  };
}

/** Reads a proof, but verifies no signature. `admit` does that, so nothing else may trust the claimant. */
export const gateProof: CallerStep<Claimant, GateAccessBody | undefined> = {
  identify: ({ context: { headers, clientId, host }, body }) =>
    getServices().gate.readClaimant({ authorization: headers.authorization, body, clientId, host }),
  subjectOf: subjectOfClaimant,
};

/** A visitor with a token for the session, or in it. */
export const sessionProof: CallerStep<SessionCaller, SessionOrder | undefined> = {
  identify: ({ context: { headers, host }, body: ask }) => {
    const { authorization, cookie } = headers;
    return getServices().gate.session.identify({ ask, authorization, cookie, host });
  },
  subjectOf,
};

export const operatorCaller: CallerStep<Actor> = {
  identify: async ({ context: { headers, clientId, requestId } }) => {
    await requireOperatorService().requireSession({ cookie: headers.cookie });
    return { clientId, requestId };
  },
};
