import { goOn, requireDestination } from "~/door/go-on.server";
import { answerQuestion } from "~/door/question.server";
import type { DoorQuestion, QuestionDependencies } from "~/door/question.server";
import { readDoorVisit } from "~/door/door-visit.server";
import type { DoorVisitDependencies, DoorVisitRequest } from "~/door/door-visit.server";
import { createDoorTokens } from "~/door/door-token.server";
import { enterSite, leaveSite, startWayIn } from "~/door/way-in.server";
import type { SiteRequest, WayInDependencies } from "~/door/way-in.server";
import type { Caller } from "~/gate/tokens/caller.server";
import type { HolderDependencies } from "~/gate/tokens/holder.server";
import type { SignedTokenRules } from "~/gate/tokens/signed-token.server";
import { systemClock as clock } from "~/platform/time/clock";
import type { Foundation } from "~/services/foundation.server";
import { openLimiter } from "~/platform/limits/open-limiter.server";
import type { wireSession } from "~/gate/session/create-session.server";

type DoorPageRequest = DoorVisitRequest & Pick<DoorVisitDependencies, "noteWayOn"> & { host: string | null };

type DoorNeeds = {
  session: Pick<ReturnType<typeof wireSession>, "identify" | "prolong">;
  holding: HolderDependencies;
  signing: Pick<SignedTokenRules, "keys" | "clockToleranceSeconds"> & { issuer: string };
};

/** More codes for one session and site within this time mean that the browser does not keep the site's cookie. */
const codesAtOnce = { points: 5, windowSeconds: 30 };

/** Sites that know nothing of keys, which a proxy opens to holders. Without sites nothing of it is reached. */
export function wireDoor(foundation: Foundation, { holding, signing, session }: DoorNeeds) {
  const { config, origin, state, metrics } = foundation;
  const { kinds } = holding;
  const sites = new Map(config.doorSites.map((site) => [site.host, site]));
  const doorMetrics = sites.size > 0 ? metrics.openDoorMetrics() : null;
  const tokens = createDoorTokens({
    ...signing,
    kinds,
    sites: config.doorSites,
    ttlSeconds: config.jwt.accessTtlSeconds,
    clock,
  });
  const codeLimit = openLimiter(foundation, { name: "door-codes", ...codesAtOnce, algorithm: "sliding" });
  const codes = state.doorCodes;
  const question: QuestionDependencies = {
    ...holding,
    sites,
    tokens,
    cacheSeconds: config.chain.ownershipCacheSeconds,
    countQuestion: doorMetrics?.countQuestion,
  };
  const wayIn: WayInDependencies = { origin, sites, codes, tokens, clock };
  const { consume: consumeCodes } = codeLimit;
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
