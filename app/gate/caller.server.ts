import type { IncomingHttpHeaders } from "node:http";
import { Refusal } from "~/platform/http/refusal";
import type { AccessClaims, GateScope } from "./access-token.schema";
import { isBearerToken, parseBearerHeader } from "./access-token.server";
import { accessTokenRefused, bearerChallenge, invalidTokenChallenge } from "./authentication-failed";
import type { KeyStore } from "./keys.store.server";
import { isRevokedByDeparture } from "./token-departure";
import { findToken } from "./token-locations";
import type { FoundToken } from "./token-locations";

/** Who calls chat, speech, the tools or the quota: the holder of a key, by an access token. */
export type Caller = { claims: AccessClaims };

export type CallerRequest = {
  headers: IncomingHttpHeaders;
  searchParams: URLSearchParams;
  /** The parsed body; undefined where there is none. */
  body?: unknown;
};

export type CallerDependencies = {
  contractAddress: string;
  verifyToken: (request: { token: string; requiredScope: GateScope }) => Promise<AccessClaims>;
  keys: Pick<KeyStore, "findKeyState">;
  isAllowedOrigin: (origin: string) => boolean;
};

type CallerQuestion = {
  request: CallerRequest;
  requiredScope: GateScope;
  dependencies: CallerDependencies;
};

/**
 * Null where no token came and none is required. A token that did come has to be right either way: whoever sends one
 * means to be somebody, and would otherwise be served as a stranger without a word.
 */
export async function authenticateCaller({
  isRequired,
  ...question
}: CallerQuestion & { isRequired: boolean }): Promise<Caller | null> {
  const { request, dependencies } = question;
  const found = findToken({
    authorization: request.headers.authorization,
    body: request.body,
    cookie: request.headers.cookie,
    searchParams: request.searchParams,
  });
  if (found === null) {
    if (!isRequired) return null;
    throw new Refusal("missing-jwt", { headers: { "WWW-Authenticate": bearerChallenge } });
  }
  if (found.location === "cookie") requireSameSite({ headers: request.headers, dependencies });
  try {
    return { claims: await verifyFound({ found, ...question }) };
  } catch (error) {
    throw toInvalidJwt(error);
  }
}

/** As above, where nobody is served without a token. */
export async function requireCaller(question: CallerQuestion): Promise<Caller> {
  const caller = await authenticateCaller({ ...question, isRequired: true });
  if (caller === null) throw new Error("A required caller was not refused.");
  return caller;
}

async function verifyFound({
  found,
  requiredScope,
  dependencies,
}: CallerQuestion & { found: FoundToken }): Promise<AccessClaims> {
  const claims = await dependencies.verifyToken({ token: readToken(found), requiredScope });
  const { chainId, tokenId, sub: holder } = claims;
  const key = { chainId, contractAddress: dependencies.contractAddress, tokenId };
  const { used, departedAtMs } = await dependencies.keys.findKeyState({ key, holder });
  if (used) {
    throw accessTokenRefused({ detail: "The key of this access token has been used up, which ended it." });
  }
  if (isRevokedByDeparture({ departedAtMs, issuedAtSeconds: claims.iat })) {
    throw accessTokenRefused({
      detail:
        "The key left the wallet after this access token was made, which ended the token. Sign in again.",
    });
  }
  return claims;
}

function readToken({ location, value }: FoundToken): string {
  if (location === "authorization") {
    const bearer = parseBearerHeader(String(value));
    if (bearer) return bearer.token;
  } else if (typeof value === "string" && isBearerToken(value)) return value;
  throw accessTokenRefused({
    detail: "The access token is malformed. Send it as it was given to you, or sign in again.",
  });
}

/** One word for all that can be wrong with a token; what it was in particular stays in the detail. */
function toInvalidJwt(error: unknown): unknown {
  if (!(error instanceof Refusal) || error.refusalName !== "authentication-failed") return error;
  return new Refusal("invalid-jwt", {
    detail: error.detail,
    cause: error,
    headers: { "WWW-Authenticate": invalidTokenChallenge },
  });
}

/**
 * Browsers send cookies along with what other sites ask of them. A page of the same site under another origin
 * (`same-site`) may be anybody's on a shared domain: it has to be on the allowlist by name. Clients that are no
 * browsers send neither header.
 */
export function requireSameSite({
  headers,
  dependencies,
}: {
  headers: IncomingHttpHeaders;
  dependencies: Pick<CallerDependencies, "isAllowedOrigin">;
}): void {
  const { origin } = headers;
  const site = headers["sec-fetch-site"];
  const isOriginAllowed = origin !== undefined && dependencies.isAllowedOrigin(origin);
  const isSiteFine =
    site === undefined ||
    site === "same-origin" ||
    site === "none" ||
    (site === "same-site" && isOriginAllowed);
  if (isSiteFine && (origin === undefined || isOriginAllowed)) return;
  throw new Refusal("cross-site-request");
}
