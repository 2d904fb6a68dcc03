import { readBy } from "~/gate/gate-bodies";
import { submitFormOperation } from "~/gate/gate.openapi";
import { legacyProof } from "~/gate/proofs/legacy.server";
import { defineRoute } from "~/platform/http/route.server";
import { getServices } from "~/services.server";

export const { loader, action } = defineRoute({
  POST: {
    operation: submitFormOperation,
    body: readBy(() => getServices().gate.bodies.readSubmission),
    claimOf: ({ address, tokenId, keyKind }) => {
      return { proof: legacyProof.kind, address, tokenId, keyKind: keyKind.name };
    },
    decidesAccess: true,
    handle: ({ context: { host, requestId }, body: submission }) =>
      getServices().gate.submit({ submission, host, requestId }),
  },
});
