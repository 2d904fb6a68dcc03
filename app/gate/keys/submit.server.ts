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

export type SubmitRequest = {
  submission: FormSubmission;
  host: string | null;
  requestId: string;
};

/** The one-time form: the key is used up, the message kept and the operator told, all together or not at all. */
export async function submit(
  { submission, host, requestId }: SubmitRequest,
  dependencies: SubmitDependencies,
) {
  const { chainId, contractAddress, ownership, submissions, requireSettledHolding } = dependencies;
  requireMatchingHash(submission, dependencies.requireSignedMessage);
  const claim = readLegacyClaim(submission, { host, path: formPath }, dependencies);
  const { address, signature, signedText } = claim;
  const { message, messageHash = null, tokenId } = submission;
  requireOwned(await proveAndReadOwnership({ message: signedText, signature, address, tokenId, ownership }));
  await requireSettledHolding(tokenId, address);
  const submissionId = randomUUID();
  const key = { chainId, contractAddress, tokenId };
  const { outcome } = await submissions.submitOnce({
    submissionId,
    key,
    usedBy: address,
    message,
    messageHash,
    requestId,
    notification: submissionReceived({ submissionId, ...key, address, message }),
  });
  if (outcome === "already-used") throw new Refusal("this-token-has-already-been-used");
  dependencies.wakeOutbox();
  return { success: true, message: "Access granted" } as const;
}

function requireMatchingHash({ message, messageHash }: FormSubmission, isRequired: boolean): void {
  if (messageHash === undefined) {
    if (!isRequired) return;
    throw invalidHash("Send messageHash, the keccak256 of the message, and sign it as the seventh line.");
  }
  if (messageHash.toLowerCase() === keccak256(stringToHex(message))) return;
  throw invalidHash(
    "messageHash is not the keccak256 of the message. Hash and sign the message as it is sent.",
  );
}

function invalidHash(detail: string): Refusal {
  const members = { errors: [{ path: "messageHash", message: detail }] };
  return new Refusal("invalid-request", { detail, members });
}
