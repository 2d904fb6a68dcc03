import { expect, test } from "vitest";
import { SiweMessage } from "siwe";
import { normalizeHost } from "~/platform/http/domains";
import { SiweGrammarFault, readSiweGrammar } from "./siwe-grammar";
import { isUri } from "./uri-grammar";

const address = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";

function messageOf({
  first = "localhost:3000",
  by = address,
  statement = ["Unlock key #7", ""],
  uri = "http://localhost:3000/gate",
  chainId = "31337",
  further = [] as string[],
} = {}): string {
  return [
    `${first} wants you to sign in with your Ethereum account:`,
    by,
    "",
    ...statement,
    `URI: ${uri}`,
    "Version: 1",
    `Chain ID: ${chainId}`,
    "Nonce: 0123456789abcdef",
    "Issued At: 2026-01-15T12:00:00.000Z",
    ...further,
  ].join("\n");
}

const seeds = [
  messageOf(),
  messageOf({ first: "https://example.com", statement: [""] }),
  messageOf({ first: "[::1]:3000", statement: ["", ""], uri: "http://user:pw@[2001:db8::7:192.0.2.33]:80/" }),
  messageOf({ uri: "did:key:z6Mkf5rGMoatrSj1f4CyvuHBeXJELe9RPdzo2PKGNCKVtZxP", chainId: "0" }),
  messageOf({
    uri: "https://example.com/a//b;c=1/%7E?q=a/b?c#d/e?f",
    further: [
      "Expiration Time: 2024-02-29T23:59:59+05:30",
      "Not Before: 2026-01-15t11:59:00z",
      "Request ID: a:b@c%20d",
      "Resources:",
      "- ipfs://bafybeiemxf5abjwjbikoz4mc3a3dla6ual3jsgpdr4cjr3oz3evfyavhwq/",
      "- urn:isbn:0451450523",
    ],
  }),
];

type Fields = Record<string, string | undefined>;

function readByHand(text: string): Fields | null {
  try {
    const { domain, uri, chainId, nonce, issuedAt, notBefore, expirationTime, ...rest } =
      readSiweGrammar(text);
    if (normalizeHost(domain) === null || !Number.isSafeInteger(Number(chainId))) return null;
    return { domain, uri, chainId, nonce, issuedAt, notBefore, expirationTime, address: rest.address };
  } catch (error) {
    expect(error).toBeInstanceOf(SiweGrammarFault);
    return null;
  }
}

/** The parser made from the standard's own grammar, with what it only warns of and what it drops refused. */
function readByPackage(text: string): Fields | null {
  let parsed: SiweMessage;
  try {
    parsed = new SiweMessage(text);
  } catch {
    return null;
  }
  const { domain, uri, nonce, issuedAt, notBefore, expirationTime } = parsed;
  const times = [issuedAt, notBefore, expirationTime].filter((time) => time !== undefined);
  if (parsed.warnings.length > 0 || parsed.toMessage() !== text) return null;
  if (normalizeHost(domain) === null || !Number.isSafeInteger(parsed.chainId)) return null;
  if (times.some((time) => Number.isNaN(Date.parse(time.toUpperCase())))) return null;
  const chainId = String(parsed.chainId);
  return { domain, uri, chainId, nonce, issuedAt, notBefore, expirationTime, address: parsed.address };
}

/** Numbers from 0 up to a bound, the same ones in every run. */
function createDice(seed: number): (bound: number) => number {
  let state = seed;
  return (bound) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return Math.floor((state / 0x80000000) * bound);
  };
}

const pieces = [
  ..."\n:/?#[]@%! $&'()*+,;=-._~09azAZvfF\"<>\\^`{|}\t\r\u00e9\u0000",
  "\n\n",
  "://",
  "::",
  "%41",
  "- ",
];

function mutate({ text, roll }: { text: string; roll: (bound: number) => number }): string {
  const at = roll(text.length + 1);
  const length = roll(3) === 0 ? roll(12) : roll(2);
  const lines = text.split("\n");
  const [one, other] = [roll(lines.length), roll(lines.length)];
  switch (roll(5)) {
    case 0:
      return text.slice(0, at) + text.slice(at + 1 + length);
    case 1:
      return lines.toSpliced(one, 1).join("\n");
    case 2:
      return lines.toSpliced(one, 0, lines[other]!).join("\n");
    case 3:
      return text.slice(0, at) + pieces[roll(pieces.length)]! + text.slice(at);
    default:
      return text.slice(0, at) + pieces[roll(pieces.length)]! + text.slice(at + 1);
  }
}

test("the hand-written grammar and the parser made from the standard's own agree on thousands of texts", () => {
  const roll = createDice(7);
  const counts = { read: 0, refused: 0 };
  for (const seed of seeds) expect(readByHand(seed), seed).toEqual(readByPackage(seed));
  for (let index = 0; index < 6000; index++) {
    let text = mutate({ text: seeds[index % seeds.length]!, roll });
    if (roll(3) === 0) text = mutate({ text, roll });
    const byPackage = readByPackage(text);
    expect(readByHand(text), JSON.stringify(text)).toEqual(byPackage);
    counts[byPackage ? "read" : "refused"] += 1;
  }
  // Both sides of the border were met, and often.
  expect(counts.read).toBeGreaterThan(500);
  expect(counts.refused).toBeGreaterThan(2000);
});

test("every seed but none of its halves is a message", () => {
  for (const seed of seeds) {
    expect(readByHand(seed)).not.toBeNull();
    expect(readByHand(seed.slice(0, Math.floor(seed.length / 2)))).toBeNull();
  }
});

// The standard's own examples of addresses whose checksum asks for one case throughout.
test.each([
  "0x52908400098527886E0F7030069857D2E4169EE7",
  "0x8617E340B3D01FA5F11F306F4090FD50E238070D",
  "0xde709f2102306220921060314715629080e2fb77",
  "0x27b1fdb04752bbc536007a920d24acb045561c26",
])("an address that is checksummed in one case, %s, is read", (by) => {
  expect(readSiweGrammar(messageOf({ by })).address).toBe(by);
});

test("a fault names its line and repeats nothing of the text", () => {
  const faultOf = (text: string): string => {
    try {
      readSiweGrammar(text);
    } catch (error) {
      return (error as Error).message;
    }
    return "none";
  };
  expect(faultOf(messageOf({ uri: "secret stuff" }))).toBe("line 6: invalid URI");
  expect(faultOf(messageOf({ first: "" }))).toBe("line 1: invalid first line");
  expect(faultOf(messageOf({ by: address.toLowerCase() }))).toBe("line 2: invalid EIP-55 address checksum");
  expect(faultOf(messageOf().replace("Nonce: ", "Pass: "))).toBe("line 9: Nonce should stand here");
  expect(faultOf(messageOf({ further: ["more"] }))).toBe("line 10: a line that does not belong there");
});

test.each([
  ["http://a", true],
  ["a:", true],
  ["a:/", true],
  ["a:b//c", true],
  ["http:///path", true],
  ["http://a:80:80/", false],
  ["http://a@b@c/", false],
  ["http://[v1.a:b]/", true],
  ["http://[::1]", true],
  ["http://[::1", false],
  ["http://[12345::]", false],
  ["http://[1:2:3:4:5:6:7]", false],
  ["http://a/%4", false],
  ["http://a/?%zz", false],
  ["http://a/#b#c", false],
  ["http://a/[b]", false],
  ["1a:b", false],
  ["//a/b", false],
  ["", false],
])("%s is a URI: %s", (text, is) => {
  expect(isUri(text)).toBe(is);
});
