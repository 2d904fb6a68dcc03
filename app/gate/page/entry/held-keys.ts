import type { HeldKeys } from "../gate-state";

/** A proposal never overwrites what the visitor typed. */
export function withKeys(
  state: { keys: HeldKeys; tokenId: string },
  tokenIds: string[] | null,
): { keys: HeldKeys; tokenId: string } {
  if (tokenIds === null) return { keys: { status: "unlisted" }, tokenId: state.tokenId };
  return { keys: { status: "listed", tokenIds }, tokenId: state.tokenId || (tokenIds[0] ?? "") };
}

export function addKey(keys: HeldKeys, tokenId: string): HeldKeys {
  if (keys.status !== "listed") return keys;
  return { status: "listed", tokenIds: [tokenId, ...keys.tokenIds.filter((held) => held !== tokenId)] };
}
