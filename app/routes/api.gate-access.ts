import { readBy } from "~/gate/proofs/gate-bodies";
import { gateOperations } from "~/gate/admission/gate.openapi";
import { subjectOfBody } from "~/gate/proofs/proofs.server";
import { defineRoute } from "~/platform/http/route.server";
import { getServices } from "~/services.server";
import { gateProof } from "~/services/callers.server";

export const { loader, action } = defineRoute({
  POST: {
    operation: gateOperations.openGate,
    body: readBy(() => getServices().gate.bodies.readAccess),
    subjectOf: subjectOfBody,
    proof: gateProof,
    decidesAccess: true,
    handle: ({ caller: claimant }) => getServices().gate.admit(claimant),
  },
});
