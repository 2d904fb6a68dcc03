import type { KeyKind, Opening } from "../kinds/kind";
import type { GateScope } from "./access-token.schema";

/** What tokens for a kind of key reach. */
export function scopesOf({ opens }: Pick<KeyKind, "opens">): GateScope[] {
  return opens.map(toScope);
}

function toScope(opening: Opening): GateScope {
  return opening === "room" ? "gate:read" : opening;
}
