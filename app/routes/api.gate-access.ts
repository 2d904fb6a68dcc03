import { openGateOperation } from "~/gate/gate.openapi";
import { gateAccessBodySchema } from "~/gate/gate.schema";
import { claimOfBody } from "~/gate/proofs/proofs.server";
import { defineRoute } from "~/platform/http/route.server";
import { getServices } from "~/services.server";
import { gateProof } from "~/services/callers.server";

export const { loader, action } = defineRoute({
  POST: {
    operation: openGateOperation,
    body: gateAccessBodySchema,
    claimOf: claimOfBody,
    proof: gateProof,
    decidesAccess: true,
    handle: ({ caller }) => getServices().gate.admit(caller),
  },
});
