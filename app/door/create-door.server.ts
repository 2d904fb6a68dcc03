import type { readChain } from "~/platform/chain/chain.settings";
import type { SessionServices } from "~/gate/session/session.server";
import type { Caller } from "~/gate/tokens/caller.server";
import type { HolderDependencies } from "~/gate/tokens/holder.server";
import type { readTokens } from "~/gate/tokens/tokens.settings";
import type { SignedTokenRules } from "~/gate/tokens/signed-token.server";
import type { RateLimiter } from "~/platform/limits/rate-limiter.server";
import type { Metrics } from "~/platform/metrics/metrics.server";
import { systemClock as clock } from "~/platform/time/clock";
import type { DoorCodeStore } from "./door-codes.store.server";
import { createDoorTokens } from "./door-token.server";
import type { DoorSite } from "./door.settings";
import { createWayIn, goOn, requireDestination } from "./go-on.server";
import { judgeQuestion, wayInTo } from "./question.server";
import type { DoorQuestion, QuestionDependencies } from "./question.server";
import type { Destination, WayOn, WayOnOrder } from "./go-on.server";
import { subjectOf } from "~/gate/tokens/caller.server";
import { digestShape } from "~/gate/session/session.schema";
import { findSessionToken } from "~/gate/session/session.server";
import { normalizeSite } from "~/platform/config/domains";
import type { AccessSubject } from "~/platform/http/request-context.server";
import { toRefusal } from "~/platform/http/to-refusal.server";
import { writeDoorAddress } from "./door-address";
import type { DoorVisit } from "./door-visit";

type DoorPageRequest = DoorVisitRequest & Pick<DoorVisitDependencies, "noteWayOn"> & { host: string | null };

type DoorDependencies = {
  /** The door is off if there are none. */
  sites: readonly DoorSite[];
  origin: string;
  chainSettings: Pick<ReturnType<typeof readChain>, "ownershipCacheSeconds">;
  jwt: Pick<ReturnType<typeof readTokens>, "accessTtlSeconds">;
  gate: {
    holding: HolderDependencies;
    signing: Pick<SignedTokenRules, "keys" | "clockToleranceSeconds"> & { issuer: string };
    session: Pick<SessionServices, "identify" | "prolong">;
  };
  codes: DoorCodeStore;
  openLimiter: (limit: typeof codeLimit) => Pick<RateLimiter, "consume">;
  metrics: Pick<Metrics, "openDoorMetrics">;
};

/** More codes for one session and site mean that the browser doesn't keep the site's cookie. */
const codeLimit = { name: "door-codes", points: 5, windowSeconds: 30, algorithm: "sliding" } as const;

/** A proxy opens these sites to holders. */
export function createDoor(given: DoorDependencies) {
  const { origin, codes, chainSettings } = given;
  const { holding, signing, session } = given.gate;
  const sites = new Map(given.sites.map((site) => [site.host, site]));
  const doorMetrics = sites.size > 0 ? given.metrics.openDoorMetrics() : null;
  const tokens = createDoorTokens({
    ...signing,
    kinds: holding.kinds,
    sites: given.sites,
    ttlSeconds: given.jwt.accessTtlSeconds,
    clock,
  });
  const question: QuestionDependencies = {
    ...holding,
    sites,
    tokens,
    cacheSeconds: chainSettings.ownershipCacheSeconds,
    countQuestion: doorMetrics?.countQuestion,
  };
  const { consume: consumeCodes } = given.openLimiter(codeLimit);
  const going = { ...holding, sites, codes, consumeCodes, prolongSession: session.prolong };
  const findDestination = (door: string) => requireDestination(door, sites);
  const goOnTo = (order: Parameters<typeof goOn>[0]) => goOn(order, going);
  return {
    answer: (asked: DoorQuestion) => judgeQuestion(asked, question),
    ...createWayIn({ origin, sites, codes, tokens, clock }),
    requireDestination: findDestination,
    goOn: ({ door, start, caller }: { door: string; start: string; caller: Caller }) =>
      goOnTo({ destination: findDestination(door), start, caller }),
    /** For the gate's page. */
    visit: async ({ host, noteWayOn, ...request }: DoorPageRequest) => {
      if (sites.size === 0) return null;
      return await readDoorVisit(request, {
        sites,
        requireDestination: findDestination,
        noteWayOn,
        identifySession: () => session.identify({ ask: { open: true }, cookie: request.cookie, host }),
        goOn: goOnTo,
      });
    },
  };
}

type DoorVisitRequest = {
  searchParams: URLSearchParams;
  cookie: string | undefined;
  /** Whether the visitor navigates. Otherwise there is no redirect, because subresources must make no codes. */
  isOwnVisit: boolean;
};

type DoorVisitDependencies = {
  sites: ReadonlyMap<string, DoorSite>;
  requireDestination: (door: string) => Destination;
  identifySession: () => Promise<Caller>;
  goOn: (order: WayOnOrder) => Promise<WayOn>;
  /** Records a granted way in. The page records a refusal when it tries again. */
  noteWayOn: (way: { subject: AccessSubject | null; site: string }) => void;
};

/** The page's data, or a redirect. Null: the visitor comes from no site. */
async function readDoorVisit(
  { searchParams, cookie, isOwnVisit }: DoorVisitRequest,
  dependencies: DoorVisitDependencies,
): Promise<DoorVisit | { redirectTo: string; kept?: WayOn["kept"] } | null> {
  const doors = searchParams.getAll("door");
  if (doors.length === 0) return readLeft(searchParams, dependencies.sites);
  const destination = doors.length === 1 ? findDestination(doors[0]!, dependencies) : null;
  if (destination === null) return { kind: "wrong" };
  const { address, site } = destination;
  const [start = "", ...others] = searchParams.getAll("start");
  if (!digestShape.test(start) || others.length > 0) return { redirectTo: wayInTo(address) };
  if (isOwnVisit && findSessionToken(cookie) !== null) {
    const way = await findWayOn(destination, start, dependencies);
    if (way !== null) return { redirectTo: way.goTo, kept: way.kept };
  }
  const keyKinds = site.kinds.map(({ name }) => name);
  return { kind: "arriving", host: site.host, address: writeDoorAddress(address), start, keyKinds };
}

function readLeft(searchParams: URLSearchParams, sites: DoorVisitDependencies["sites"]): DoorVisit | null {
  const host = normalizeSite(searchParams.get("left") ?? "");
  return host !== null && sites.has(host) ? { kind: "left", host } : null;
}

function findDestination(door: string, { requireDestination }: DoorVisitDependencies): Destination | null {
  try {
    return requireDestination(door);
  } catch (error) {
    if (toRefusal(error).status === 400) return null;
    throw error;
  }
}

/** Browsers follow twenty redirects, which is five rounds. From a page they count again, and it explains the fault. */
const codesForThePage = 2;

/** Null for every refusal: the page tries again and shows the reason. */
async function findWayOn(
  destination: Destination,
  start: string,
  { identifySession, goOn, noteWayOn }: DoorVisitDependencies,
): Promise<WayOn | null> {
  try {
    const caller = await identifySession();
    const way = await goOn({ destination, start, caller, codesToKeep: codesForThePage });
    noteWayOn({ subject: subjectOf(caller), site: destination.site.host });
    return way;
  } catch (error) {
    if (toRefusal(error).refusalName === "internal-error") throw error;
    return null;
  }
}
