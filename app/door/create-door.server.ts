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
import { readDoorVisit } from "./door-visit.server";
import type { DoorVisitDependencies, DoorVisitRequest } from "./door-visit.server";
import type { DoorSite } from "./door.settings";
import { goOn, requireDestination } from "./go-on.server";
import { answerQuestion } from "./question.server";
import type { DoorQuestion, QuestionDependencies } from "./question.server";
import { enterSite, leaveSite, startWayIn } from "./way-in.server";
import type { SiteRequest, WayInDependencies } from "./way-in.server";

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

/** More codes for one session and site within this time mean that the browser does not keep the site's cookie. */
const codeLimit = { name: "door-codes", points: 5, windowSeconds: 30, algorithm: "sliding" } as const;

/** Sites that know nothing of keys, which a proxy opens to holders. Without sites nothing of it is reached. */
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
  const wayIn: WayInDependencies = { origin, sites, codes, tokens, clock };
  const { consume: consumeCodes } = given.openLimiter(codeLimit);
  const going = { ...holding, sites, codes, consumeCodes, prolongSession: session.prolong };
  const findDestination = (door: string) => requireDestination(door, sites);
  const goOnTo = (order: Parameters<typeof goOn>[0]) => goOn(order, going);
  return {
    answer: (asked: DoorQuestion) => answerQuestion(asked, question),
    start: (request: SiteRequest) => startWayIn(request, wayIn),
    enter: (request: SiteRequest) => enterSite(request, wayIn),
    leave: (request: SiteRequest) => leaveSite(request, wayIn),
    requireDestination: findDestination,
    goOn: ({ door, start, caller }: { door: string; start: string; caller: Caller }) =>
      goOnTo({ destination: findDestination(door), start, caller }),
    /** For the gate's page. Without sites, whatever its address says means nothing. */
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
