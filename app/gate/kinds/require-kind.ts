import { Refusal } from "~/platform/refusals/refusal";
import type { KeyKind, KeyKinds } from "./kind";
import { findKind } from "./kind-of-key";

export const unknownKind = "There is no kind of key of that name here. GET /api/keys lists them.";

/** The first one by default; where kinds have no names, whatever is named. */
export function requireKind(kinds: KeyKinds, name: string | undefined): KeyKind {
  const kind = findKind(kinds, kinds.areNamed ? name : undefined);
  if (kind) return kind;
  const errors = [{ path: "key", message: unknownKind }];
  throw new Refusal("invalid-request", { detail: unknownKind, members: { errors } });
}
