import type { KeyKind, Opening } from "../kinds/kind";
import type { GateScope } from "./access-token.schema";

/** What tokens for a kind of key reach. */
export function scopesOf({ opens }: Pick<KeyKind, "opens">): GateScope[] {
  return opens.map(toScope);
}

function toScope(opening: Opening): GateScope {
  return opening === "room" ? "gate:read" : opening;
}

/** Callers that a route serves. */
export type CallerRule = {
  scope: GateScope;
  /** `by-setting`: where NEXT_PUBLIC_AI_CHAT_REQUIRES_JWT is on. */
  isRequired: true | "by-setting";
  /** Treats a token that is not required. Default: an invalid one counts as none. */
  otherwise?: "good-if-sent" | "optional" | "not-read";
};
