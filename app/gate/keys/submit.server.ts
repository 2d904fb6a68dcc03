import { randomUUID } from "node:crypto";
import { keccak256, stringToHex } from "viem";
import type { Address } from "viem";
import { Refusal } from "~/platform/http/refusal";
import { notificationPayload, submissionReceivedKind } from "~/platform/outbox/outbox";
import type { Channel, SubmissionReceived } from "~/platform/outbox/outbox";
import { requireOwned } from "./holder.server";
import type { FormSubmission } from "./gate.schema";
import { readLegacyClaim } from "./identify.server";
import type { IdentifyDependencies } from "./identify.server";
import type { OwnershipReader } from "./ownership.server";
import { proveAndReadOwnership } from "./signature.server";
import type { SubmissionStore } from "./submissions.store.server";

export type SubmitDependencies = Pick<IdentifyDependencies, "domains" | "chainId" | "clock"> & {
  contractAddress: Address;
  requireSignedMessage: boolean;
  ownership: OwnershipReader;
  submissions: SubmissionStore;
  /** Where the operator is told of it; none is fine, submissions stay readable. */
  channels: readonly Channel[];
  wakeOutbox: () => void;
};

const formPath = "/api/form-submission-gate";

/** The one-time form: the key is used up, the message kept and the operator told, all together or not at all. */
export async function submit({
  submission,
  host,
  requestId,
  dependencies,
}: {
  submission: FormSubmission;
  host: string | null;
  requestId: string;
  dependencies: SubmitDependencies;
}): Promise<{ success: true; message: string }> {
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
  const { chainId, contractAddress, submissions, channels, clock } = dependencies;
  const submissionId = randomUUID();
  const data: SubmissionReceived = {
    submissionId,
    chainId,
    contractAddress,
    tokenId,
    address: claim.address,
    message,
  };
  const { outcome } = await submissions.submitOnce({
    submissionId,
    key: { chainId, contractAddress, tokenId },
    usedBy: claim.address,
    message,
    messageHash: messageHash ?? null,
    requestId,
    notification: {
      kind: submissionReceivedKind,
      payload: notificationPayload({ kind: submissionReceivedKind, occurredAtMs: clock(), data }),
      channels,
    },
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
