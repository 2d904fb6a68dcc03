import { readBy } from "~/gate/proofs/gate-bodies";
import { gateOperations } from "~/gate/admission/gate.openapi";
import { claimOfBody } from "~/gate/proofs/proofs.server";
import { defineRoute } from "~/platform/http/route.server";
import { getServices } from "~/services.server";
import { gateProof } from "~/services/callers.server";

export const { loader, action } = defineRoute({
  POST: {
    operation: gateOperations.openGate,
    body: readBy(() => getServices().gate.bodies.readAccess),
    claimOf: claimOfBody,
    proof: gateProof,
    decidesAccess: true,
    handle: ({ caller }) => getServices().gate.admit(caller),
  },
});
