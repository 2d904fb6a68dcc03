import { maxSiweMessageLength } from "~/gate/proofs/gate-bodies";
import { manyMembers, named, repeat } from "./shapes";
import type { HostileBody } from "./shapes";

const address = `0x${"a".repeat(40)}`;
const longSignature = `0x${"ab".repeat(8_000)}`;
const nonce = "0".repeat(32);
const siwe = (message: string) =>
  `{"address":"${address}","signature":"${longSignature}","tokenId":"1","nonce":"${nonce}","message":${JSON.stringify(message)}}`;

type MessageParts = { domain?: string; uri?: string; further?: string };

/** A valid message except for the given parts. The address needs its checksum, or the parser would stop there. */
function messageOf({
  domain = "localhost",
  uri = "http://localhost/gate",
  further = "",
}: MessageParts): string {
  return [
    `${domain} wants you to sign in with your Ethereum account:`,
    "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266",
    "",
    "",
    `URI: ${uri}`,
    "Version: 1",
    "Chain ID: 31337",
    `Nonce: ${nonce}`,
    `Issued At: 2026-01-15T12:00:00.000Z${further}`,
  ].join("\n");
}

/** A message of the maximum length. With one more character, it is refused unparsed. */
function longest(unit: string, make: (filling: string) => string): string {
  const room = maxSiweMessageLength - make("").length;
  return siwe(make(unit.repeat(Math.ceil(room / unit.length)).slice(0, room)));
}

export const gateBodies = named({
  "members nobody knows": `{"message":"a","nonce":"b",${manyMembers(990)}}`,
  "every member wrong": '{"address":1,"signature":2,"tokenId":{},"message":[],"nonce":{},"timestamp":"x"}',
  "a signature of all bytes": `{"address":"${address}","tokenId":"1","timestamp":1,"signature":"0x${"a".repeat(64_000)}"}`,
  "a message of line breaks": longest("\n", (filling) => filling),
  "a message of marks": longest(";=", (filling) => filling),
  "a message of escapes": longest("%41", (filling) => filling),
  "a message with a path of slashes": longest("/", (path) => messageOf({ uri: `http://localhost${path}` })),
  "a message with an authority of marks": longest(";=", (name) => messageOf({ uri: `http://${name}` })),
  "a message with an unended address literal": longest("0:", (name) => messageOf({ uri: `http://[${name}` })),
  "a message with a domain of labels": longest("a.", (domain) => messageOf({ domain })),
  "a message with a domain of hyphens": longest("-", (domain) => messageOf({ domain })),
  "a message with a domain of marks": longest(";=", (domain) => messageOf({ domain })),
  "a message with a resource of colons": longest("a:", (name) =>
    messageOf({ further: `\nResources:\n- a:${name}` }),
  ),
  "a message of resources": longest("\n- a:@", (further) => messageOf({ further: `\nResources:${further}` })),
  "an older signature, the longest": `{"address":"${address}","tokenId":"1","timestamp":${Date.now()},"signature":"${longSignature}"}`,
});
const form = (message: string) =>
  `{"tokenId":"1","address":"${address}","timestamp":${Date.now()},"signature":"${longSignature}","message":"${message}"}`;
export const formBodies = named({
  "the longest message": form("a".repeat(10_000)),
  "a long message, escaped": form("\\u00e9".repeat(8_000)),
  "members nobody knows": `{${manyMembers(990)}}`,
});
export const resetBodies = named({
  "as many ids as may be named": `{"tokenIds":[${Array.from({ length: 500 }, (_, index) => index).join(",")}]}`,
  "wrong ids, as many as allowed": `{"tokenIds":[${repeat("{}", 990)}]}`,
  "ids in exponents": `{"tokenIds":[${repeat("1e3", 990)}]}`,
  "wrong addresses, as many as allowed": `{"addresses":[${repeat("1", 990)}]}`,
  "the longest ids": `{"tokenIds":[${repeat(`"${"9".repeat(77)}"`, 190)}]}`,
});
/** A body with a door address of the maximum length. */
const door = (unit: string) =>
  `{"door":${JSON.stringify(`https://wiki.example.com/${unit.repeat(8_167 / unit.length)}`)},"start":"${"A".repeat(43)}"}`;
export const sessionBodies = named({
  "a room": '{"open":true}',
  "the longest address of a door": door("a"),
  "the longest address of a door, of dots": door("/.."),
  "the longest address of a door, of escapes": door("%7c"),
});
export const forms: HostileBody[] = named({
  "names without values": "a&".repeat(4_000),
  escapes: "secret=" + "%41".repeat(2_600),
  "broken escapes": "secret=" + "%".repeat(8_000),
});
