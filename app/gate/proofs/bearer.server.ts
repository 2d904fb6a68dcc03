import { accessTokenRefused } from "../tokens/authentication-failed";
import { holderOf } from "../tokens/holder.server";
import type { Holder } from "../tokens/access-token.schema";
import { parseBearerHeader } from "../tokens/access-token.server";
import { requireOwnHost } from "./proof.server";
import type { Proof, ProofDependencies, ProofRequest } from "./proof.server";

type BearerRequest = ProofRequest & { authorization: string };

export const verifyGateToken = (token: string, { verifyToken }: Pick<ProofDependencies, "verifyToken">) =>
  verifyToken({ token, requiredScope: "gate:read" });

/** A header that is present decides, even if it is invalid. */
export const bearerProof: Proof<BearerRequest, Holder> = {
  kind: "bearer",
  matches: (request): request is BearerRequest => request.authorization !== undefined,
  async read({ authorization, body, host }, dependencies) {
    const token = parseBearerHeader(authorization);
    requireOwnHost(host, dependencies.domains, accessTokenRefused);
    const verified = await verifyGateToken(token, dependencies);
    const { claims, keyKind } = verified;
    if (body?.tokenId !== undefined && body.tokenId !== claims.tokenId) {
      throw accessTokenRefused(
        "The tokenId in the body is not the one the access token was made for. Leave it out, or sign in for that key.",
      );
    }
    if (body?.keyKind && body.keyKind !== keyKind) {
      throw accessTokenRefused(
        "The key in the body is not the kind the access token was made for. Leave it out, or sign in for that kind.",
      );
    }
    return holderOf(verified);
  },
  spend: async () => {},
  spendBefore: "token",
  claims: () => null,
};
