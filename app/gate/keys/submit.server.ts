import { randomUUID } from "node:crypto";
import { keccak256, stringToHex } from "viem";
import type { Address } from "viem";
import { Refusal } from "~/platform/http/refusal";
import { requireOwned } from "../holder.server";
import type { FormSubmission } from "../gate.schema";
import type { OwnershipReader } from "../ownership/ownership.server";
import type { RequireSettledHolding } from "../ownership/settled-holding.server";
import { readLegacyClaim } from "../proofs/legacy.server";
import type { ProofDependencies } from "../proofs/proof.server";
import { proveAndReadOwnership } from "../proofs/signature.server";
import { submissionReceived } from "./key-notifications";
import type { SubmissionStore } from "./submissions.store.server";

export type SubmitDependencies = Pick<ProofDependencies, "domains" | "chainId" | "clock"> & {
  contractAddress: Address;
  requireSignedMessage: boolean;
  ownership: OwnershipReader;
  submissions: SubmissionStore;
  requireSettledHolding: RequireSettledHolding;
  wakeOutbox: () => void;
};

const formPath = "/api/form-submission-gate";

type SubmitOptions = {
  submission: FormSubmission;
  host: string | null;
  requestId: string;
  dependencies: SubmitDependencies;
};

/** The one-time form: the key is used up, the message kept and the operator told, all together or not at all. */
export async function submit({
  submission,
  host,
  requestId,
  dependencies,
}: SubmitOptions): Promise<{ success: true; message: string }> {
  const { message, messageHash, tokenId } = submission;
  requireMatchingHash({ message, messageHash, isRequired: dependencies.requireSignedMessage });
  const claim = readLegacyClaim({ body: submission, host, path: formPath, messageHash, dependencies });
  requireOwned(
    await proveAndReadOwnership({
      message: claim.signedText,
      signature: claim.signature,
      address: claim.address,
      tokenId,
      ownership: dependencies.ownership,
    }),
  );
  await dependencies.requireSettledHolding(tokenId, claim.address);
  const { chainId, contractAddress, submissions } = dependencies;
  const submissionId = randomUUID();
  const key = { chainId, contractAddress, tokenId };
  const { outcome } = await submissions.submitOnce({
    submissionId,
    key,
    usedBy: claim.address,
    message,
    messageHash: messageHash ?? null,
    requestId,
    notification: submissionReceived({ submissionId, ...key, address: claim.address, message }),
  });
  if (outcome === "already-used") throw new Refusal("this-token-has-already-been-used");
  dependencies.wakeOutbox();
  return { success: true, message: "Access granted" };
}

function requireMatchingHash({
  message,
  messageHash,
  isRequired,
}: {
  message: string;
  messageHash: string | undefined;
  isRequired: boolean;
}): void {
  if (messageHash === undefined) {
    if (!isRequired) return;
    throw invalidHash("Send messageHash, the keccak256 of the message, and sign it as the seventh line.");
  }
  if (messageHash.toLowerCase() !== keccak256(stringToHex(message))) {
    throw invalidHash(
      "messageHash is not the keccak256 of the message. Hash and sign the message as it is sent.",
    );
  }
}

function invalidHash(detail: string): Refusal {
  return new Refusal("invalid-request", {
    detail,
    members: { errors: [{ path: "messageHash", message: detail }] },
  });
}
