import { randomBytes } from "node:crypto";
import type { Address } from "viem";
import type { Caller } from "~/gate/tokens/caller.server";
import { holderOf, requireHolder } from "~/gate/tokens/holder.server";
import type { HolderDependencies } from "~/gate/tokens/holder.server";
import { membershipId } from "~/gate/kinds/kind";
import type { KeyKind } from "~/gate/kinds/kind";
import type { RequirementReport } from "~/gate/kinds/requirement-report";
import type { AccessClaims } from "~/gate/tokens/access-token.schema";
import { contractOf } from "~/gate/tokens/access-token.server";
import type { KeptSession } from "~/gate/session/session.server";
import { Refusal } from "~/platform/refusals/refusal";
import type { LimitVerdict } from "~/platform/limits/rate-limiter.server";
import type { DoorSite } from "./door.settings";
import { isLoopbackSite, isPlain, readDoorAddress, toReturnPath } from "./door-address";
import type { DoorAddress } from "./door-address";
import type { DoorCodeStore } from "./door-codes.store.server";
import type { DoorGrant } from "./door-token.server";
import { digestOf } from "./way-in.server";

export type WayOn = {
  goTo: string;
  /** The session, renewed; null where it lasts as long as it may. */
  kept: KeptSession | null;
};

/** `codesToKeep`: how many codes must be left over, or this one is refused. */
export type WayOnOrder = {
  destination: Destination;
  start: string;
  caller: Caller;
  codesToKeep?: number;
};

export type GoOnDependencies = HolderDependencies & {
  sites: ReadonlyMap<string, DoorSite>;
  codes: Pick<DoorCodeStore, "issueCode">;
  /** So many codes for one session and site at a time: more means that the browser keeps no cookie. */
  consumeCodes: (sessionAndSite: string) => Promise<LimitVerdict>;
  prolongSession: (claims: AccessClaims, issuedAtSeconds: number) => Promise<KeptSession | null>;
};

/** Where somebody wants to go on to, who comes from a site. */
export type Destination = { address: DoorAddress; site: DoorSite };

const codeSeconds = 60;
const codeBytes = 16;
const notADoor = "This address is not on a site that this gate opens.";

/** Throws the refusal `invalid-request` for an address that is on no site of ours, however it is written. */
export function requireDestination(given: string, sites: GoOnDependencies["sites"]): Destination {
  // A browser reads a backslash as a slash.
  const address = given.includes("\\") ? null : readDoorAddress(given);
  const site = address && sites.get(address.host);
  if (!address || !site || (isPlain(address) && !isLoopbackSite(address.host))) {
    throw new Refusal("invalid-request", {
      detail: notADoor,
      members: { errors: [{ path: "door", message: notADoor }] },
    });
  }
  return { address: { ...address, path: toReturnPath(address.path) }, site };
}

/** The way back into the site, with a code that the site's own browser alone can use, once. */
export async function goOn(
  { destination, start, caller, codesToKeep = 0 }: WayOnOrder,
  dependencies: GoOnDependencies,
): Promise<WayOn> {
  const { address, site } = destination;
  const { codes, consumeCodes, prolongSession } = dependencies;
  const { sub, siwe_hash } = caller.claims;
  const grant = await requireOpening(caller, site, dependencies);
  // After it, so that codes alone count, and no refusal.
  requireNotInCircles(await consumeCodes(`${sub}:${siwe_hash}:${site.host}`), codesToKeep);
  const code = randomBytes(codeBytes).toString("base64url");
  await codes.issueCode({
    digest: digestOf(code),
    site: site.host,
    startHash: start,
    claims: JSON.stringify(grant),
    ttlSeconds: codeSeconds,
  });
  const query = new URLSearchParams({ code, to: address.path });
  return {
    goTo: `${address.scheme}://${address.host}/.latchkey/enter?${query.toString()}`,
    kept: await prolongSession(caller.claims, grant.iat),
  };
}

/** The session is good, and its key opens the site; or its wallet has a membership that does. */
async function requireOpening(
  caller: Caller,
  site: DoorSite,
  dependencies: GoOnDependencies,
): Promise<DoorGrant> {
  const { claims, keyKind } = caller;
  // Dated before the chain is read: what is noticed later ends the token.
  const iat = Math.max(claims.iat, Math.floor(dependencies.clock() / 1000));
  await requireHolder(holderOf(caller), dependencies, { fresh: true });
  const { sub, tokenId, vault, siwe_hash: sid } = claims;
  const { areNamed } = dependencies.kinds;
  if (site.kinds.includes(keyKind)) {
    const { chainId, contract, key } = claims;
    return { sub, iat, tokenId, chainId, contract, key, vault, sid };
  }
  const membership = await requireMembership({ signer: sub as Address, iat }, site, dependencies);
  return {
    sub,
    iat,
    tokenId: membershipId(sub as Address),
    chainId: membership.chainId,
    contract: contractOf(membership),
    key: areNamed ? membership.name : undefined,
    sid,
  };
}

/** The first that the wallet meets and has not used up. Unknown only where there is none, and one might be. */
async function requireMembership(
  { signer, iat }: { signer: Address; iat: number },
  site: DoorSite,
  dependencies: GoOnDependencies,
): Promise<KeyKind> {
  const memberships = site.kinds.filter(({ standard }) => standard === "membership");
  const wallet = { address: signer, tokenId: membershipId(signer), vault: null };
  const outcomes = await Promise.all(
    memberships.map(async (keyKind) => {
      const holder = { ...wallet, keyKind, opensRoom: false, issuedAtSeconds: iat, proofHash: null };
      try {
        await requireHolder(holder, dependencies, { fresh: true });
        return keyKind;
      } catch (error) {
        if (error instanceof Refusal) return error;
        throw error;
      }
    }),
  );
  const met = outcomes.find((outcome): outcome is KeyKind => !(outcome instanceof Refusal));
  if (met) return met;
  const refusals = outcomes.filter((outcome) => outcome instanceof Refusal);
  throw (
    refusals.find(({ status }) => status === 503) ??
    refusals.find(({ refusalName }) => refusalName === "this-token-has-already-been-used") ??
    refuseOtherKind(site, refusals)
  );
}

/** Which kinds open the site, each with what is missing of it as far as it was judged. */
function refuseOtherKind({ host, kinds }: DoorSite, refusals: readonly Refusal[]): Refusal {
  const judged = refusals.flatMap(({ members }) => (members.requirements ?? []) as RequirementReport);
  const others = kinds
    .filter(({ standard }) => standard !== "membership")
    .map(({ title, chainId, get }): RequirementReport => {
      return { label: title, outcome: "unmet", needed: "1", chainId, ...(get && { get }) };
    });
  const titles = kinds.map(({ title }) => `“${title}”`).join(" or ");
  return new Refusal("not-opened-by-this-key", {
    detail:
      kinds.length === 0
        ? `No kind of key opens ${host}.`
        : `The door of ${host} opens with ${titles}, and you are signed in with a key of another kind.`,
    members: { requirements: { outcome: "unmet", any: [...others, ...judged] } },
  });
}

function requireNotInCircles(verdict: LimitVerdict, codesToKeep: number): void {
  const { allowed, limit, remaining, retryAfterSeconds } = verdict;
  if (allowed && remaining >= codesToKeep) return;
  throw new Refusal("site-cookie-not-kept", {
    headers: { "Retry-After": String(retryAfterSeconds) },
    members: { limit, remaining: 0, retryAfter: retryAfterSeconds },
  });
}
