import { isLoopbackSite, isPlain, makeDoorAddress, readDoorAddress, writeDoorAddress } from "./door-address";
import type { DoorAddress } from "./door-address";

/** What a visitor asked a site for, in the words of the site's proxy. */
export type AskedFor = {
  address: DoorAddress;
  /** Whether a person's browser waits for a page, which can be led somewhere else. */
  isPage: boolean;
};
export type AskedForReading = { asked: AskedFor } | { fault: string };

/** Names in lower case; a header that came several times as one, joined by commas and spaces. */
type Headers = Readonly<Record<string, string | string[] | undefined>>;
type Forwarded = { address: DoorAddress; method: string };

const forwardedNames = [
  "x-forwarded-proto",
  "x-forwarded-host",
  "x-forwarded-uri",
  "x-forwarded-method",
] as const;
const originalNames = ["x-original-url", "x-original-method"] as const;
const method = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,32}$/;

/**
 * Traefik and Caddy send the first family of headers, nginx the second. What a visitor sent by the same names is the
 * proxy's to remove, so whatever is missing, doubled or contradicts itself is a proxy that is set up wrong.
 */
export function readAskedFor(headers: Headers): AskedForReading {
  const forwarded = readForwarded(headers);
  const original = readOriginal(headers);
  if (typeof forwarded === "string") return { fault: forwarded };
  if (typeof original === "string") return { fault: original };
  const read = forwarded ?? original;
  if (read === null) {
    return {
      fault:
        "The request does not say what a visitor asked for. The proxy must send X-Forwarded-Proto, -Host, -Uri and -Method, or X-Original-URL and X-Original-Method.",
    };
  }
  if (forwarded && original && !isSame(forwarded, original)) {
    return {
      fault: "X-Forwarded-… and X-Original-… name different addresses or methods. Send one of the two.",
    };
  }
  const { address } = read;
  if (isPlain(address) && !isLoopbackSite(address.host)) {
    return { fault: "The visitor came by plain HTTP. Sites behind the door are served over HTTPS." };
  }
  return { asked: { address, isPage: isPage(read.method, headers) } };
}

/** Null where none of the family is there; a text says what is wrong. */
function readForwarded(headers: Headers): Forwarded | string | null {
  const values = readFamily(headers, forwardedNames);
  if (!Array.isArray(values)) return values;
  const [scheme = "", authority = "", path = "", asked = ""] = values;
  const address = makeDoorAddress({ scheme, authority, path });
  if (address && method.test(asked)) return { address, method: asked };
  return "The X-Forwarded-… headers do not name one scheme, one host, a path that begins with a slash, and one method.";
}

function readOriginal(headers: Headers): Forwarded | string | null {
  const values = readFamily(headers, originalNames);
  if (!Array.isArray(values)) return values;
  const [url = "", asked = ""] = values;
  const address = readDoorAddress(url);
  if (address && method.test(asked)) return { address, method: asked };
  return "X-Original-URL must be one whole address, scheme and host included, and X-Original-Method one method.";
}

function readFamily(headers: Headers, names: readonly string[]): string[] | string | null {
  const present = names.filter((name) => headers[name] !== undefined);
  if (present.length === 0) return null;
  const missing = names.filter((name) => !present.includes(name));
  if (missing.length > 0)
    return `Where ${present.join(", ")} is sent, ${missing.join(", ")} must be sent too.`;
  return names.map((name) => escapeBytes(String(headers[name])));
}

/** A header's text has a character for each byte; what is beyond ASCII is written as addresses write it. */
function escapeBytes(text: string): string {
  return text.replaceAll(/[\u0080-\u00ff]/g, (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase()}`);
}

function isSame(one: Forwarded, other: Forwarded): boolean {
  return one.method === other.method && writeDoorAddress(one.address) === writeDoorAddress(other.address);
}

function isPage(asked: string, { accept, "sec-fetch-mode": mode }: Headers): boolean {
  if (!["GET", "HEAD"].includes(asked)) return false;
  return mode === "navigate" || /\btext\/html\b/i.test(String(accept));
}
