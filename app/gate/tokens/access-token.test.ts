import { createHmac, generateKeyPairSync, sign } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { makeKind, oneKind } from "~e2e/support/key-kinds";
import { keccak256, stringToBytes } from "viem";
import type { Address } from "viem";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { Refusal } from "~/platform/refusals/refusal";
import type { AccessClaims, GateScope } from "./access-token.schema";
import { gateScopes } from "./access-token.schema";
import {
  mintAccessToken,
  parseBearerHeader,
  reissueAccessToken,
  requireScope,
  verifyAccessToken,
} from "./access-token.server";
import { invalidTokenChallenge } from "./authentication-failed";
import { maxTokenLength } from "./signed-token.server";
import type { TokenKeys } from "./token-keys.server";
import { loadTokenKeys } from "./token-keys.server";

const nowSeconds = Date.UTC(2026, 0, 15, 12) / 1000;
const clock = () => nowSeconds * 1000;
const address = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";
const contractAddress = "0x5FbDB2315678afecb367f032d93F642f64180aa3";
const contract = contractAddress.toLowerCase();
const signedText = "localhost:3000 wants you to sign in … é";
const siwe = {
  address,
  domain: "localhost:3000",
  chainId: 31337,
  nonce: "0123456789abcdef",
  issuedAt: "2026-01-15T12:00:00Z",
};
const kinds = oneKind({ chainId: 31337, contract: contractAddress });
const keyKind = kinds.list[0]!;
const expected = {
  issuer: "http://localhost:3000",
  audience: ["localhost:3000"],
  kinds,
  requiredScope: "gate:read" as GateScope,
};

const secret = "a secret of this test: longer than 32 bytes";
const p256 = generateKeyPairSync("ec", { namedCurve: "P-256" });
const ed25519 = generateKeyPairSync("ed25519");
const spki = { type: "spki", format: "pem" } as const;
const pkcs8 = { type: "pkcs8", format: "pem" } as const;

const algorithms = ["HS256", "ES256", "EdDSA"] as const;
type Algorithm = (typeof algorithms)[number];

const keysOf = new Map<Algorithm, TokenKeys>();

function settings() {
  return {
    HS256: { alg: "HS256", secret },
    ES256: { alg: "ES256", privateKeyPem: p256.privateKey.export(pkcs8).toString() },
    EdDSA: { alg: "EdDSA", privateKeyPem: ed25519.privateKey.export(pkcs8).toString() },
  } as const;
}

function load(more: Partial<Parameters<typeof loadTokenKeys>[0]>): Promise<TokenKeys> {
  return loadTokenKeys({ dataDir: "unused", mode: "production", ...more });
}

beforeAll(async () => {
  for (const alg of algorithms) keysOf.set(alg, await load(settings()[alg]));
});

function keysFor(alg: Algorithm): TokenKeys {
  const keys = keysOf.get(alg);
  if (!keys) throw new Error(`No keys for ${alg}`);
  return keys;
}

async function mint(changes: Partial<Parameters<typeof mintAccessToken>[0]> = {}) {
  return mintAccessToken({
    keys: keysFor("HS256"),
    address,
    auth: "siwe",
    scopes: gateScopes,
    tokenId: "7",
    keyKind,
    areNamed: false,
    siwe,
    signedText,
    ttlSeconds: 900,
    issuer: "http://localhost:3000",
    audience: ["localhost:3000"],
    issuedAtMs: clock(),
    ...changes,
  });
}

type Verification = Partial<Omit<Parameters<typeof verifyAccessToken>[0], "expected">> & {
  token: string;
  expected?: Partial<typeof expected>;
};

async function verify({ expected: changes, ...rest }: Verification): Promise<AccessClaims> {
  const { requiredScope, ...expectedClaims } = { ...expected, ...changes };
  const shared = { keys: keysFor("HS256"), clockToleranceSeconds: 5, clock };
  const verified = await verifyAccessToken({ ...shared, ...rest, expected: expectedClaims });
  requireScope(verified, requiredScope);
  return verified.claims;
}

async function detailOf(verification: Verification): Promise<string> {
  try {
    await verify(verification);
  } catch (error) {
    expect(error).toBeInstanceOf(Refusal);
    const refusal = error as Refusal;
    expect(refusal).toMatchObject({ slug: "authentication-failed", status: 401 });
    expect(refusal.headers).toEqual({ "WWW-Authenticate": invalidTokenChallenge });
    expect(`${refusal.detail} ${String(refusal.cause)}`).not.toContain(siwe.nonce);
    return refusal.detail;
  }
  throw new Error("The token was accepted.");
}

function encode(value: unknown): string {
  return Buffer.from(typeof value === "string" ? value : JSON.stringify(value)).toString("base64url");
}

type Header = Record<string, unknown>;

/** A token signed by hand with the right HS256 secret, so only the change can cause a refusal. */
function forge({
  header = {},
  claims,
  hmacKey = secret,
}: {
  header?: Header;
  claims: unknown;
  hmacKey?: string;
}): string {
  const { alg, kid } = keysFor("HS256").signing;
  const input = `${encode({ alg, kid, typ: "at+jwt", ...header })}.${encode(claims)}`;
  return `${input}.${createHmac("sha256", hmacKey).update(input).digest("base64url")}`;
}

async function goodClaims(): Promise<AccessClaims> {
  return (await mint()).claims;
}

function partsOf(token: string): [string, string, string] {
  return token.split(".") as [string, string, string];
}

function decoded(part: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(part, "base64url").toString("utf8")) as Record<string, unknown>;
}

test.each(algorithms)(
  "a token signed with %s has the documented header and claims, and verifies",
  async (alg) => {
    const keys = keysFor(alg);
    const { token, claims } = await mint({ keys });
    const [header, payload] = partsOf(token);
    expect(decoded(header)).toEqual({ alg, kid: keys.signing.kid, typ: "at+jwt" });
    expect(decoded(payload)).toEqual(claims);
    expect(claims).toEqual({
      iss: "http://localhost:3000",
      aud: ["localhost:3000"],
      sub: address.toLowerCase(),
      iat: nowSeconds,
      exp: nowSeconds + 900,
      jti: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
      kind: "access",
      auth: "siwe",
      scopes: ["gate:read", "chat", "tts", "tools"],
      tokenId: "7",
      chainId: 31337,
      contract,
      siwe,
      siwe_hash: keccak256(stringToBytes(signedText)),
    });
    expect(await verify({ keys, token })).toEqual(claims);
    expect(token.length).toBeLessThan(2048);
  },
);

test("the message hash is of the signed text alone, and every token has its own id", async () => {
  const [one, other] = [await goodClaims(), await goodClaims()];
  expect(one.siwe_hash).toBe(other.siwe_hash);
  expect(one.jti).not.toBe(other.jti);
  expect((await mint({ signedText: `${signedText} ` })).claims.siwe_hash).not.toBe(one.siwe_hash);
  // The published digest of the empty text.
  expect((await mint({ signedText: "" })).claims.siwe_hash).toBe(
    "0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470",
  );
});

test("the SIWE times and a legacy proof are unchanged in a token's claims", async () => {
  const full = { ...siwe, notBefore: "2026-01-15T11:00:00Z", expirationTime: "2026-01-15T13:00:00Z" };
  expect((await verify({ token: (await mint({ siwe: full })).token })).siwe).toEqual(full);
  const legacy = { ...siwe, nonce: "legacy" };
  const claims = await verify({ token: (await mint({ auth: "legacy", siwe: legacy })).token });
  expect(claims).toMatchObject({ auth: "legacy", siwe: legacy });
});

test("claims that would not verify are not signed", async () => {
  await expect(mint({ tokenId: "07" })).rejects.toThrow();
  await expect(mint({ audience: [] })).rejects.toThrow();
  await expect(mint({ keyKind: { ...keyKind, chainId: 1 } })).rejects.toThrow();
  await expect(mint({ address: `0x${"1".repeat(40)}` })).rejects.toThrow();
  await expect(mint({ keyKind: makeKind({ chainId: 31337, contract: "0x0" }) })).rejects.toThrow();
  await expect(mint({ ttlSeconds: 299 })).rejects.toThrow();
  await expect(mint({ ttlSeconds: 86_401 })).rejects.toThrow();
});

test.each([300, 86_400])("a token may live %i seconds, renewed or not", async (ttlSeconds) => {
  const { token, claims } = await mint({ ttlSeconds });
  expect(await verify({ token })).toEqual(claims);
  const dates = { issuedAtSeconds: nowSeconds, expiresAtSeconds: nowSeconds + ttlSeconds };
  const renewed = await reissueAccessToken({ keys: keysFor("HS256"), claims, ...dates });
  expect((await verify({ token: renewed.token })).exp).toBe(nowSeconds + ttlSeconds);
});

test.each([299, 86_401, 0, -1])("a token renewed to live %i seconds is not signed", async (lifeSeconds) => {
  const { claims } = await mint();
  const dates = { issuedAtSeconds: nowSeconds, expiresAtSeconds: nowSeconds + lifeSeconds };
  await expect(reissueAccessToken({ keys: keysFor("HS256"), claims, ...dates })).rejects.toThrow();
});

test("a token can be dated past a cutoff, and is good at once even without tolerance", async () => {
  const { token, claims } = await mint({ departedAtMs: nowSeconds * 1000 + 999 });
  expect(claims).toMatchObject({ iat: nowSeconds + 1, exp: nowSeconds + 901 });
  expect(await verify({ token, clockToleranceSeconds: 0 })).toEqual(claims);
  const past = await mint({ departedAtMs: (nowSeconds - 11) * 1000 });
  expect(past.claims.iat).toBe(nowSeconds);
});

test("the second of issue is rounded down", async () => {
  const { claims } = await mint({ issuedAtMs: nowSeconds * 1000 + 999 });
  expect(claims.iat).toBe(nowSeconds);
});

test.each([0, 5])(
  "with a tolerance of %i s a token is valid up to its end and no second longer",
  async (tolerance) => {
    const { token } = await mint();
    const at = (seconds: number) => ({
      token,
      clockToleranceSeconds: tolerance,
      clock: () => (nowSeconds + 900 + tolerance + seconds) * 1000,
    });
    expect((await verify(at(-1))).exp).toBe(nowSeconds + 900);
    expect((await verify(at(-0.001))).exp).toBe(nowSeconds + 900);
    expect(await detailOf(at(0))).toBe("The access token has expired. Sign in again.");
    expect(await detailOf(at(1))).toContain("expired");
  },
);

test("a token dated in the future is valid within the tolerance and the one step minting may take", async () => {
  const claims = await goodClaims();
  const dated = (iat: number) => ({ token: forge({ claims: { ...claims, iat, exp: iat + 900 } }) });
  expect((await verify(dated(nowSeconds + 6))).iat).toBe(nowSeconds + 6);
  expect(await detailOf(dated(nowSeconds + 7))).toContain("dated in the future");
});

test("a not-before claim is honoured on both sides of the tolerance", async () => {
  const claims = await goodClaims();
  const from = (nbf: number) => ({ token: forge({ claims: { ...claims, nbf } }) });
  expect((await verify(from(nowSeconds + 5))).nbf).toBe(nowSeconds + 5);
  expect(await detailOf(from(nowSeconds + 6))).toBe("The access token is not valid yet.");
});

test("issuer, audience, chain, contract and scope have to be those of this site and route", async () => {
  const { token } = await mint({ scopes: ["gate:read", "chat"] });
  expect(await detailOf({ token, expected: { issuer: "http://localhost:3001" } })).toContain("another site");
  expect(await detailOf({ token, expected: { audience: ["example.com"] } })).toContain("another site");
  expect(await detailOf({ token, expected: { audience: [] } })).toContain("another site");
  expect(
    await detailOf({ token, expected: { kinds: oneKind({ chainId: 1, contract: contractAddress }) } }),
  ).toBe("The access token is for another chain: it names 31337, this site uses 1.");
  const other: Address = `0x${"12".repeat(20)}`;
  const ofOther = { kinds: oneKind({ chainId: 31337, contract: other }) };
  expect(await detailOf({ token, expected: ofOther })).toBe(
    `The access token is for keys of another contract: it names ${contract}, this site uses ${other}. Sign in again.`,
  );
  const inLowerCase = { kinds: oneKind({ chainId: 31337, contract: contract as Address }) };
  expect((await verify({ token, expected: inLowerCase })).contract).toBe(contract);
  expect(await detailOf({ token, expected: { requiredScope: "tools" } })).toContain("scope tools");
  expect((await verify({ token, expected: { requiredScope: "chat" } })).scopes).toEqual([
    "gate:read",
    "chat",
  ]);
});

test("one shared audience is sufficient", async () => {
  const { token } = await mint({ audience: ["a.example", "b.example"] });
  expect((await verify({ token, expected: { audience: ["c.example", "b.example"] } })).aud).toHaveLength(2);
  expect(await detailOf({ token, expected: { audience: ["c.example"] } })).toContain("another site");
});

const retirements = algorithms.flatMap((old) => algorithms.map((now): [Algorithm, Algorithm] => [old, now]));

test.each(retirements)(
  "a token of a retired %s key stays valid beside a new %s key, which alone signs",
  async (old, now) => {
    const previousKeys = {
      HS256: "the one before: also longer than 32 bytes",
      ES256: generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey.export(pkcs8).toString(),
      EdDSA: generateKeyPairSync("ed25519").privateKey.export(pkcs8).toString(),
    }[old];
    const oldSetting = old === "HS256" ? { secret: previousKeys } : { privateKeyPem: previousKeys };
    const oldKeys = await load({ alg: old, ...oldSetting });
    const { token } = await mint({ keys: oldKeys });
    const current = await load({ ...settings()[now], previousKeys });
    expect((await verify({ keys: current, token })).tokenId).toBe("7");
    expect(await detailOf({ keys: keysFor(now), token })).toContain("key this site does not use");
    const fresh = await mint({ keys: current });
    expect(decoded(partsOf(fresh.token)[0])).toMatchObject({ kid: keysFor(now).signing.kid, alg: now });
  },
);

test("a token of one algorithm does not verify under another", async () => {
  const claims = await goodClaims();
  const publicPem = p256.publicKey.export(spki).toString();
  const es256 = keysFor("ES256");
  const { kid } = es256.signing;
  const wrong = "names an algorithm its key does not have";
  for (const hmacKey of [
    publicPem,
    publicPem.trim(),
    JSON.stringify(p256.publicKey.export({ format: "jwk" })),
  ]) {
    const token = forge({ header: { alg: "HS256", kid }, claims, hmacKey });
    expect(await detailOf({ keys: es256, token })).toContain(wrong);
    const posing = forge({ header: { alg: "ES256", kid }, claims, hmacKey });
    expect(await detailOf({ keys: es256, token: posing })).toContain(
      "signature of the access token is wrong",
    );
  }
  for (const alg of [
    "none",
    "None",
    "HS384",
    "HS512",
    "RS256",
    "ES384",
    "hs256",
    "",
    null,
    undefined,
    1,
    ["HS256"],
  ]) {
    expect(await detailOf({ token: forge({ header: { alg }, claims }) }), String(alg)).toContain(wrong);
  }
  const [head, payload] = partsOf(forge({ header: { alg: "none" }, claims }));
  expect(await detailOf({ token: `${head}.${payload}.` })).toContain(wrong);
});

test("a key verifies its own algorithm only, even where both keys are known", async () => {
  const claims = await goodClaims();
  const keys = await load({
    ...settings().EdDSA,
    previousKeys: `${p256.publicKey.export(spki).toString()}\n${secret}`,
  });
  const input = `${encode({ alg: "ES256", kid: keysFor("EdDSA").signing.kid, typ: "at+jwt" })}.${encode(claims)}`;
  const signature = sign("sha256", Buffer.from(input), { key: p256.privateKey, dsaEncoding: "ieee-p1363" });
  const detail = await detailOf({ keys, token: `${input}.${signature.toString("base64url")}` });
  expect(detail).toContain("names an algorithm its key does not have");
});

test.each(algorithms)("a %s token changed in any part is refused", async (alg) => {
  const keys = keysFor(alg);
  const { token, claims } = await mint({ keys });
  const [header, payload, signature] = partsOf(token);
  const wrong = "The signature of the access token is wrong. Sign in again.";
  const richer = encode({ ...claims, tokenId: "8" });
  expect(await detailOf({ keys, token: `${header}.${richer}.${signature}` })).toBe(wrong);
  const bytes = Buffer.from(signature, "base64url");
  bytes[0] = (bytes[0] ?? 0) ^ 1;
  expect(await detailOf({ keys, token: `${header}.${payload}.${bytes.toString("base64url")}` })).toBe(wrong);
  const shorter = bytes.subarray(0, -1).toString("base64url");
  expect(await detailOf({ keys, token: `${header}.${payload}.${shorter}` })).toBe(wrong);
  expect(await detailOf({ keys, token: `${header}.${payload}.` })).toBe(wrong);
  const other = await mint({ keys });
  expect(await detailOf({ keys, token: `${header}.${payload}.${partsOf(other.token)[2]}` })).toBe(wrong);
  const rewritten = encode({ typ: "at+jwt", kid: keys.signing.kid, alg });
  expect(await detailOf({ keys, token: `${rewritten}.${payload}.${signature}` })).toBe(wrong);
});

test("a key that a token carries, or names by an address, is ignored", async () => {
  const keys = keysFor("ES256");
  const stranger = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const jwk = stranger.publicKey.export({ format: "jwk" });
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(request.url!);
    response.end(JSON.stringify({ keys: [{ ...jwk, kid: keys.signing.kid, alg: "ES256" }] }));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const claims = await goodClaims();
  for (const brought of [{ jwk }, { jku: `${origin}/jwks` }, { x5u: `${origin}/x5u` }, { x5c: ["AA=="] }]) {
    const header = { alg: "ES256", kid: keys.signing.kid, typ: "at+jwt", ...brought };
    const input = `${encode(header)}.${encode(claims)}`;
    const signature = sign("sha256", Buffer.from(input), {
      key: stranger.privateKey,
      dsaEncoding: "ieee-p1363",
    });
    const token = `${input}.${signature.toString("base64url")}`;
    expect(await detailOf({ keys, token })).toContain("signature of the access token is wrong");
  }
  expect(requests).toEqual([]);
});

test.each<[string, Header, RegExp]>([
  ["no type", { typ: undefined }, /not an access token/],
  ["the type of any JWT", { typ: "JWT" }, /not an access token/],
  ["the type in capitals", { typ: "AT+JWT" }, /not an access token/],
  ["the long form of the type", { typ: "application/at+jwt" }, /not an access token/],
  ["no kid", { kid: undefined }, /key this site does not use/],
  ["an unknown kid", { kid: "unknown" }, /key this site does not use/],
  ["a kid that is no text", { kid: ["a"] }, /key this site does not use/],
  ["a kid named like a method", { kid: "__proto__" }, /key this site does not use/],
  ["an unknown critical extension", { crit: ["exp"], exp: 1 }, /malformed/],
  ["an unencoded payload", { crit: ["b64"], b64: false }, /malformed|signature/],
])("a header with %s is refused", async (_kind, header, detail) => {
  expect(await detailOf({ token: forge({ header, claims: await goodClaims() }) })).toMatch(detail);
});

test.each<[string, Record<string, unknown>]>([
  ["iss missing", { iss: undefined }],
  ["iss a list", { iss: ["http://localhost:3000"] }],
  ["aud missing", { aud: undefined }],
  ["aud a text", { aud: "localhost:3000" }],
  ["sub missing", { sub: undefined }],
  ["sub with its checksum", { sub: address }],
  ["sub another address than the message's", { sub: `0x${"1".repeat(40)}` }],
  ["iat missing", { iat: undefined }],
  ["iat a text", { iat: String(nowSeconds) }],
  ["iat a fraction", { iat: nowSeconds - 0.5 }],
  ["iat negative", { iat: -1 }],
  ["exp missing", { exp: undefined }],
  ["exp a text", { exp: String(nowSeconds + 900) }],
  ["exp null", { exp: null }],
  ["nbf a text", { nbf: "0" }],
  ["jti missing", { jti: undefined }],
  ["jti no UUID", { jti: "1" }],
  ["kind missing", { kind: undefined }],
  ["kind refresh", { kind: "refresh" }],
  ["auth missing", { auth: undefined }],
  ["auth unknown", { auth: "password" }],
  ["scopes missing", { scopes: undefined }],
  ["scopes a text that holds the scope", { scopes: "gate:read chat" }],
  ["scopes empty", { scopes: [] }],
  ["scopes without the route's", { scopes: ["chat"] }],
  ["scopes that merely begin alike", { scopes: ["gate:reader", "gate"] }],
  ["tokenId missing", { tokenId: undefined }],
  ["tokenId a number", { tokenId: 7 }],
  ["tokenId with a leading zero", { tokenId: "07" }],
  ["tokenId with a sign", { tokenId: "-7" }],
  ["chainId missing", { chainId: undefined }],
  ["chainId a text", { chainId: "31337" }],
  ["chainId another than the message's", { siwe: { ...siwe, chainId: 1 } }],
  ["contract missing", { contract: undefined }],
  ["contract with its checksum", { contract: contractAddress }],
  ["contract another one", { contract: `0x${"12".repeat(20)}` }],
  ["contract no address", { contract: "0x12" }],
  ["a life of 299 seconds", { exp: nowSeconds + 299 }],
  ["a life of more than a day", { iat: nowSeconds - 85_501 }],
  ["siwe missing", { siwe: undefined }],
  ["siwe without its nonce", { siwe: { ...siwe, nonce: undefined } }],
  ["siwe with a short nonce", { siwe: { ...siwe, nonce: "short" } }],
  ["siwe with a number for a time", { siwe: { ...siwe, issuedAt: 1 } }],
  ["siwe_hash missing", { siwe_hash: undefined }],
  ["siwe_hash cut short", { siwe_hash: "0xabcd" }],
])("a rightly signed token with %s is refused", async (_kind, changes) => {
  const token = forge({ claims: { ...(await goodClaims()), ...changes } });
  expect(await detailOf({ token })).not.toBe("");
});

test("a hand-signed token with nothing changed is valid, so each refusal is the change's own", async () => {
  const claims = await goodClaims();
  expect(await verify({ token: forge({ claims }) })).toEqual(claims);
});

test("claims beyond the documented ones are not passed on", async () => {
  const token = forge({ claims: { ...(await goodClaims()), admin: true } });
  expect(await verify({ token })).not.toHaveProperty("admin");
});

test("a text that is no signed token is malformed", async () => {
  const { token } = await mint();
  const [header, payload, signature] = partsOf(token);
  for (const text of [
    "",
    ".",
    "..",
    "mock-token",
    "a.b",
    "a.b.c",
    `${token}.`,
    `${token}.${signature}.${signature}`,
    `.${payload}.${signature}`,
    `${encode("null")}.${payload}.${signature}`,
    `${encode("[]")}.${payload}.${signature}`,
    `${encode("{")}.${payload}.${signature}`,
    `${header}!.${payload}.${signature}`,
  ]) {
    expect(await detailOf({ token: text }), text).toMatch(/malformed|not an access token/);
  }
  for (const claims of ["null", "[]", "7", '"text"', "{", ""]) {
    expect(await detailOf({ token: forge({ claims }) }), claims).toContain("malformed");
  }
});

test("a token beyond the greatest length is refused before it is decoded, one of that length is read", async () => {
  const claims = await goodClaims();
  // Base64url never has a length of 4n+1, so both parts take a share of the padding.
  const padded = (length: number) => {
    for (let pad = 5000; pad < 6000; pad += 1) {
      for (const inHeader of ["", "x", "xx", "xxx"]) {
        const token = forge({ header: { pad: inHeader }, claims: { ...claims, pad: "x".repeat(pad) } });
        if (token.length === length) return token;
      }
    }
    throw new Error(`No token of ${length} characters`);
  };
  const longest = padded(maxTokenLength);
  expect(longest).toHaveLength(maxTokenLength);
  expect((await verify({ token: longest })).tokenId).toBe("7");
  expect(await detailOf({ token: padded(maxTokenLength + 1) })).toContain("malformed");
});

test("an Authorization header is read when it is exactly a Bearer token", () => {
  expect(parseBearerHeader("Bearer abc")).toBe("abc");
  expect(parseBearerHeader("Bearer aZ0-._~+/==")).toBe("aZ0-._~+/==");
  const longest = "a".repeat(maxTokenLength);
  expect(parseBearerHeader(`Bearer ${longest}`)).toBe(longest);
});

test.each([
  "",
  " ",
  "Bearer",
  "Bearer ",
  "bearer abc",
  "BEARER abc",
  "BeaRer abc",
  "Bearer  abc",
  "Bearer\tabc",
  "Bearer\u00a0abc",
  " Bearer abc",
  "Bearer abc ",
  "Bearer abc\n",
  "Bearer abc def",
  "Bearer abc,def",
  "Bearer abc, Bearer abc",
  "Bearer Bearer abc",
  "Bearer:abc",
  "Bearer=abc",
  "Bearerabc",
  'Bearer "abc"',
  "Bearer abc;x=y",
  "Bearer =abc",
  "Bearer a=bc",
  "Bearer ====",
  "Bearer äbc",
  "Bearer abc\0",
  "Basic abc",
  "Token abc",
  "abc",
  `Bearer ${"a".repeat(maxTokenLength + 1)}`,
])("the Authorization header %j is refused, not read as absent", (value) => {
  expect(() => parseBearerHeader(value)).toThrow(
    expect.objectContaining({
      status: 401,
      slug: "authentication-failed",
      headers: { "WWW-Authenticate": 'Bearer realm="latchkey", error="invalid_token"' },
    }),
  );
});
