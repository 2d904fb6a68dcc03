import type { Address } from "viem";
import type { TokenStatus } from "../proofs/gate.schema";
import type { KeyStore } from "../ownership/keys.store.server";
import type { KeyKinds } from "../kinds/kind";
import type { Judge } from "../ownership/judge";
import { requireKind } from "../kinds/require-kind";
import { keyRefOf } from "../kinds/kind-of-key";
import { parseTokenId } from "../kinds/token-id";

type StatusDependencies = {
  kinds: KeyKinds;
  judge: Pick<Judge, "readOwner">;
  keys: Pick<KeyStore, "findUsedKey">;
};

/** `key`: the name of its kind; counts only where kinds have names, and is then the first one by default. */
export type KeyAsked = { tokenId: unknown; key?: string | undefined };

/** `owner` is null where the key does not exist, and where the contract names no single one (ERC-1155). */
export type KeyStatus = TokenStatus & { owner: Address | null };

export async function readTokenStatus(
  asked: KeyAsked,
  dependencies: StatusDependencies,
): Promise<TokenStatus> {
  const { owner: _owner, ...status } = await readKeyStatus(asked, dependencies);
  return status;
}

/** The same with the owner, who is public too, but no part of the token status's agreed shape. */
export async function readKeyStatus(
  { tokenId: given, key: name }: KeyAsked,
  { kinds, judge, keys }: StatusDependencies,
): Promise<KeyStatus> {
  const tokenId = parseTokenId(given);
  const kind = requireKind(kinds, name);
  const [{ exists, owner }, used] = await Promise.all([
    kind.standard === "membership" ? readMembership(tokenId) : judge.readOwner({ kind, tokenId }),
    keys.findUsedKey({ key: keyRefOf(kind, tokenId) }),
  ]);
  // A contract that does not count its supply cannot tell; a key that was used did exist.
  if (!(exists ?? used !== null))
    return { tokenId, exists: false, owner: null, count: 0, used: false, usedBy: null, usedAt: null };
  const usedAt = used && new Date(used.usedAtMs).toISOString();
  return {
    tokenId,
    exists: true,
    owner,
    count: 1,
    used: used !== null,
    usedBy: used?.usedBy ?? null,
    usedAt,
  };
}

const biggestAddress = (1n << 160n) - 1n;

/** Every address may come to be a member: whether it is one now is told to its holder alone. */
async function readMembership(tokenId: string) {
  return { exists: BigInt(tokenId) <= biggestAddress, owner: null };
}
