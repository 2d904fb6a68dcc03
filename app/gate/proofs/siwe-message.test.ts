import { expect, test } from "vitest";
import { createSiweMessage } from "viem/siwe";
import { Refusal } from "~/platform/refusals/refusal";
import { siweClaimsSchema } from "../tokens/access-token.schema";
import { maxSiweMessageLength } from "./gate-bodies";
import { checkSiweMessage, readSiweMessage } from "./siwe.server";

type ExpectedSiwe = Parameters<typeof checkSiweMessage>[1];

const address = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";
const nonce = "0123456789abcdef0123456789abcdef";
const nowMs = Date.UTC(2026, 0, 15, 12);
const issuedAt = "2026-01-15T12:00:00.000Z";

type Parts = {
  scheme?: string;
  domain?: string;
  statement?: string | null;
  uri?: string;
  chainId?: string;
  issuedAt?: string;
  /** Lines after Issued At. */
  further?: string[];
};

function messageOf(parts: Parts = {}): string {
  const { statement = "Unlock key #7" } = parts;
  return [
    `${parts.scheme ?? ""}${parts.domain ?? "localhost:3000"} wants you to sign in with your Ethereum account:`,
    address,
    "",
    ...(statement === null ? [""] : [statement, ""]),
    `URI: ${parts.uri ?? "http://localhost:3000/gate"}`,
    "Version: 1",
    `Chain ID: ${parts.chainId ?? "31337"}`,
    `Nonce: ${nonce}`,
    `Issued At: ${parts.issuedAt ?? issuedAt}`,
    ...(parts.further ?? []),
  ].join("\n");
}

const whole = messageOf();
const withTimes = messageOf({
  further: [
    "Expiration Time: 2026-01-15T12:10:00Z",
    "Not Before: 2026-01-15T11:59:00Z",
    "Request ID: request-7",
    "Resources:",
    "- https://example.com/one",
    "- ipfs://bafybeiemxf5abjwjbikoz4mc3a3dla6ual3jsgpdr4cjr3oz3evfyavhwq/",
  ],
});

const expected: ExpectedSiwe = {
  domains: ["localhost:3000", "example.com"],
  allowsPlainHttp: false,
  requestHost: "localhost:3000",
  chainId: 31337,
  address,
  nonce,
  nowMs,
};

async function refusalOf(act: () => unknown): Promise<Refusal> {
  try {
    await act();
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
  throw new Error("Nothing was refused.");
}

async function detailOf({ text, ...changes }: Partial<ExpectedSiwe> & { text: string }): Promise<string> {
  const message = readSiweMessage(text);
  return (await refusalOf(() => checkSiweMessage(message, { ...expected, ...changes }))).detail;
}

async function passes({ text, ...changes }: Partial<ExpectedSiwe> & { text: string }): Promise<boolean> {
  const message = readSiweMessage(text);
  await checkSiweMessage(message, { ...expected, ...changes });
  return true;
}

function line(start: string): string {
  const found = withTimes.split("\n").find((text) => text.startsWith(start));
  if (found === undefined) throw new Error(`The message has no line ${start}`);
  return found;
}

function without(start: string): string {
  return withTimes.replace(`${line(start)}\n`, "");
}

function swapped(one: string, other: string): string {
  return withTimes.replace(line(one), "<one>").replace(line(other), line(one)).replace("<one>", line(other));
}

const readable: [string, string][] = [
  ["with a statement", whole],
  ["with every optional field", withTimes],
  ["without a statement", messageOf({ statement: null })],
  ["with an empty statement", messageOf({ statement: "" })],
  ["with a statement of one blank", messageOf({ statement: " " })],
  ["with a scheme in front of the domain", messageOf({ scheme: "https://" })],
  ["with an expiration time alone", messageOf({ further: ["Expiration Time: 2026-01-15T12:10:00Z"] })],
  ["with a not-before time alone", messageOf({ further: ["Not Before: 2026-01-15T12:00:00Z"] })],
  ["with a request id alone", messageOf({ further: ["Request ID: some_id"] })],
  ["with an empty request id", messageOf({ further: ["Request ID: "] })],
  ["with resources alone", messageOf({ further: ["Resources:", "- https://example.com"] })],
  ["with an empty list of resources", messageOf({ further: ["Resources:"] })],
  ["with a domain without a port", messageOf({ domain: "example.com" })],
  ["with an IPv4 domain", messageOf({ domain: "127.0.0.1:3000" })],
  ["with an IPv6 domain", messageOf({ domain: "[::1]:3000" })],
  ["with a domain in capitals", messageOf({ domain: "LOCALHOST:3000" })],
  ["with a punycode domain", messageOf({ domain: "xn--bcher-kva.example" })],
  ["with a query and a fragment in its URI", messageOf({ uri: "https://example.com/a?b=c#d" })],
  [
    "with a URI that has no authority",
    messageOf({ uri: "did:key:z6Mkf5rGMoatrSj1f4CyvuHBeXJELe9RPdzo2PKGNCKVtZxP" }),
  ],
  ["with a time zone offset", messageOf({ issuedAt: "2026-01-15T17:30:00+05:30" })],
  ["with a lower-case time", messageOf({ issuedAt: "2026-01-15t12:00:00z" })],
  ["with nanoseconds", messageOf({ issuedAt: "2026-01-15T12:00:00.000000001Z" })],
  ["of a leap day", messageOf({ issuedAt: "2024-02-29T12:00:00Z" })],
];

test.each(readable)("a message %s is read", (_kind, text) => {
  expect(readSiweMessage(text)).toMatchObject({ address, nonce, chainId: 31337 });
});

const faults: [string, string][] = [
  ["nothing at all", ""],
  ["free text", "Please let me in"],
  ["no domain", whole.replace("localhost:3000 wants", " wants")],
  ["a scheme without a domain", whole.replace("localhost:3000 wants", "https:// wants")],
  ["a user name in the domain", messageOf({ domain: "localhost:3000@evil.example" })],
  ["a user name in front of the domain", messageOf({ domain: "evil@localhost:3000" })],
  ["a path behind the domain", messageOf({ domain: "localhost:3000/path" })],
  ["a query behind the domain", messageOf({ domain: "localhost:3000?x=y" })],
  ["a fragment behind the domain", messageOf({ domain: "localhost:3000#x" })],
  ["a port that is no number", messageOf({ domain: "localhost:port" })],
  ["a port beyond 65535", messageOf({ domain: "localhost:65536" })],
  ["an encoded domain", messageOf({ domain: "%6cocalhost:3000" })],
  ["a domain with a trailing dot", messageOf({ domain: "localhost.:3000" })],
  ["a broken IPv6 domain", messageOf({ domain: "[::1::2]:3000" })],
  ["a domain outside ASCII", messageOf({ domain: "bücher.example" })],
  ["other words after the domain", whole.replace("wants you to", "asks you to")],
  ["words in other capitals", whole.replace("wants you to", "WANTS you to")],
  ["another chain's account", whole.replace("Ethereum account", "Solana account")],
  ["no colon after the first line", whole.replace("account:", "account")],
  ["no address", whole.replace(`${address}\n`, "")],
  ["an address one digit short", whole.replace(address, address.slice(0, -1))],
  ["an address one digit long", whole.replace(address, `${address}0`)],
  ["an address without 0x", whole.replace(address, address.slice(2))],
  ["an address with a letter beyond f", whole.replace(address, `${address.slice(0, -1)}g`)],
  ["an address in lower case", whole.replace(address, address.toLowerCase())],
  ["an address in upper case", whole.replace(address, `0x${address.slice(2).toUpperCase()}`)],
  ["an address with a wrong checksum", whole.replace(address, address.replace("0xf39F", "0xF39f"))],
  ["an ENS name for an address", whole.replace(address, "vitalik.eth")],
  ["no blank line after the address", whole.replace(`${address}\n\n`, `${address}\n`)],
  ["an extra blank line after the address", whole.replace(`${address}\n\n`, `${address}\n\n\n`)],
  ["no blank line after the statement", whole.replace("#7\n\n", "#7\n")],
  ["an extra blank line after the statement", whole.replace("#7\n\n", "#7\n\n\n")],
  ["one blank line where no statement stands", messageOf({ statement: null }).replace("\n\n\n", "\n\n")],
  ["a statement of two lines", messageOf({ statement: "Unlock\nkey" })],
  ["a statement outside ASCII", messageOf({ statement: "Clé numéro 7" })],
  ["a tab in the statement", messageOf({ statement: "Unlock\tkey" })],
  [
    "a false block of fields in the statement",
    messageOf({
      statement: `Hello\n\nURI: http://localhost:3000\nVersion: 1\nChain ID: 31337\nNonce: aaaaaaaa\nIssued At: ${issuedAt}`,
    }),
  ],
  ["no URI", without("URI")],
  ["an empty URI", messageOf({ uri: "" })],
  ["a relative URI", messageOf({ uri: "/gate" })],
  ["a blank in the URI", messageOf({ uri: "http://localhost:3000/a b" })],
  ["a wrong escape in the URI", messageOf({ uri: "http://localhost:3000/%zz" })],
  ["a backslash in the URI", messageOf({ uri: "http://localhost:3000\\@evil.example" })],
  ["no version", without("Version")],
  ["version 2", whole.replace("Version: 1", "Version: 2")],
  ["version 11", whole.replace("Version: 1", "Version: 11")],
  ["version 1.0", whole.replace("Version: 1", "Version: 1.0")],
  ["an empty version", whole.replace("Version: 1", "Version: ")],
  ["no chain id", without("Chain ID")],
  ["a chain id in words", messageOf({ chainId: "mainnet" })],
  ["a chain id in hex", messageOf({ chainId: "0x7a69" })],
  ["a signed chain id", messageOf({ chainId: "-31337" })],
  ["an empty chain id", messageOf({ chainId: "" })],
  ["a chain id with a leading zero", messageOf({ chainId: "031337" })],
  ["a chain id beyond what numbers hold", messageOf({ chainId: "9007199254740993" })],
  ["a chain id one beyond the safe integers", messageOf({ chainId: "9007199254740992" })],
  ["a chain id of 400 digits", messageOf({ chainId: "9".repeat(400) })],
  ["no nonce", without("Nonce")],
  ["an empty nonce", whole.replace(nonce, "")],
  ["a nonce of seven characters", whole.replace(nonce, "abcdefg")],
  ["a hyphen in the nonce", whole.replace(nonce, "abcd-efgh")],
  ["a blank in the nonce", whole.replace(nonce, "abcd efgh")],
  ["no issued-at time", without("Issued At")],
  ["an empty issued-at time", messageOf({ issuedAt: "" })],
  ["an issued-at time in words", messageOf({ issuedAt: "yesterday" })],
  ["a date without a time", messageOf({ issuedAt: "2026-01-15" })],
  ["a time without a zone", messageOf({ issuedAt: "2026-01-15T12:00:00" })],
  ["a blank between date and time", messageOf({ issuedAt: "2026-01-15 12:00:00Z" })],
  ["a time in seconds since 1970", messageOf({ issuedAt: "1768478400" })],
  ["month 13", messageOf({ issuedAt: "2026-13-01T12:00:00Z" })],
  ["the 30th of February", messageOf({ issuedAt: "2026-02-30T12:00:00Z" })],
  ["a leap day in a common year", messageOf({ issuedAt: "2026-02-29T12:00:00Z" })],
  ["hour 24", messageOf({ issuedAt: "2026-01-15T24:00:00Z" })],
  ["minute 60", messageOf({ issuedAt: "2026-01-15T12:60:00Z" })],
  ["a leap second", messageOf({ issuedAt: "2016-12-31T23:59:60Z" })],
  ["an offset of 24 hours", messageOf({ issuedAt: "2026-01-15T12:00:00+24:00" })],
  ["an expiration time of never", messageOf({ further: ["Expiration Time: never"] })],
  ["an empty expiration time", messageOf({ further: ["Expiration Time: "] })],
  ["an impossible expiration time", messageOf({ further: ["Expiration Time: 2026-04-31T00:00:00Z"] })],
  ["an impossible not-before time", messageOf({ further: ["Not Before: 2026-01-32T00:00:00Z"] })],
  ["a leap second as its expiration time", messageOf({ further: ["Expiration Time: 2016-12-31T23:59:60Z"] })],
  ["a blank in the request id", messageOf({ further: ["Request ID: some id"] })],
  ["a resource without its hyphen", messageOf({ further: ["Resources:", "https://example.com"] })],
  [
    "a resource without a blank after its hyphen",
    messageOf({ further: ["Resources:", "-https://a.example"] }),
  ],
  ["a resource that is no URI", messageOf({ further: ["Resources:", "- example"] })],
  ["a blank in a resource", messageOf({ further: ["Resources:", "- https://a.example/b c"] })],
  ["a blank line among the resources", messageOf({ further: ["Resources:", "", "- https://a.example"] })],
  ["resources on the line of their title", messageOf({ further: ["Resources: - https://a.example"] })],
  ["the nonce before the chain id", swapped("Chain ID", "Nonce")],
  ["the version before the URI", swapped("URI", "Version")],
  ["the issued-at time before the nonce", swapped("Nonce", "Issued At")],
  ["the not-before time before the expiration time", swapped("Expiration Time", "Not Before")],
  ["a request id after the resources", `${messageOf({ further: ["Resources:"] })}\nRequest ID: 1`],
  ["a field twice", whole.replace("Version: 1", "Version: 1\nVersion: 1")],
  ["an unknown field", messageOf({ further: ["Audience: everyone"] })],
  ["a field name in lower case", whole.replace("Nonce:", "nonce:")],
  ["a field without a blank after its colon", whole.replace("Nonce: ", "Nonce:")],
  ["two blanks after a colon", whole.replace("Nonce: ", "Nonce:  ")],
  ["a blank at the end of a line", whole.replace("Version: 1", "Version: 1 ")],
  ["a missing line end between two fields", whole.replace("\nNonce", " Nonce")],
  ["a line end at its end", `${whole}\n`],
  ["text after its end", `${whole}\nand all my money`],
  ["text after its resources", `${withTimes}\n\nand all my money`],
  ["text before its beginning", `\n${whole}`],
  ["a blank before its beginning", ` ${whole}`],
  ["a byte order mark before its beginning", `\ufeff${whole}`],
  ["Windows line ends", whole.replaceAll("\n", "\r\n")],
  ["old Macintosh line ends", whole.replaceAll("\n", "\r")],
  ["a zero byte", whole.replace("Unlock", "Un\0lock")],
  ["an invisible character", whole.replace("Unlock", "Un\u200block")],
  ["half a surrogate pair", whole.replace("Unlock", "Un\ud800lock")],
];

test.each(faults)("a message with %s is refused", async (_kind, text) => {
  const refusal = await refusalOf(() => readSiweMessage(text));
  expect(refusal).toMatchObject({ slug: "authentication-failed", status: 401 });
  expect(refusal.detail).toMatch(/^The message is not a valid EIP-4361 message: [^{}]+\.$/);
  expect(refusal.headers).toEqual({ "WWW-Authenticate": 'Bearer realm="latchkey"' });
});

test("all faulty messages differ from each other and from the valid one", () => {
  const texts = faults.map(([, text]) => text);
  expect(new Set([...texts, whole, withTimes]).size).toBe(texts.length + 2);
});

test("a nonce of exactly eight characters is read", () => {
  expect(readSiweMessage(whole.replace(nonce, "abcdefgh")).nonce).toBe("abcdefgh");
});

test("a message of the greatest length is read, one character more is refused unread", async () => {
  const statement = "a".repeat(maxSiweMessageLength - messageOf({ statement: "" }).length);
  expect(readSiweMessage(messageOf({ statement })).address).toBe(address);
  const { detail } = await refusalOf(() => readSiweMessage(messageOf({ statement: `${statement}a` })));
  expect(detail).toContain("longer than 2048 characters");
});

// The shapes that keep the parser busiest. e2e/api/request-costs.test.ts measures how long each holds the event loop.
test.each<[string, (filling: string) => string, string]>([
  ["a path of slashes", (filling) => messageOf({ uri: `http://localhost:3000${filling}` }), "/"],
  ["an authority of marks", (filling) => messageOf({ uri: `http://${filling}` }), ";="],
  ["an unended address literal", (filling) => messageOf({ uri: `http://[${filling}` }), "0:"],
  ["a domain of hyphens", (filling) => messageOf({ domain: filling }), "-"],
  ["a domain of marks", (filling) => messageOf({ domain: filling }), ";="],
  ["a resource of colons", (filling) => messageOf({ further: ["Resources:", `- a:${filling}`] }), "a:"],
  ["many resources", (filling) => messageOf({ further: [`Resources:${filling}`] }), "\n- a:@"],
  ["nothing but marks", (filling) => filling, ";="],
  ["nothing but escapes", (filling) => filling, "%41"],
])(
  "a message of the greatest length with %s is read, or refused for something else than its length",
  (_shape, make, unit) => {
    const room = maxSiweMessageLength - make("").length;
    const text = make(unit.repeat(Math.ceil(room / unit.length)).slice(0, room));
    try {
      expect(readSiweMessage(text).address).toBe(address);
    } catch (error) {
      expect(error).toMatchObject({
        detail: expect.stringMatching(/not a valid EIP-4361 message: (?!it is longer)/),
      });
    }
  },
);

test("a message made by a browser's library is read and accepted", async () => {
  const text = createSiweMessage({
    address,
    chainId: 31337,
    domain: "localhost:3000",
    nonce,
    uri: "http://localhost:3000/gate",
    version: "1",
    issuedAt: new Date(nowMs),
    expirationTime: new Date(nowMs + 600_000),
    statement: "Unlock key #7",
  });
  expect(await passes({ text })).toBe(true);
});

test("the claims of a valid message are its own and fit the access token", async () => {
  const claims = await checkSiweMessage(readSiweMessage(withTimes), expected);
  expect(claims).toEqual({
    address,
    domain: "localhost:3000",
    chainId: 31337,
    nonce,
    issuedAt,
    notBefore: "2026-01-15T11:59:00Z",
    expirationTime: "2026-01-15T12:10:00Z",
  });
  expect(siweClaimsSchema.parse(claims)).toEqual(claims);
  const bare = await checkSiweMessage(readSiweMessage(whole), expected);
  expect(Object.keys(bare)).toEqual(["address", "domain", "chainId", "nonce", "issuedAt"]);
});

test("the domain and the host the request was sent to have to be on the allowlist, and need not be one", async () => {
  expect(await passes({ text: messageOf({ domain: "LocalHost:3000" }) })).toBe(true);
  expect(await passes({ text: messageOf({ domain: "example.com:443" }), requestHost: "example.com" })).toBe(
    true,
  );
  expect(await detailOf({ text: messageOf({ domain: "evil.example" }) })).toBe(
    "The message is for another site: its domain evil.example is not allowed here.",
  );
  expect(await detailOf({ text: messageOf({ domain: "app.example.com" }) })).toContain("not allowed here");
  expect(await detailOf({ text: messageOf({ domain: "localhost" }) })).toContain("not allowed here");
  expect(await passes({ text: messageOf({ domain: "example.com" }), requestHost: "localhost:3000" })).toBe(
    true,
  );
  const evil = { text: messageOf({ domain: "evil.example" }), requestHost: "evil.example" };
  expect(await detailOf(evil)).toContain("which is not a domain of this site");
});

test("the URI has to lead to a host of the allowlist", async () => {
  expect(await passes({ text: messageOf({ uri: "https://example.com/other" }) })).toBe(true);
  for (const uri of [
    "http://evil.example/gate",
    "http://localhost:3001/gate",
    "http://localhost/gate",
    "http://localhost:3000@evil.example/",
    "http://me@localhost:3000/",
    "ftp://localhost:3000/gate",
    "did:key:z6Mk",
    "urn:localhost:3000",
  ]) {
    expect(await detailOf({ text: messageOf({ uri }) }), uri).toContain("URI");
  }
});

test("the chain must be the configured one", async () => {
  expect(await detailOf({ text: messageOf({ chainId: "1" }) })).toBe(
    "The message is for another chain: it names 1, this site uses 31337.",
  );
});

test("the address has to be the one sent, in whatever case that came", async () => {
  expect(await passes({ text: whole, address: address.toLowerCase() })).toBe(true);
  expect(await detailOf({ text: whole, address: `0x${"1".repeat(40)}` })).toContain("another address");
});

test("the nonce has to be the one sent, letter by letter, and the answer does not repeat it", async () => {
  for (const other of [nonce.toUpperCase(), `${nonce}0`, nonce.slice(1), ""]) {
    const detail = await detailOf({ text: whole, nonce: other });
    expect(detail).toContain("another nonce");
    expect(detail).not.toContain(nonce);
  }
});

test("a message is valid for ten minutes after it was issued, to the millisecond", async () => {
  expect(await passes({ text: whole, nowMs: nowMs + 600_000 })).toBe(true);
  expect(await detailOf({ text: whole, nowMs: nowMs + 600_001 })).toContain("more than 10 minutes ago");
});

test("a message may be issued one minute ahead, to the millisecond", async () => {
  expect(await passes({ text: whole, nowMs: nowMs - 60_000 })).toBe(true);
  expect(await detailOf({ text: whole, nowMs: nowMs - 60_001 })).toContain(
    "more than a minute in the future",
  );
});

test("a message expires at its expiration time", async () => {
  const text = messageOf({ further: ["Expiration Time: 2026-01-15T12:05:00Z"] });
  expect(await passes({ text, nowMs: nowMs + 299_999 })).toBe(true);
  expect(await detailOf({ text, nowMs: nowMs + 300_000 })).toContain("has expired");
});

test("a message becomes valid at its not-before time", async () => {
  const text = messageOf({ further: ["Not Before: 2026-01-15T12:05:00Z"] });
  expect(await passes({ text, nowMs: nowMs + 300_000 })).toBe(true);
  expect(await detailOf({ text, nowMs: nowMs + 299_999 })).toContain("not valid yet");
});

test("time zone offsets of a message are honoured", async () => {
  expect(await passes({ text: messageOf({ issuedAt: "2026-01-15T17:30:00+05:30" }) })).toBe(true);
  const wrongZone = messageOf({ issuedAt: "2026-01-15T12:00:00+05:30" });
  expect(await detailOf({ text: wrongZone })).toContain("more than 10 minutes ago");
});

test("an expectation missing at run time refuses the message", async () => {
  const message = readSiweMessage(whole);
  for (const name of ["requestHost", "chainId", "nonce", "nowMs"] as const) {
    const blind = { ...expected, [name]: undefined } as unknown as ExpectedSiwe;
    await expect(checkSiweMessage(message, blind), name).rejects.toThrow(Refusal);
  }
  await expect(checkSiweMessage(message, { ...expected, domains: [] })).rejects.toThrow(Refusal);
});

test.each([
  ["https://example.com/gate", true, true],
  ["HTTPS://example.com/gate", true, true],
  ["http://example.com/gate", false, true],
  ["HTTP://example.com", false, true],
  ["http://localhost:3000/gate", true, true],
  ["https://localhost:3000/gate", true, true],
  ["http://127.0.0.1:3000", true, true],
  ["http://[::1]:3000", true, true],
  ["http://gate.localhost", true, true],
  ["http://127.example.com", false, true],
  ["http://192.168.1.5:3000", false, true],
])(
  "a message with the URI %s is accepted in production: %s, elsewhere: %s",
  async (uri, inProduction, elsewhere) => {
    const { host } = new URL(uri);
    const domains = [host.toLowerCase()];
    const text = messageOf({ domain: domains[0], uri });
    for (const [allowsPlainHttp, isGood] of [
      [false, inProduction],
      [true, elsewhere],
    ] as const) {
      const changes = { text, domains, requestHost: domains[0]!, allowsPlainHttp };
      if (isGood) expect(await passes(changes)).toBe(true);
      else expect(await detailOf(changes)).toContain("begins with http://");
    }
  },
);
