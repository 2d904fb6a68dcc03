import type { Address } from "viem";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createChainClient } from "~/platform/chain/chain-client.server";
import type { ChainClient } from "~/platform/chain/chain-client.server";
import { Refusal } from "~/platform/refusals/refusal";
import { makeKind, oneKind, untouched } from "~e2e/support/key-kinds";
import { startTestChain } from "~e2e/support/chain/chain";
import type { TestChain } from "~e2e/support/chain/chain";
import { createTestDatabase } from "~e2e/support/databases/database";
import { startRpcFaultServer } from "~e2e/support/chain/rpc-fault-server";
import type { RpcFaultServer } from "~e2e/support/chain/rpc-fault-server";
import { combinePlaced, tokenPlacements } from "~e2e/support/token-placements";
import type { PlacedToken } from "~e2e/support/token-placements";
import type { GateScope } from "./access-token.schema";
import { gateScopes } from "./access-token.schema";
import { mintAccessToken, requireScope, verifyAccessToken } from "./access-token.server";
import { identifyCaller } from "./caller.server";
import type { CallerDependencies } from "./caller.server";
import { createKeyStore } from "../ownership/keys.store.server";
import { createJudge } from "../ownership/judge.server";
import { loadTokenKeys } from "./token-keys.server";

const nowMs = Date.UTC(2026, 0, 15, 12);
const clock = () => nowMs;
const ownOrigin = "http://localhost:3000";
const keys = await loadTokenKeys({
  dataDir: "unused",
  mode: "production",
  alg: "HS256",
  secret: "a secret of this test: longer than 32 bytes",
});

let chain: TestChain;
let rpc: RpcFaultServer;
/** Account 1 has all of these, but for the one it gave away. */
let good: string, other: string, used: string, back: string, given: string;
let goodToken: string;
let badTokens: Record<string, string>;

beforeAll(async () => {
  chain = await startTestChain();
  rpc = await startRpcFaultServer(chain.rpcUrl);
  const mintKey = () => chain.mintKey(1);
  [good, other, used, back, given] = [
    await mintKey(),
    await mintKey(),
    await mintKey(),
    await mintKey(),
    await mintKey(),
  ];
  await chain.transferKey({ tokenId: given, from: 1, to: chain.addressOf(2) });
  goodToken = await mint();
  badTokens = {
    expired: await mint({ issuedAtMs: nowMs - 905_000 }),
    malformed: goodToken.slice(0, -4),
    "of another signature": `${goodToken.split(".").slice(0, 2).join(".")}.${"A".repeat(43)}`,
    "not a token": "nonsense",
    "with a scheme in front": `Bearer ${goodToken}`,
    "with a space behind": `${goodToken} x`,
    "too long": "a".repeat(9_000),
    "of the wrong scope": await mint({ scopes: ["gate:read", "tts"] }),
    "of another contract": await mint({ contractAddress: `0x${"12".repeat(20)}` }),
    "of a used key": await mint({ tokenId: used }),
    "from before the key left": await mint({ tokenId: back }),
    "of a key that is another wallet's, which nobody noticed": await mint({ tokenId: given }),
    "of a key that does not exist": await mint({ tokenId: "424242" }),
  };
});
beforeEach(() => rpc.setFault("none"));
afterAll(async () => {
  await rpc.stop();
  await chain.stop();
});

function issued() {
  return {
    issuer: ownOrigin,
    audience: ["localhost:3000"],
    kinds: kinds(),
  };
}

const kinds = () => oneKind({ chainId: chain.chainId, contract: chain.key.address });

type Minted = {
  tokenId?: string;
  scopes?: readonly GateScope[];
  issuedAtMs?: number;
  contractAddress?: Address;
};

async function mint({
  tokenId = good,
  scopes = gateScopes,
  issuedAtMs = nowMs,
  contractAddress = chain.key.address,
}: Minted = {}): Promise<string> {
  const address = chain.addressOf(1);
  const { token } = await mintAccessToken({
    keys,
    address,
    auth: "siwe",
    tokenId,
    scopes,
    keyKind: makeKind({ chainId: chain.chainId, contract: contractAddress }),
    areNamed: false,
    siwe: {
      address,
      domain: "localhost:3000",
      chainId: chain.chainId,
      nonce: "0123456789abcdef",
      issuedAt: "2026-01-15T12:00:00Z",
    },
    signedText: "signed",
    ttlSeconds: 900,
    ...issued(),
    issuedAtMs,
  });
  return token;
}

async function verifyToken({ token, requiredScope }: { token: string; requiredScope: GateScope }) {
  const verified = await verifyAccessToken({
    keys,
    token,
    expected: issued(),
    clockToleranceSeconds: 5,
    clock,
  });
  requireScope(verified, requiredScope);
  return verified;
}

const openJudge = (client: ChainClient) =>
  createJudge({ clientOf: () => client, confirmationsOf: () => 0, cacheSeconds: 4, clock });

type TokenRule = "required" | "good-if-sent" | "optional";

/** One key is used up; another left the wallet at this very moment and came back. */
async function openCallers(changes: Partial<CallerDependencies> = {}) {
  const { database } = await createTestDatabase();
  const { chainId, key } = chain;
  const keyContract = { chainId, contractAddress: key.address };
  await database.usedKey.create({
    data: {
      chainId: BigInt(chainId),
      contractAddress: key.address.toLowerCase(),
      tokenId: used,
      usedBy: "0x0",
      usedAtMs: 1n,
    },
  });
  const store = createKeyStore(database);
  const holder = chain.addressOf(1);
  await store.recordDeparture({ key: { ...keyContract, tokenId: back }, holder, departedAtMs: nowMs });
  const client = createChainClient({ rpcUrls: [rpc.url], chainId });
  const dependencies: CallerDependencies = {
    kinds: kinds(),
    clock,
    keys: store,
    judge: openJudge(client),
    verifyToken,
    isAllowedOrigin: (origin) => origin === ownOrigin,
    requiresToken: false,
    ...changes,
  };
  return async function ask(
    { headers, query, body }: PlacedToken,
    { tokenRule = "required" }: { tokenRule?: TokenRule } = {},
  ): Promise<string> {
    try {
      const caller = await identifyCaller(
        tokenRule === "required"
          ? { scope: "chat", isRequired: true }
          : { scope: "chat", isRequired: "by-setting", otherwise: tokenRule },
        { headers, searchParams: new URLSearchParams(query), body },
        dependencies,
      );
      return caller === null ? "stranger" : `key ${caller.claims.tokenId}`;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const { status, title, headers } = error;
      return `${status} ${title} ${headers["WWW-Authenticate"] ?? headers["Retry-After"] ?? ""}`.trim();
    }
  };
}

const invalid = '401 Unauthorized: invalid JWT Bearer realm="latchkey", error="invalid_token"';
const missing = '401 Unauthorized: missing JWT Bearer realm="latchkey"';
const crossSite = "403 Cross-site request refused";
const chainAway = "503 Chain unavailable 5";

/** The result of an invalid token under each rule. */
const refusals = { required: invalid, "good-if-sent": invalid, optional: "stranger" } as const;
const rules = Object.entries(refusals) as [TokenRule, string][];
const inHeader = (token: string) => combinePlaced([{ headers: { authorization: `Bearer ${token}` } }]);

test.each(tokenPlacements)(
  "$location: a valid token is accepted under each rule, an invalid one is 401 or anonymous",
  async ({ place }) => {
    const ask = await openCallers();
    const again = await mint({ tokenId: back, issuedAtMs: nowMs + 1_000 });
    for (const [tokenRule, refused] of rules) {
      expect(await ask(combinePlaced([place(goodToken)]), { tokenRule })).toBe(`key ${good}`);
      for (const [name, token] of Object.entries(badTokens)) {
        expect(await ask(combinePlaced([place(token)]), { tokenRule }), name).toBe(refused);
      }
      expect(await ask(combinePlaced([place(again)]), { tokenRule }), "key came back").toBe(`key ${back}`);
    }
  },
);

const pairs = tokenPlacements.flatMap((first, index) =>
  tokenPlacements.slice(index + 1).map((second) => ({
    pair: `${first.location} before ${second.location}`,
    first,
    second,
  })),
);

test.each(pairs)(
  "the token at the first location decides, valid or not: $pair",
  async ({ first, second }) => {
    const ask = await openCallers();
    const another = await mint({ tokenId: other });
    const { expired } = badTokens as { expired: string };
    for (const [tokenRule, refused] of rules) {
      const both = (one: string, two: string) =>
        ask(combinePlaced([first.place(one), second.place(two)]), { tokenRule });
      expect(await both(goodToken, another)).toBe(`key ${good}`);
      expect(await both(goodToken, expired)).toBe(`key ${good}`);
      expect(await both(expired, goodToken)).toBe(refused);
      expect(await both("", goodToken)).toBe(refused);
    }
  },
);

test("a caller without a token is refused where one is required, and anonymous elsewhere", async () => {
  const ask = await openCallers();
  expect(await ask(combinePlaced([]))).toBe(missing);
  for (const tokenRule of ["good-if-sent", "optional"] as const) {
    expect(await ask(combinePlaced([]), { tokenRule })).toBe("stranger");
    expect(await ask(combinePlaced([{ body: { jwt: null } }]), { tokenRule })).toBe("stranger");
  }
});

test.each(["bearer", "BEARER", "Bearer  ", " Bearer", "Token", "Basic"])(
  "the scheme %j in the Authorization header is an invalid token, and no other location is read",
  async (scheme) => {
    const ask = await openCallers();
    const header = { headers: { authorization: `${scheme} ${goodToken}` } };
    for (const [tokenRule, refused] of rules) {
      expect(await ask(combinePlaced([header, { query: { jwt: goodToken } }]), { tokenRule })).toBe(refused);
    }
  },
);

test.each([
  [{}, "a holder"],
  [{ "sec-fetch-site": "same-origin" }, "a holder"],
  [{ "sec-fetch-site": "none" }, "a holder"],
  [{ "sec-fetch-site": "same-origin", origin: ownOrigin }, "a holder"],
  [{ origin: ownOrigin }, "a holder"],
  [{ "sec-fetch-site": "same-site", origin: ownOrigin }, "a holder"],
  [{ "sec-fetch-site": "same-site" }, crossSite],
  [{ "sec-fetch-site": "same-site", origin: "http://other.localhost:3000" }, crossSite],
  [{ "sec-fetch-site": "cross-site" }, crossSite],
  [{ "sec-fetch-site": "cross-site", origin: ownOrigin }, crossSite],
  [{ "sec-fetch-site": "something-new" }, crossSite],
  [{ origin: "https://evil.example" }, crossSite],
  [{ origin: "null" }, crossSite],
  [{ "sec-fetch-site": "same-origin", origin: "https://evil.example" }, crossSite],
] as const)("a cookie token with the headers %j gives %s", async (headers, answer) => {
  const ask = await openCallers();
  const expected = answer === "a holder" ? `key ${good}` : answer;
  for (const name of ["access_token", "jwt"]) {
    const request = combinePlaced([{ headers }, { headers: { cookie: `${name}=${goodToken}` } }]);
    expect(await ask(request)).toBe(expected);
    expect(await ask(request, { tokenRule: "good-if-sent" })).toBe(expected);
    const asStranger = answer === crossSite ? "stranger" : expected;
    expect(await ask(request, { tokenRule: "optional" })).toBe(asStranger);
  }
  // A bad token in a cookie is judged only after the site it comes from.
  const bad = combinePlaced([{ headers }, { headers: { cookie: "jwt=nonsense" } }]);
  expect(await ask(bad)).toBe(answer === crossSite ? crossSite : invalid);
});

test("tokens that browsers do not send by themselves are accepted from any site", async () => {
  const ask = await openCallers();
  const headers = { "sec-fetch-site": "cross-site", origin: "https://evil.example" };
  for (const { location, place } of tokenPlacements.filter(
    ({ location }) => !location.startsWith("cookie"),
  )) {
    expect(await ask(combinePlaced([{ headers }, place(goodToken)])), location).toBe(`key ${good}`);
  }
});

test("a fresh reading is reused, and concurrent callers share one request to the chain", async () => {
  const ask = await openCallers();
  const before = rpc.posts.length;
  const readings = () => rpc.posts.slice(before).filter((method) => method === "eth_call").length;
  const answers = await Promise.all(Array.from({ length: 20 }, () => ask(inHeader(goodToken))));
  expect(new Set(answers)).toEqual(new Set([`key ${good}`]));
  expect(readings()).toBe(1);
  for (const [tokenRule] of rules) await ask(inHeader(goodToken), { tokenRule });
  expect(readings()).toBe(1);
  await ask(inHeader(await mint({ tokenId: other })));
  expect(readings()).toBe(2);
});

test("an invalid token causes no request to the chain or the database", async () => {
  const before = rpc.posts.length;
  const ask = await openCallers({
    keys: {
      findKeyState: () => Promise.reject(new Error("asked for a state")),
      recordDeparture: () => Promise.reject(new Error("told of a departure")),
    },
  });
  const atOnce = [
    "expired",
    "malformed",
    "of another signature",
    "of the wrong scope",
    "of another contract",
  ];
  for (const name of atOnce) expect(await ask(inHeader(badTokens[name]!)), name).toBe(invalid);
  expect(rpc.posts.length).toBe(before);
});

test("a key found in another wallet is recorded as departed, so its token stays ended when it comes back", async () => {
  const client = createChainClient({ rpcUrls: [rpc.url], chainId: chain.chainId });
  const judge = openJudge(client);
  const ask = await openCallers({ judge });
  const tokenId = await chain.mintKey(1);
  const token = await mint({ tokenId });
  await chain.transferKey({ tokenId, from: 1, to: chain.addressOf(2) });
  expect(await ask(inHeader(token), { tokenRule: "optional" })).toBe("stranger");
  await chain.transferKey({ tokenId, from: 2, to: chain.addressOf(1) });
  judge.forgetChain(chain.chainId);
  expect(await ask(inHeader(token))).toBe(invalid);
});

test("a token ended by a departure records no further one, however often it is sent", async () => {
  let written = 0;
  let departedAtMs: number | null = null;
  const ask = await openCallers({
    keys: {
      findKeyState: async () => ({ ...untouched, departedAtMs }),
      recordDeparture: async (departure) => {
        written++;
        departedAtMs = departure.departedAtMs;
      },
    },
  });
  const stale = await mint({ tokenId: given });
  for (let round = 0; round < 3; round++) expect(await ask(inHeader(stale))).toBe(invalid);
  expect(written).toBe(1);
});

test("a chain outage is 503 where a token must be valid, and makes the caller anonymous elsewhere", async () => {
  const ask = await openCallers();
  rpc.setFault("http-500");
  expect(await ask(inHeader(goodToken))).toBe(chainAway);
  expect(await ask(inHeader(goodToken), { tokenRule: "good-if-sent" })).toBe(chainAway);
  expect(await ask(inHeader(goodToken), { tokenRule: "optional" })).toBe("stranger");
  // A token that is invalid by itself is refused without the chain.
  expect(await ask(inHeader(badTokens.expired!))).toBe(invalid);
});

test("a database outage is no invalid token, and a defect is thrown under every rule", async () => {
  const failing = (error: Error) =>
    openCallers({
      keys: { findKeyState: () => Promise.reject(error), recordDeparture: () => Promise.reject(error) },
    });
  const away = await failing(Object.assign(new Error("no connection in time"), { code: "P2024" }));
  await expect(away(inHeader(goodToken))).rejects.toThrow("no connection in time");
  await expect(away(inHeader(goodToken), { tokenRule: "good-if-sent" })).rejects.toThrow(
    "no connection in time",
  );
  expect(await away(inHeader(goodToken), { tokenRule: "optional" })).toBe("stranger");
  const broken = await failing(new TypeError("a defect"));
  for (const [tokenRule] of rules) {
    await expect(broken(inHeader(goodToken), { tokenRule })).rejects.toThrow("a defect");
  }
});
