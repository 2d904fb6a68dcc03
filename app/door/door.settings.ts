import { findKind } from "~/gate/kinds/kind";
import type { KeyKind, KeyKinds } from "~/gate/kinds/kind";
import { setting, splitList } from "~/platform/config/kinds";
import { InvalidSetting } from "~/platform/config/setting";
import type { SettingReader } from "~/platform/config/setting-reader";
import { normalizeSite, originHost } from "~/platform/config/domains";
import { redisSettings } from "~/platform/redis/redis.settings";
import { servingSettings } from "~/platform/http/serving.settings";
import { isLoopbackSite } from "./door-address";

/** docs/door.md shows the proxies. */
export const doorSettings = {
  hosts: setting(
    "DOOR_HOSTS",
    {
      parse: parseHosts,
      range: "`host`, `host:port`, or either followed by `=` and the name of a kind of key, comma-separated",
      switches: { name: "Sites behind the door", off: "GET /api/door is not there" },
    },
    "Sites that know nothing of keys, which a proxy opens to holders by asking GET /api/door. Without a kind: the one there is, else every kind whose `opens` names `door:<host>`.",
  ),
};

/** A site, by its `host[:port]` in normal form, and the kinds of keys that open it. */
export type DoorSite = { host: string; kinds: readonly KeyKind[] };

type WrittenSite = { host: string; kindName: string | null };

function parseHosts(given: string): readonly WrittenSite[] {
  const entries = splitList(given);
  if (entries.length === 0)
    throw new InvalidSetting("must name at least one site, such as wiki.example.com.");
  return entries.map((entry) => {
    const [, written = "", kindName = null] = /^([^=]*)(?:=(.*))?$/s.exec(entry) ?? [];
    const host = normalizeSite(written.trim());
    if (host !== null) return { host, kindName: kindName?.trim() ?? null };
    const quoted = JSON.stringify(entry.includes("@") ? "an entry with a user name" : entry.slice(0, 100));
    throw new InvalidSetting(
      `has an entry that is not a site: ${quoted}. Write the host alone, with its port if it names one, such as wiki.example.com.`,
    );
  });
}

type Surroundings = {
  kinds: KeyKinds;
  serving: { publicOrigin: string | null; domains: readonly string[] | null; port: number };
  isStateActive: boolean;
};

/** Empty if the door is off. */
export function readDoor(
  reader: SettingReader,
  { kinds, serving, isStateActive }: Surroundings,
): readonly DoorSite[] {
  const written = reader.read(doorSettings).hosts ?? [];
  if (written.length === 0) return [];
  const row = doorSettings.hosts;
  reader.setSwitch(row, true, `${row.name} names ${written.map(({ host }) => host).join(", ")}.`);
  const own = [...(serving.domains ?? [`localhost:${serving.port}`])];
  const originOf = serving.publicOrigin === null ? null : originHost(serving.publicOrigin);
  if (originOf !== null) own.push(originOf);
  if (!isStateActive) {
    reader.report(row, `cannot be used while ${redisSettings.enabled.name} is false.`);
  }
  if (!reader.isSet(servingSettings.trustProxy)) {
    reader.warn(row, "is set, but TRUST_PROXY is not. No proxy may ask, so no site opens.");
  }
  for (const [index, { host }] of written.entries()) {
    const fault = findClash(host, { own, others: written.slice(0, index).map((other) => other.host) });
    if (fault !== null) reader.report(row, fault);
  }
  return written.map((site) => ({ host: site.host, kinds: findKinds(reader, site, kinds) }));
}

/**
 * Browsers send cookies, and Caddy and Traefik requests, by a host's name whatever the port. One of two sites would get
 * the other's, or the gate's. On loopback names the cookies' names contain the port.
 */
function findClash(host: string, { own, others }: { own: string[]; others: string[] }): string | null {
  if (own.includes(host)) return `names ${host}, which is the gate itself.`;
  if (others.includes(host)) return `names ${host} twice.`;
  if (isLoopbackSite(host)) return null;
  const isNamesake = (other: string) => withoutPort(other) === withoutPort(host);
  if (own.some(isNamesake)) {
    return `names ${host}, which is the gate's own name with another port: browsers would send the site the gate's cookies. Give the site a name of its own.`;
  }
  const namesake = others.find(isNamesake);
  return namesake === undefined
    ? null
    : `names ${namesake} and ${host}: cookies know no ports, so each site needs a name of its own.`;
}

function withoutPort(host: string): string {
  return host.replace(/:[0-9]+$/, "");
}

function findKinds(reader: SettingReader, { host, kindName }: WrittenSite, kinds: KeyKinds): KeyKind[] {
  const row = doorSettings.hosts;
  // Unreadable kinds are reported separately.
  if (kinds.list.length === 0) return [];
  if (kindName !== null) {
    const named = kindName === "" ? null : findKind(kinds, kindName);
    if (named) return [named];
    reader.report(row, `names a kind of key for ${host} that does not exist.`);
    return [];
  }
  if (kinds.list.length === 1) return [...kinds.list];
  const opening = kinds.list.filter(({ opens }) => opens.includes(`door:${host}`));
  if (opening.length === 0) reader.warn(row, `names ${host}, which no kind of key opens.`);
  return opening;
}
