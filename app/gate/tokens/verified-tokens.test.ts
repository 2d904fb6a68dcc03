import { expect, test } from "vitest";
import { Refusal } from "~/platform/refusals/refusal";
import { oneKind } from "~e2e/support/key-kinds";
import { mintAccessToken, verifyAccessToken } from "./access-token.server";
import { maxTokenLength, createVerifiedTokens } from "./signed-token.server";
import { loadTokenKeys } from "./token-keys.server";
import type { TokenKeys } from "./token-keys.server";

const nowMs = Date.UTC(2026, 0, 15, 12);
const toleranceSeconds = 5;
const ttlSeconds = 900;
const address = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";
const contractAddress = "0x00000000000000000000000000000000000000aa";
const kinds = oneKind({ chainId: 31337, contract: contractAddress });
const site = {
  issuer: "http://localhost:3000",
  audience: ["localhost:3000"],
  kinds,
};

function load(secret: string): Promise<TokenKeys> {
  return loadTokenKeys({ secret, dataDir: "unused", mode: "production" });
}
const keys = await load("a secret of this test: longer than 32 bytes");

async function mint(tokenId = "7"): Promise<string> {
  const siwe = { address, domain: "localhost:3000", chainId: 31337, nonce: "0123456789abcdef" };
  const { token } = await mintAccessToken({
    keys,
    address,
    auth: "siwe",
    keyKind: kinds.list[0]!,
    areNamed: false,
    tokenId,
    siwe: { ...siwe, issuedAt: "2026-01-15T12:00:00Z" },
    signedText: "signed",
    ttlSeconds,
    ...site,
    issuedAtMs: nowMs,
  });
  return token;
}

/** The real check, counted, and a clock to turn. */
function open({ verifyingKeys = keys, maxEntries }: { verifyingKeys?: TokenKeys; maxEntries?: number } = {}) {
  const now = { ms: nowMs };
  const clock = () => now.ms;
  let checks = 0;
  const verified = createVerifiedTokens({
    verify: (token) => {
      checks += 1;
      const shared = { clockToleranceSeconds: toleranceSeconds, clock };
      return verifyAccessToken({ keys: verifyingKeys, token, expected: site, ...shared });
    },
    clockToleranceSeconds: toleranceSeconds,
    clock,
    ...(maxEntries && { maxEntries }),
  });
  return { ...verified, now, checks: () => checks };
}

test("a verified token is cached: its signature is checked once and its claims stay the same", async () => {
  const { read, checks } = open();
  const token = await mint();
  const first = await read(token);
  expect(await read(token)).toEqual(first);
  expect(first).toMatchObject({ claims: { tokenId: "7", sub: address.toLowerCase() } });
  expect(checks()).toBe(1);
});

test("a token that differs in one character anywhere is not taken from the cache, and is refused", async () => {
  const { read, checks, size } = open();
  const token = await mint();
  await read(token);
  for (let index = 0; index < token.length; index += 37) {
    const other = token[index] === "A" ? "B" : "A";
    const changed = token.slice(0, index) + other + token.slice(index + 1);
    await expect(read(changed), String(index)).rejects.toThrow(Refusal);
  }
  expect(checks()).toBe(1 + Math.ceil(token.length / 37));
  expect(size()).toBe(1);
});

test("a cached token expires with its exp and tolerance, to the millisecond", async () => {
  const { read, now, checks, size } = open();
  const token = await mint();
  await read(token);
  now.ms = nowMs + (ttlSeconds + toleranceSeconds) * 1000 - 1;
  await read(token);
  expect(checks()).toBe(1);
  now.ms += 1;
  await expect(read(token)).rejects.toMatchObject({ detail: "The access token has expired. Sign in again." });
  expect(checks()).toBe(2);
  expect(size()).toBe(0);
});

test("a cached token is checked again when the clock was set back", async () => {
  const { read, now, checks } = open();
  const token = await mint();
  await read(token);
  now.ms = nowMs - 1;
  await read(token);
  expect(checks()).toBe(2);
  now.ms = nowMs - 60_000;
  await expect(read(token)).rejects.toThrow("dated in the future");
});

test("a token cached under one signing key is refused under others", async () => {
  const token = await mint();
  await open().read(token);
  const rotated = open({ verifyingKeys: await load("another secret of this test, long enough") });
  await expect(rotated.read(token)).rejects.toThrow("a key this site does not use");
});

test("refused tokens are not cached, and overlong ones are not even hashed", async () => {
  const { read, size, checks } = open();
  for (const token of ["", "a.b.c", "a".repeat(maxTokenLength + 1)]) {
    await expect(read(token)).rejects.toThrow(Refusal);
    await expect(read(token)).rejects.toThrow(Refusal);
  }
  expect(size()).toBe(0);
  expect(checks()).toBe(6);
});

test("the cache of verified tokens is bounded, and evicts the least recently used first", async () => {
  const { read, size, checks } = open({ maxEntries: 2 });
  const [one, two, three] = [await mint("1"), await mint("2"), await mint("3")];
  for (const token of [one, two, one, three]) await read(token);
  expect(checks()).toBe(3);
  expect(size()).toBe(2);
  await read(one);
  expect(checks()).toBe(3);
  await read(two);
  expect(checks()).toBe(4);
  expect(size()).toBe(2);
});

test("cached claims cannot be changed by a request", async () => {
  const { read } = open();
  const { claims } = await read(await mint());
  expect(() => claims.scopes.push("more")).toThrow(TypeError);
  expect(() => (claims.siwe.address = "0x0")).toThrow(TypeError);
  expect(() => (claims.sub = "0x0")).toThrow(TypeError);
});
