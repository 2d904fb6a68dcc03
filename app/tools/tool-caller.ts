import type { AccessClaims } from "~/gate/access-token.schema";
import type { ToolCaller } from "./tool";

/** What an access token that was verified lets its bearer be for the tools. */
export function toToolCaller(caller: { claims: AccessClaims } | null): ToolCaller {
  if (caller === null) return null;
  const { sub: address, tokenId, scopes, iat: issuedAtSeconds } = caller.claims;
  return { address, tokenId, scopes, issuedAtSeconds };
}
