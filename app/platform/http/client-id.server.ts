import { isIP } from "node:net";
import ipaddr from "ipaddr.js";
import proxyAddr from "proxy-addr";
import { trimSpaces } from "./header-text";

/** Whether to trust a hop about the one before it. Hop 0 is the direct peer, 1 the right-most X-Forwarded-For entry. */
export type TrustCheck = (address: string, hop: number) => boolean;

/** More than anybody runs. With a larger count clients could choose their address. */
export const maxTrustedHops = 16;

const namedRanges = new Set(["loopback", "linklocal", "uniquelocal"]);

/** Shared by all clients with an unknown address, so that limits still apply. */
const unknownClient = "unknown";

/**
 * Reads TRUST_PROXY in Express's syntax. A hop count trusts that many hops *whatever their address*, so nobody may
 * reach the server past the proxies.
 */
export function compileTrust(value: string | undefined): TrustCheck {
  const text = value?.trim() ?? "";
  if (text === "" || text === "false") return () => false;
  if (text === "true") {
    throw new Error(
      "TRUST_PROXY=true would let every client choose its address. Give the number of proxies or their addresses.",
    );
  }
  if (/^\d+$/.test(text)) {
    const hops = Number(text);
    if (hops > maxTrustedHops) throw new Error(`TRUST_PROXY counts more than ${maxTrustedHops} proxies.`);
    return (_address, hop) => hop < hops;
  }
  const entries = text.split(",").map((entry) => entry.trim());
  try {
    if (entries.every(isTrustEntry)) return proxyAddr.compile(entries);
  } catch {
    // A range the library rejects, such as a netmask with holes: reported below.
  }
  throw new Error(
    "TRUST_PROXY must be a number of proxies, or a comma-separated list of addresses, CIDR ranges, loopback, linklocal and uniquelocal.",
  );
}

/** The library would also take `1` and `0x7f.1` as addresses. */
function isTrustEntry(entry: string): boolean {
  const [address = ""] = entry.split("/");
  return namedRanges.has(entry) || (isIP(address) !== 0 && !address.includes("%"));
}

/**
 * Identifies a client for limits and nonces: the direct peer, or the right-most address that trusted proxies report and
 * that is not trusted itself. Clients can't choose it. IPv6 counts by /64, which is one customer.
 */
export function clientIdentifier(
  socketAddress: string | undefined,
  forwardedFor: string | undefined,
  isTrustedPeer: TrustCheck,
): string {
  let client = readAddress(socketAddress ?? "");
  if (client === null) return unknownClient;
  const reported = (forwardedFor ?? "").split(",").map(trimSpaces).filter(Boolean);
  for (let hop = 0; hop < maxTrustedHops && isTrustedPeer(client.toString(), hop); hop++) {
    const entry = reported.pop();
    const next = entry === undefined ? null : readAddress(entry);
    if (next === null) break;
    client = next;
  }
  return identifierOf(client);
}

export function isPeerTrusted(socketAddress: string | undefined, isTrustedPeer: TrustCheck): boolean {
  const peer = readAddress(socketAddress ?? "");
  return peer !== null && isTrustedPeer(peer.toString(), 0);
}

const privateRanges = new Set(["loopback", "private", "uniqueLocal", "linkLocal", "carrierGradeNat"]);

/** Whether it is an address of proxies and containers rather than visitors. */
export function isPrivateAddress(text: string | undefined): boolean {
  const address = readAddress(text ?? "");
  return address !== null && privateRanges.has(address.range());
}

/**
 * The raw host that the client requested. `forwarded` comes from a trusted proxy; its right-most value is the nearest
 * proxy's.
 */
export function requestHost(hostHeader = "", forwarded = ""): string | null {
  const reported = forwarded.split(",").map(trimSpaces);
  return reported.findLast(Boolean) ?? (trimSpaces(hostHeader) || null);
}

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/**
 * An address with an optional zone, port, or brackets around IPv6. Refuses IPv4 notations that programs read
 * differently (octal, hex, fewer parts).
 */
function readAddress(text: string): Address | null {
  const match = /^\[([^\]]*)\](?::\d{1,5})?$/.exec(text) ?? /^([\d.]+):\d{1,5}$/.exec(text);
  const [address = ""] = (match?.[1] ?? text).split("%");
  return isIP(address) === 0 ? null : ipaddr.process(address);
}

function identifierOf(address: Address): string {
  const text = address.toString();
  if (address.kind() === "ipv4") return text;
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${text}/64`).toString()}/64`;
}
