import {
  maxMessageChars,
  maxMessages,
  maxParts,
  maxRequestBytes,
  maxRequestValues,
} from "~/chat/chat-limits";
import { maxSiweFieldsLength } from "~/gate/proofs/siwe.server";
import { maxBodyBytes as maxMcpBytes, maxBodyValues as maxMcpValues } from "~/tools/mcp/message";

export type HostileBody = { shape: string; text: string };
export type HostileRoute = {
  /** As the build names it. */
  pattern: string;
  path: string;
  headers: Readonly<Record<string, string>>;
  bodies: readonly HostileBody[];
};

const json = { "Content-Type": "application/json" };
const kib = 1024;
const address = `0x${"a".repeat(40)}`;

/** As many of them as fit. */
function fill(item: string, bytes: number): string {
  return Array.from({ length: Math.floor(bytes / (item.length + 1)) }, () => item).join(",");
}

function repeat(item: string, count: number): string {
  return Array.from({ length: count }, () => item).join(",");
}

function manyMembers(count: number, value = "1"): string {
  return Array.from({ length: count }, (_, index) => `"k${index.toString(36)}":${value}`).join(",");
}

/** Whatever the route is about: what is slow to parse, to walk through, to judge or to describe. */
function anyShapes({ maxBytes, maxValues }: { maxBytes: number; maxValues: number }): HostileBody[] {
  const room = maxBytes - 200;
  const half = Math.floor(room / 2);
  const within = (count: number, each: number) => Math.min(count, Math.floor(room / each));
  const shapes: Record<string, string> = {
    "nothing but opening brackets": "[".repeat(room),
    "lists within each other": "[".repeat(half) + "]".repeat(half),
    "objects within each other": `${'{"a":'.repeat(room / 6)}1${"}".repeat(room / 6)}`,
    "empty objects": `[${fill("{}", room)}]`,
    ones: `[${fill("1", room)}]`,
    members: `{${manyMembers(Math.floor(room / 12))}}`,
    "members, as many as allowed": `{${manyMembers(within(maxValues - 1, 12))}}`,
    "one name again and again": `{${fill('"a":1', room)}}`,
    "names that are numbers": `{${Array.from({ length: within(maxValues - 1, 16) }, (_, index) => `"${4e9 - index}":1`).join(",")}}`,
    "exponents and fractions, as many as allowed": `{"tokenIds":[${repeat("1.5e3", within(maxValues - 2, 6))}]}`,
    "one number of all bytes": `{"tokenId":${"9".repeat(half)}.${"9".repeat(half)}}`,
    "one string of escapes": `{"a":"${"\\u0041".repeat(Math.floor(room / 6))}"}`,
    "one string of quotes": `{"a":1.5,"b":"${'\\"'.repeat(half)}"}`,
    "half of a pair, again and again": `{"a":"${"\\ud83d".repeat(Math.floor(room / 6))}"}`,
    "a name of all bytes": `{"${"n".repeat(room)}":1}`,
    "JSON that breaks off at its end": `{"a":"${"b".repeat(room)}`,
    "white space": " ".repeat(room),
    "bytes that are no UTF-8": "\u0080".repeat(half),
  };
  return Object.entries(shapes).map(([shape, text]) => ({ shape, text }));
}

function named(shapes: Record<string, string>): HostileBody[] {
  return Object.entries(shapes).map(([shape, text]) => ({ shape, text }));
}

const user = (members: string) => `{"messages":[{"role":"user",${members}}]}`;
const textPart = '{"type":"text","text":"a"}';

const chatBodies = named({
  "85,000 empty parts": user(`"parts":[${fill("{}", maxRequestBytes - 100)}]`),
  "empty parts, as many as allowed": user(`"parts":[${repeat("{}", maxParts)}]`),
  "numbers as content": user(`"content":[${repeat("1", maxParts)}]`),
  "text parts without text": user(`"parts":[${repeat('{"type":"text"}', maxParts)}]`),
  "right parts, the last one wrong": user(`"parts":[${repeat(textPart, maxParts - 1)},{}]`),
  "a part of many members": user(`"parts":[{"type":"tool",${manyMembers(maxRequestValues - 10)}}]`),
  "metadata of many members": `{"messages":[{"role":"user","content":"a"}],"metadata":{${manyMembers(maxRequestValues - 10)}}}`,
  "messages of nothing": `{"messages":[${repeat("{}", maxMessages)}]}`,
  "9,000 messages": `{"messages":[${repeat('{"role":"user","content":""}', 9_000)}]}`,
  "wrong parts in each message": `{"messages":[${repeat(`{"role":"user","parts":[${repeat("{}", maxParts / maxMessages)}]}`, maxMessages)}]}`,
  "the longest message": user(`"content":"${"a ".repeat(maxMessageChars / 2)}"`),
  "the longest message, one word": user(`"content":"${"a".repeat(maxMessageChars)}"`),
  "the longest message, marks alone": user(`"content":"${"*_[(`".repeat(maxMessageChars / 5)}"`),
  "a hundred messages of all bytes": `{"messages":[${repeat(`{"role":"user","content":"${"why ".repeat(640)}"}`, maxMessages)}]}`,
  "a message of surrogates": user(`"content":"${"\\ud83d".repeat(maxMessageChars)}"`),
});

const call = (tool: string, input: string) =>
  `{"method":"tools/call","params":{"name":"${tool}","arguments":${input}}}`;
const search = (input: string) => call("libsql_search", `{"query":"key",${input}}`);

const mcpBodies = named({
  "arguments nobody knows": call("key_status", `{"tokenId":"1",${manyMembers(maxMcpValues - 10)}}`),
  "a token id of many digits": call("key_status", `{"tokenId":"${"9".repeat(200_000)}"}`),
  "a tool's name of all bytes": call("n".repeat(maxMcpBytes - 200), "{}"),
  "a filter of many fields": search(`"filter":{${manyMembers(maxMcpValues - 10)}}`),
  "a filter of empty groups": search(`"filter":{"$and":[${repeat('{"$or":[]}', 1_600)}]}`),
  "a filter of groups in groups": search(`"filter":${'{"$and":['.repeat(28)}{}${"]}".repeat(28)}`),
  "a filter as large as allowed": search(
    `"filter":{"$and":[${repeat(`{"f":{"$in":[${repeat('"a"', 5)}]}}`, 20)}]}`,
  ),
  "a query of all bytes": call("libsql_search", `{"query":"${"a ".repeat(120_000)}"}`),
  "the longest query": call("libsql_search", `{"query":"${"a ".repeat(500).trim()}","topK":100}`),
  "a batch": `[${repeat('{"jsonrpc":"2.0","id":1,"method":"ping"}', 1_200)}]`,
  "a protocol's message with many members": `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{${manyMembers(maxMcpValues - 10)}}}}`,
});

const longSignature = `0x${"ab".repeat(8_000)}`;
const nonce = "0".repeat(32);
const siwe = (message: string) =>
  `{"address":"${address}","signature":"${longSignature}","tokenId":"1","nonce":"${nonce}","message":${JSON.stringify(message)}}`;

type MessageParts = { domain?: string; uri?: string; further?: string };

/** Right but for the parts that are given. The address has its checksum, or the parser would end there. */
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

/** A message of exactly the greatest length that is parsed: one character more and it is refused unread. */
function longest(unit: string, make: (filling: string) => string): string {
  const room = maxSiweFieldsLength - make("").length;
  return siwe(make(unit.repeat(Math.ceil(room / unit.length)).slice(0, room)));
}

const gateBodies = named({
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
const formBodies = named({
  "the longest message": form("a".repeat(10_000)),
  "a long message, escaped": form("\\u00e9".repeat(8_000)),
  "members nobody knows": `{${manyMembers(990)}}`,
});
const speech = (text: string) => `{"text":"${text}"}`;
const speechBodies = named({
  "the longest text, one word": speech("a".repeat(4_000)),
  "the longest text, marks alone": speech("*_[(`#".repeat(660)),
  "the longest text, brackets": speech("[".repeat(4_000)),
  "the longest text, entities": speech("&amp;".repeat(800)),
  "the longest text, links": speech("[a](http://a) ".repeat(280)),
  "the longest text, digits": speech("9".repeat(4_000)),
  "the longest text, full stops": speech(". ".repeat(1_999)),
  "the longest text, line breaks": speech("a\\n".repeat(1_999)),
  "the longest text, tables": speech("| a ".repeat(990)),
  "the longest text, code": speech("``` ".repeat(999)),
  "the longest text, addresses": speech("https://a.b/".repeat(330)),
  "too long a text": speech("a ".repeat(16_000)),
});
const resetBodies = named({
  "as many ids as may be named": `{"tokenIds":[${Array.from({ length: 500 }, (_, index) => index).join(",")}]}`,
  "wrong ids, as many as allowed": `{"tokenIds":[${repeat("{}", 990)}]}`,
  "ids in exponents": `{"tokenIds":[${repeat("1e3", 990)}]}`,
  "wrong addresses, as many as allowed": `{"addresses":[${repeat("1", 990)}]}`,
  "the longest ids": `{"tokenIds":[${repeat(`"${"9".repeat(77)}"`, 190)}]}`,
});
const forms: HostileBody[] = named({
  "names without values": "a&".repeat(4_000),
  escapes: "secret=" + "%41".repeat(2_600),
  "broken escapes": "secret=" + "%".repeat(8_000),
});

/** The worst that anybody has thought of, for every route that takes a body. */
export function listHostileRoutes(origin: string, resetSecret: string): HostileRoute[] {
  const usual = { maxBytes: 64 * kib, maxValues: 1_000 };
  const own = { Origin: origin, "Content-Type": "application/x-www-form-urlencoded" };
  const route = (
    pattern: string,
    limits: { maxBytes: number; maxValues: number },
    own: HostileBody[] = [],
  ) => ({
    pattern,
    path: pattern,
    headers: json as Record<string, string>,
    bodies: [...anyShapes(limits), ...own],
  });
  return [
    route("/api/chat", { maxBytes: maxRequestBytes, maxValues: maxRequestValues }, chatBodies),
    route("/api/mcp", { maxBytes: maxMcpBytes, maxValues: maxMcpValues }, mcpBodies),
    route("/api/gate-access", usual, gateBodies),
    route("/api/form-submission-gate", usual, formBodies),
    route("/api/tts", { maxBytes: 32 * kib, maxValues: 1_000 }, speechBodies),
    {
      ...route("/api/quota-reset", { maxBytes: 16 * kib, maxValues: 1_000 }, resetBodies),
      headers: { ...json, "X-Quota-Reset-Secret": resetSecret },
    },
    route("/session", { maxBytes: 4 * kib, maxValues: 1_000 }),
    route("/demo/rpc", usual),
    route("/demo/faucet", usual),
    { pattern: "/operator/session", path: "/operator/session", headers: own, bodies: forms },
    {
      pattern: "/operator/do/sign-out",
      path: "/operator/do/sign-out",
      headers: own,
      bodies: forms,
    },
    { pattern: "/operator/do/:action", path: "/operator/do/nothing", headers: own, bodies: forms },
  ];
}
