import type { Address } from "viem";
import type { TokenStatus } from "../proofs/gate-bodies";
import type { KeyStore } from "../ownership/keys.store.server";
import type { KeyKinds } from "../kinds/kind";
import type { Judge } from "../ownership/judge";
import { requireKind, keyRefOf } from "../kinds/kind";
import { parseTokenId } from "../kinds/token-id";

type StatusDependencies = {
  kinds: KeyKinds;
  judge: Pick<Judge, "readOwner">;
  keys: Pick<KeyStore, "findUsedKey">;
};

/** `key`: the name of its kind, if kinds have names. The first by default. */
export type KeyAsked = { tokenId: unknown; key?: string | undefined };

/** `owner` is null if the key doesn't exist or has no single owner (ERC-1155). */
type KeyStatus = TokenStatus & { owner: Address | null };

export async function readTokenStatus(key: KeyAsked, dependencies: StatusDependencies): Promise<TokenStatus> {
  const { owner: _owner, ...status } = await readKeyStatus(key, dependencies);
  return status;
}

/** The token status's agreed shape has no owner. */
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
  // A contract may not count its supply, but a used key did exist.
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

/** Every address could be a member. Only its holder learns whether it is. */
async function readMembership(tokenId: string) {
  return { exists: BigInt(tokenId) <= biggestAddress, owner: null };
}
