import { readBy } from "~/gate/proofs/gate-bodies";
import { gateOperations } from "~/gate/admission/gate.openapi";
import { legacyProof } from "~/gate/proofs/legacy.server";
import { toSubject } from "~/gate/proofs/proofs.server";
import { defineRoute } from "~/platform/http/route.server";
import { getServices } from "~/services.server";

export const { loader, action } = defineRoute({
  POST: {
    operation: gateOperations.submitForm,
    body: readBy(() => getServices().gate.bodies.readSubmission),
    subjectOf: (submission) => toSubject(legacyProof.kind, submission),
    decidesAccess: true,
    handle: ({ context: { host, requestId }, body: submission }) =>
      getServices().gate.submit({ submission, host, requestId }),
  },
});
