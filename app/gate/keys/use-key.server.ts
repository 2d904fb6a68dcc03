import type { Address } from "viem";
import { Refusal } from "~/platform/http/refusal";
import { keyUsedKind, notificationPayload } from "~/platform/outbox/outbox";
import type { Channel } from "~/platform/outbox/outbox";
import { requireHolder } from "./holder.server";
import type { Holder, HolderDependencies } from "./holder.server";
import type { SubmissionStore } from "./submissions.store.server";

export type UseKeyDependencies = HolderDependencies & {
  submissions: Pick<SubmissionStore, "useKeyOnce">;
  channels: readonly Channel[];
  wakeOutbox: () => void;
};

export type KeyUsed = { tokenId: string; usedBy: Address; usedAt: string };

/** Uses a key up without the form. From then on it opens nothing, and the tokens made for it have ended. */
export async function useKey({
  holder,
  dependencies,
}: {
  holder: Holder;
  dependencies: UseKeyDependencies;
}): Promise<KeyUsed> {
  await requireHolder({ holder, fresh: true, dependencies });
  const { chainId, contractAddress, submissions, channels, clock, wakeOutbox } = dependencies;
  const { tokenId, address } = holder;
  const { outcome, usedAtMs } = await submissions.useKeyOnce({
    key: { chainId, contractAddress, tokenId },
    usedBy: address,
    notification: {
      kind: keyUsedKind,
      payload: notificationPayload({
        kind: keyUsedKind,
        occurredAtMs: clock(),
        data: { chainId, contractAddress, tokenId, address },
      }),
      channels,
    },
  });
  if (outcome === "already-used") throw new Refusal("this-token-has-already-been-used");
  wakeOutbox();
  return { tokenId, usedBy: address, usedAt: new Date(usedAtMs).toISOString() };
}
