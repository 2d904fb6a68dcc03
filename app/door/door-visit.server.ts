import { claimOf } from "~/gate/tokens/caller.server";
import type { Caller } from "~/gate/tokens/caller.server";
import { digestShape } from "~/gate/session/session.schema";
import { findSessionToken } from "~/gate/session/session.server";
import { normalizeSite } from "~/platform/config/domains";
import type { AccessClaim } from "~/platform/http/request-context.server";
import { toRefusal } from "~/platform/http/to-refusal.server";
import type { DoorSite } from "./door.settings";
import { writeDoorAddress } from "./door-address";
import type { DoorVisit } from "./door-visit";
import type { Destination, WayOn, WayOnOrder } from "./go-on.server";
import { wayInTo } from "./question.server";

export type DoorVisitRequest = {
  searchParams: URLSearchParams;
  cookie: string | undefined;
  /** Whether somebody comes by themselves; else nobody goes anywhere: what another page loads must make no codes. */
  isOwnVisit: boolean;
};

export type DoorVisitDependencies = {
  sites: ReadonlyMap<string, DoorSite>;
  requireDestination: (door: string) => Destination;
  identifySession: () => Promise<Caller>;
  goOn: (order: WayOnOrder) => Promise<WayOn>;
  /** Records who was let go on. A no is recorded once the page asks again. */
  noteWayOn: (way: { claim: AccessClaim | null; site: string }) => void;
};

/** What the page shows, or where the visitor goes instead of it. Null: nobody came from a site. */
export async function readDoorVisit(
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

/** Browsers follow twenty redirects, which is five rounds. From a page they count again, and it says what is wrong. */
const codesForThePage = 2;

/** Null for every no: the page asks again by itself, and shows why. */
async function findWayOn(
  destination: Destination,
  start: string,
  { identifySession, goOn, noteWayOn }: DoorVisitDependencies,
): Promise<WayOn | null> {
  try {
    const caller = await identifySession();
    const way = await goOn({ destination, start, caller, codesToKeep: codesForThePage });
    noteWayOn({ claim: claimOf(caller), site: destination.site.host });
    return way;
  } catch (error) {
    if (toRefusal(error).refusalName === "internal-error") throw error;
    return null;
  }
}
