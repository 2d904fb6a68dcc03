import type { IncomingHttpHeaders } from "node:http";
import { Refusal } from "~/platform/refusals/refusal";
import type { AccessSubject } from "~/platform/http/request-context.server";
import { requireSameSite } from "~/platform/http/same-site.server";
import { toRefusal } from "~/platform/http/to-refusal.server";
import type { GateScope, CallerRule } from "./access-token.schema";
import { isBearerToken, parseBearerHeader } from "./access-token.server";
import type { VerifiedToken } from "./access-token.server";
import {
  accessTokenRefused,
  bearerChallenge,
  invalidTokenChallenge,
  malformedToken,
} from "./authentication-failed";
import { requireHolderOfToken } from "./holder.server";
import type { HolderDependencies } from "./holder.server";
import { findToken } from "./token-locations";
import type { FoundToken } from "./token-locations";

/** The holder of a key, by an access token. */
export type Caller = VerifiedToken;

export function subjectOf(caller: Caller | null): AccessSubject | null {
  if (caller === null) return null;
  const { claims, keyKind } = caller;
  const { sub: address, vault = null, tokenId } = claims;
  return { proof: "bearer", address, vault, tokenId, keyKind: keyKind.name };
}

export type CallerRequest = {
  headers: IncomingHttpHeaders;
  searchParams: URLSearchParams;
  body?: unknown;
};

export type CallerDependencies = HolderDependencies & {
  verifyToken: (request: { token: string; requiredScope: GateScope }) => Promise<VerifiedToken>;
  isAllowedOrigin: (origin: string) => boolean;
  requiresToken: boolean;
};

/** Null for a stranger. The first token that is present decides, even if it is invalid. */
export async function identifyCaller(
  { scope, isRequired, otherwise = "optional" }: CallerRule,
  { headers, body, searchParams }: CallerRequest,
  dependencies: CallerDependencies,
): Promise<Caller | null> {
  // Without a valid token, `required` refuses everybody, `good-if-sent` those who sent one, `optional` nobody.
  const tokenRule = isRequired === true || dependencies.requiresToken ? "required" : otherwise;
  if (tokenRule === "not-read") return null;
  const { authorization, cookie } = headers;
  const found = findToken({ authorization, body, cookie, searchParams });
  if (found === null) {
    if (tokenRule !== "required") return null;
    throw new Refusal("missing-jwt", { headers: { "WWW-Authenticate": bearerChallenge } });
  }
  try {
    if (found.location === "cookie") requireSameSite(headers, dependencies);
    return await judgeToken(found, scope, dependencies);
  } catch (error) {
    // A refusal or an outage makes a stranger. A defect is thrown.
    if (tokenRule === "optional" && toRefusal(error).refusalName !== "internal-error") return null;
    throw error;
  }
}

async function judgeToken(
  found: FoundToken,
  requiredScope: GateScope,
  dependencies: CallerDependencies,
): Promise<Caller> {
  try {
    const verified = await dependencies.verifyToken({ token: readToken(found), requiredScope });
    await requireHolderOfToken(verified, dependencies);
    return verified;
  } catch (error) {
    if (!(error instanceof Refusal) || error.refusalName !== "authentication-failed") throw error;
    // One slug for every fault of a token; the detail names it.
    const headers = { "WWW-Authenticate": invalidTokenChallenge };
    throw new Refusal("invalid-jwt", { detail: error.detail, cause: error, headers });
  }
}

function readToken({ location, value }: FoundToken): string {
  if (location === "authorization") return parseBearerHeader(String(value));
  if (typeof value === "string" && isBearerToken(value)) return value;
  throw accessTokenRefused(malformedToken);
}
