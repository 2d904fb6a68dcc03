import { randomUUID } from "node:crypto";
import { keccak256, stringToBytes } from "viem";
import { Refusal } from "~/platform/refusals/refusal";
import { keyStateOf, questionOf } from "../tokens/holder.server";
import type { KeyKinds } from "../kinds/kind";
import type { KeySubmission } from "../proofs/gate-bodies";
import type { RequireSettled } from "../ownership/settled-judgement.server";
import { readLegacyClaim, spendSignature } from "../proofs/legacy.server";
import type { ProofDependencies } from "../proofs/proof.server";
import { proveAndJudge } from "../proofs/signature.server";
import type { SignatureDependencies } from "../proofs/signature.server";
import { requireMayUse, requireMet, requireRoom } from "../tokens/require-met";
import { firstKind, namedKind } from "../kinds/kind";
import { submissionReceived } from "./key-notifications";
import type { SubmissionStore } from "./submissions.store.server";

type SubmitDependencies = Pick<ProofDependencies, "domains" | "clock" | "spentSignatures"> &
  SignatureDependencies & {
    kinds: KeyKinds;
    requireSignedMessage: boolean;
    submissions: SubmissionStore;
    requireSettled: RequireSettled;
    wakeOutbox: () => void;
  };

const formPath = "/api/form-submission-gate";

export type SubmitRequest = {
  submission: KeySubmission;
  host: string | null;
  requestId: string;
};

/** Uses the key up, stores the message and notifies the operator, all or nothing. */
export async function submit(
  { submission, host, requestId }: SubmitRequest,
  dependencies: SubmitDependencies,
) {
  const { kinds, submissions, requireSettled } = dependencies;
  requireMatchingHash(submission, dependencies.requireSignedMessage);
  const claim = readLegacyClaim(submission, { host, path: formPath }, dependencies);
  const { address, keyKind, vault, signature, signedText } = claim;
  const { message, messageHash = null } = submission;
  const question = questionOf(claim);
  const { judgement, isUndeployed } = await proveAndJudge(
    { message: signedText, signature, question },
    dependencies,
  );
  requireMet(question, judgement, kinds);
  requireRoom(claim);
  requireMayUse(claim);
  await requireSettled({ ...question, isUndeployed });
  // Other kinds could accept this text again.
  if (keyKind !== firstKind(kinds)) await spendSignature(claim, dependencies);
  const submissionId = randomUUID();
  const { key } = keyStateOf(claim);
  const { outcome } = await submissions.submitOnce({
    submissionId,
    key,
    usedBy: address,
    message,
    messageHash,
    requestId,
    notification: submissionReceived({
      submissionId,
      ...key,
      ...namedKind(kinds, keyKind),
      address,
      ...(vault && { vault }),
      message,
    }),
  });
  if (outcome === "already-used") throw new Refusal("this-token-has-already-been-used");
  dependencies.wakeOutbox();
  return { success: true, message: "Access granted" } as const;
}

function requireMatchingHash({ message, messageHash }: KeySubmission, isRequired: boolean): void {
  if (messageHash === undefined) {
    if (!isRequired) return;
    throw invalidHash("Send messageHash, the keccak256 of the message, and sign it as the seventh line.");
  }
  if (messageHash.toLowerCase() === keccak256(stringToBytes(message))) return;
  throw invalidHash(
    "messageHash is not the keccak256 of the message. Hash and sign the message as it is sent.",
  );
}

function invalidHash(detail: string): Refusal {
  const members = { errors: [{ path: "messageHash", message: detail }] };
  return new Refusal("invalid-request", { detail, members });
}
