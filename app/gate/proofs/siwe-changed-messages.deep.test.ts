import type { SiweMessage } from "siwe";
import { expect, test } from "vitest";
import { Refusal } from "~/platform/refusals/refusal";
import { readSiweMessage } from "./siwe.server";

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

/** Null when it is refused; anything else that is thrown is a defect. */
function read(text: string): SiweMessage | null {
  try {
    return readSiweMessage(text);
  } catch (error) {
    expect(error, text).toBeInstanceOf(Refusal);
    expect((error as Refusal).slug).toBe("authentication-failed");
    return null;
  }
}

/** Reads the message line by line from its end, as a person would. A statement can't fake anything there. */
function readByLines(text: string): Record<string, string | undefined> {
  const lines = text.split("\n");
  const start = lines.findLastIndex((line, index) => line.startsWith("URI: ") && lines[index - 1] === "");
  const fields = lines.slice(start);
  const find = (label: string) => {
    const found = fields.filter((line) => line.startsWith(label));
    expect(found.length, label).toBeLessThan(2);
    return found[0]?.slice(label.length);
  };
  expect(find("Version: ")).toBe("1");
  return {
    address: lines[1],
    uri: find("URI: "),
    chainId: find("Chain ID: "),
    nonce: find("Nonce: "),
    issuedAt: find("Issued At: "),
    notBefore: find("Not Before: "),
    expirationTime: find("Expiration Time: "),
  };
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

function mutate(text: string, roll: (bound: number) => number): string {
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

test("thousands of changed messages are each refused or read as their lines say, and as many are read as ever", () => {
  const roll = createDice(7);
  const counts = { read: 0, refused: 0 };
  for (let index = 0; index < 6000; index++) {
    let text = mutate(seeds[index % seeds.length]!, roll);
    if (roll(3) === 0) text = mutate(text, roll);
    const message = read(text);
    counts[message ? "read" : "refused"] += 1;
    if (!message) continue;
    const { domain, address: by, uri, chainId, nonce, issuedAt, notBefore, expirationTime } = message;
    expect(text.split("\n")[0]).toMatch(/ wants you to sign in with your Ethereum account:$/);
    expect(text.toLowerCase()).toContain(domain.replace(/:.*/, ""));
    expect({
      address: by,
      uri,
      chainId: String(chainId),
      nonce,
      issuedAt,
      notBefore,
      expirationTime,
    }).toEqual(readByLines(text));
  }
  // Results of a handwritten grammar for the same texts. If an update of the package changes the numbers, it accepts
  // another language than before.
  expect(counts).toEqual({ read: 682, refused: 5318 });
});

test("every seed is a message, and none of its halves is", () => {
  for (const seed of seeds) {
    expect(read(seed)).not.toBeNull();
    expect(read(seed.slice(0, Math.floor(seed.length / 2)))).toBeNull();
  }
});

// The standard's examples of addresses whose checksum uses one case throughout.
test.each([
  "0x52908400098527886E0F7030069857D2E4169EE7",
  "0x8617E340B3D01FA5F11F306F4090FD50E238070D",
  "0xde709f2102306220921060314715629080e2fb77",
  "0x27b1fdb04752bbc536007a920d24acb045561c26",
])("an address that is checksummed in one case, %s, is read", (by) => {
  expect(read(messageOf({ by }))?.address).toBe(by);
});

test.each([
  "0x52908400098527886e0f7030069857d2e4169ee7",
  "0xDE709F2102306220921060314715629080E2FB77",
  address.toLowerCase(),
  address.replace("0xf39F", "0xF39f"),
])("an address in another case than its checksum asks for, %s, is refused", (by) => {
  expect(read(messageOf({ by }))).toBeNull();
});

test("a refusal names the line at fault and repeats nothing of the message", () => {
  const detailOf = (text: string): string => {
    try {
      readSiweMessage(text);
    } catch (error) {
      return (error as Refusal).detail;
    }
    return "none";
  };
  const start = "The message is not a valid EIP-4361 message: ";
  expect(detailOf(messageOf({ uri: "secret stuff" }))).toBe(`${start}line 6: invalid URI.`);
  expect(detailOf(messageOf({ by: address.replace("0xf39F", "0xF39f") }))).toBe(
    `${start}line 2: invalid EIP-55 address checksum.`,
  );
  for (const text of ["secret", `${messageOf()}\nsecret`, messageOf({ chainId: "9".repeat(400) })]) {
    expect(detailOf(text)).toMatch(/^The message is not a valid EIP-4361 message: [a-z0-9: -]+\.$/);
  }
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
])("the URI %s is accepted: %s", (text, is) => {
  expect(read(messageOf({ uri: text })) !== null).toBe(is);
});
