import type { Address } from "viem";
import type { AccessClaims } from "~/gate/tokens/access-token.schema";
import type { ToolCaller, ToolHolder } from "./tool";

/** What an access token that was verified lets its bearer be for the tools. */
export function toToolCaller(caller: { claims: AccessClaims } | null): ToolCaller {
  if (caller === null) return null;
  const { sub: address, tokenId, scopes, iat: issuedAtSeconds } = caller.claims;
  return { address, tokenId, scopes, issuedAtSeconds };
}

/** For the gate, to be asked again. A token without its moment counts as older than any departure. */
export function toGateHolder({ address, tokenId, issuedAtSeconds = 0 }: ToolHolder) {
  return { address: address as Address, tokenId, issuedAtSeconds };
}
