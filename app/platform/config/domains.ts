import { splitList } from "~/platform/config/kinds";

/** A Host header has no scheme, so we can't tell which is the default. The normal form names neither. */
const defaultPorts = new Set(["80", "443"]);
const maxPort = 65_535;
const maxNameLength = 253;
/** Bounds the work for a hostile header. */
const maxHostLength = 300;

const hostShape = /^(\[[0-9A-Fa-f:.]+\]|[^[\]:]+)(?::([1-9][0-9]{0,4}))?$/;
const label = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/;
const dottedQuad = /^[0-9]+\.[0-9]+\.[0-9]+\.[0-9]+$/;
/** The URL parser would decode, split at or drop these, so that two spellings became one host. */
const neverInHost = /[\s/\\?#@%\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]/u;

function canonicalName(name: string): string | null {
  let hostname: string;
  try {
    hostname = new URL(`http://${name}`).hostname;
  } catch {
    return null;
  }
  if (hostname.startsWith("[")) return hostname;
  // The URL parser reads 127.1, 0x7f000001 and 2130706433 as 127.0.0.1. Only the plain spelling passes.
  if (dottedQuad.test(hostname)) return hostname === name ? hostname : null;
  if (hostname.length > maxNameLength) return null;
  return hostname.split(".").every((part) => label.test(part)) ? hostname : null;
}

/**
 * The normal form of a `host[:port]`: lower case, punycode, no default port. Refuses a trailing dot, because browsers
 * treat `example.com.` as a site of its own.
 */
export function normalizeHost(host: string): string | null {
  if (host.length > maxHostLength || neverInHost.test(host)) return null;
  const match = hostShape.exec(host);
  if (!match) return null;
  const [, rawName = "", port] = match;
  const name = canonicalName(rawName);
  if (name === null || port === undefined) return name;
  if (Number(port) > maxPort) return null;
  return defaultPorts.has(port) ? name : `${name}:${port}`;
}

/** For a site behind the door. Drops the trailing dot that its browsers and proxies may write. */
export function normalizeSite(host: string): string | null {
  return normalizeHost(host.replace(/\.(?=(?::[0-9]+)?$)/, ""));
}

/** Whether a host name can only be this machine. `127.example.com` is a name like any other. */
export function isLoopbackName(hostname: string): boolean {
  return (
    hostname === "localhost" ||
    hostname.endsWith(".localhost") ||
    hostname === "[::1]" ||
    /^127(?:\.\d{1,3}){3}$/.test(hostname)
  );
}

/** The host of a serialised origin (an Origin header). */
export function originHost(origin: string): string | null {
  const match = /^https?:\/\/([^/?#]+)$/.exec(origin);
  return match ? normalizeHost(match[1] ?? "") : null;
}

/** The host of an absolute http(s) URI; null if it has a user name. */
export function uriHost(uri: string): string | null {
  const match = /^https?:\/\/([^/?#]+)/i.exec(uri);
  return match ? normalizeHost(match[1] ?? "") : null;
}

/** A subdomain or another port is another domain. */
export function isAllowedDomain(host: string | null, domains: readonly string[]): boolean {
  return host !== null && domains.includes(host);
}

function readEntry(entry: string): { domain: string } | { fault: string } {
  // An address with a user name may contain a password, which must not reach a log.
  if (entry.includes("@")) return { fault: "an entry with a user name: write the host alone" };
  const quoted = JSON.stringify(entry.length > 100 ? `${entry.slice(0, 100)}...` : entry);
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(entry);
  if (scheme && !/^https?$/i.test(scheme[1] ?? "")) {
    return { fault: `${quoted}: only http:// and https:// can stand in front of a host` };
  }
  const [host = ""] = entry.slice(scheme?.[0].length ?? 0).split("/");
  const domain = normalizeHost(host);
  if (entry.includes("*")) return { fault: `${quoted}: there are no wildcards, name each host` };
  if (/\.(?::[0-9]*)?$/.test(host)) return { fault: `${quoted}: write it without the dot at its end` };
  if (domain === null) {
    return { fault: `${quoted}: not a host with an optional port, such as example.com or localhost:3000` };
  }
  return { domain };
}

/** Throws an error that names every bad entry at once. */
export function parseDomainAllowlist(value: string): string[] {
  const entries = splitList(value);
  if (entries.length === 0) {
    throw new Error("The list of domains is empty: name at least one host, such as example.com");
  }
  const read = entries.map(readEntry);
  const faults = read.flatMap((entry) => ("fault" in entry ? [entry.fault] : []));
  if (faults.length > 0) throw new Error(`The list of domains cannot be used: ${faults.join("; ")}`);
  return [...new Set(read.flatMap((entry) => ("domain" in entry ? [entry.domain] : [])))];
}

export function createOriginCheck(domains: readonly string[], corsOrigins: readonly string[]) {
  return (origin: string): boolean => {
    const host = originHost(origin);
    return host !== null && (domains.includes(host) || corsOrigins.includes(origin));
  };
}
