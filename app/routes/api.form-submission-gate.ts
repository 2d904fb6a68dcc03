import { submitFormOperation } from "~/gate/gate.openapi";
import { formSubmissionSchema } from "~/gate/gate.schema";
import { legacyProof } from "~/gate/proofs/legacy.server";
import { defineRoute } from "~/platform/http/route.server";
import { getServices } from "~/services.server";

export const { loader, action } = defineRoute({
  POST: {
    operation: submitFormOperation,
    body: formSubmissionSchema,
    claimOf: ({ address, tokenId }) => ({ proof: legacyProof.kind, address, tokenId }),
    decidesAccess: true,
    handle: ({ context: { host, requestId }, body: submission }) =>
      getServices().gate.submit({ submission, host, requestId }),
  },
});
