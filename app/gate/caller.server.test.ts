import { expect, test } from "vitest";
import type { Database } from "~/platform/database/database.server";
import { Refusal } from "~/platform/http/refusal";
import { createTestDatabase } from "~/testing/database";
import { combinePlaced, tokenPlacements } from "~/testing/token-placements";
import type { PlacedToken } from "~/testing/token-placements";
import type { GateScope } from "./access-token.schema";
import { gateScopes } from "./access-token.schema";
import { mintAccessToken, requireScope, verifyAccessToken } from "./access-token.server";
import { authenticateCaller, requireCaller } from "./caller.server";
import { createKeyStore } from "./keys.store.server";
import { loadTokenKeys } from "./token-keys.server";

const nowMs = Date.UTC(2026, 0, 15, 12);
const holder = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";
const place = { chainId: 31337, contractAddress: "0x00000000000000000000000000000000000000aa" };
const ownOrigin = "http://localhost:3000";
const issued = { issuer: ownOrigin, audience: ["localhost:3000"], chainId: 31337 };
const keys = await loadTokenKeys({
  dataDir: "unused",
  mode: "production",
  alg: "HS256",
  secret: "a secret of this test: longer than 32 bytes",
});

async function mint({
  tokenId = "1",
  scopes = gateScopes,
  issuedAtMs = nowMs,
}: { tokenId?: string; scopes?: readonly GateScope[]; issuedAtMs?: number } = {}): Promise<string> {
  const { token } = mintAccessToken({
    keys,
    address: holder,
    auth: "siwe",
    tokenId,
    scopes,
    siwe: {
      address: holder,
      domain: "localhost:3000",
      chainId: 31337,
      nonce: "0123456789abcdef",
      issuedAt: "2026-01-15T12:00:00Z",
    },
    signedText: "signed",
    ttlSeconds: 900,
    ...issued,
    clock: () => issuedAtMs,
  });
  return token;
}

/** Key 1 is good; 2 is used up; 3 left the wallet at this very moment and came back. */
async function openCallers() {
  const { database } = await createTestDatabase();
  await database.usedKey.create({
    data: {
      chainId: 31337n,
      contractAddress: place.contractAddress,
      tokenId: "2",
      usedBy: "0x0",
      usedAtMs: 1n,
    },
  });
  const store = createKeyStore({ database });
  await store.recordDeparture({ key: { ...place, tokenId: "3" }, holder, departedAtMs: nowMs });
  return { database, ask: createAsk(database) };
}

async function verifyToken({ token, requiredScope }: { token: string; requiredScope: GateScope }) {
  const clock = () => nowMs;
  const claims = await verifyAccessToken({ keys, token, expected: issued, clockToleranceSeconds: 5, clock });
  requireScope({ claims, requiredScope });
  return claims;
}

function createAsk(database: Database) {
  const dependencies = {
    contractAddress: place.contractAddress,
    keys: createKeyStore({ database }),
    isAllowedOrigin: (origin: string) => origin === ownOrigin,
    verifyToken,
  };
  return async function ask(
    { headers, query, body }: PlacedToken,
    { isRequired = true }: { isRequired?: boolean } = {},
  ): Promise<string> {
    try {
      const caller = await authenticateCaller({
        request: { headers, searchParams: new URLSearchParams(query), body },
        requiredScope: "chat",
        isRequired,
        dependencies,
      });
      return caller === null ? "nobody" : `key ${caller.claims.tokenId}`;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return `${error.status} ${error.title} ${error.headers["WWW-Authenticate"] ?? ""}`.trim();
    }
  };
}

const invalid = '401 Unauthorized: invalid JWT Bearer realm="latchkey", error="invalid_token"';
const missing = '401 Unauthorized: missing JWT Bearer realm="latchkey"';
const crossSite = "403 Cross-site request refused";

const goodToken = await mint();
const badTokens = {
  expired: await mint({ issuedAtMs: nowMs - 905_000 }),
  malformed: goodToken.slice(0, -4),
  "of another signature": `${goodToken.split(".").slice(0, 2).join(".")}.${"A".repeat(43)}`,
  "not a token": "nonsense",
  "with a scheme in front": `Bearer ${goodToken}`,
  "with a space behind": `${goodToken} x`,
  "too long": "a".repeat(9_000),
  "of the wrong scope": await mint({ scopes: ["gate:read", "tts"] }),
  "of a used key": await mint({ tokenId: "2" }),
  "from before the key left": await mint({ tokenId: "3" }),
};

test.each(tokenPlacements)("$location: a good token is taken, every bad one is 401", async ({ place }) => {
  const { ask } = await openCallers();
  for (const isRequired of [true, false]) {
    expect(await ask(combinePlaced([place(goodToken)]), { isRequired })).toBe("key 1");
    for (const [name, token] of Object.entries(badTokens)) {
      expect(await ask(combinePlaced([place(token)]), { isRequired }), name).toBe(invalid);
    }
    const again = await mint({ tokenId: "3", issuedAtMs: nowMs + 1_000 });
    expect(await ask(combinePlaced([place(again)]), { isRequired }), "key came back").toBe("key 3");
  }
});

const pairs = tokenPlacements.flatMap((first, index) =>
  tokenPlacements.slice(index + 1).map((second) => ({
    pair: `${first.location} before ${second.location}`,
    first,
    second,
  })),
);

test.each(pairs)("$pair, whichever is good", async ({ first, second }) => {
  const { ask } = await openCallers();
  const other = await mint({ tokenId: "9" });
  expect(await ask(combinePlaced([first.place(goodToken), second.place(other)]))).toBe("key 1");
  expect(await ask(combinePlaced([first.place(goodToken), second.place(badTokens.expired)]))).toBe("key 1");
  expect(await ask(combinePlaced([first.place(badTokens.expired), second.place(goodToken)]))).toBe(invalid);
  expect(await ask(combinePlaced([first.place(""), second.place(goodToken)]))).toBe(invalid);
});

test("without a token a required caller is told so, and any other is nobody", async () => {
  const { ask } = await openCallers();
  expect(await ask(combinePlaced([]))).toBe(missing);
  expect(await ask(combinePlaced([]), { isRequired: false })).toBe("nobody");
  expect(await ask(combinePlaced([{ body: { jwt: null } }]), { isRequired: false })).toBe("nobody");
});

test.each(["bearer", "BEARER", "Bearer  ", " Bearer", "Token", "Basic"])(
  "the scheme %j in the Authorization header is 401, without a look elsewhere",
  async (scheme) => {
    const { ask } = await openCallers();
    const header = { headers: { authorization: `${scheme} ${goodToken}` } };
    expect(await ask(combinePlaced([header, { query: { jwt: goodToken } }]))).toBe(invalid);
  },
);

test.each([
  [{}, "key 1"],
  [{ "sec-fetch-site": "same-origin" }, "key 1"],
  [{ "sec-fetch-site": "none" }, "key 1"],
  [{ "sec-fetch-site": "same-origin", origin: ownOrigin }, "key 1"],
  [{ origin: ownOrigin }, "key 1"],
  [{ "sec-fetch-site": "same-site", origin: ownOrigin }, "key 1"],
  [{ "sec-fetch-site": "same-site" }, crossSite],
  [{ "sec-fetch-site": "same-site", origin: "http://other.localhost:3000" }, crossSite],
  [{ "sec-fetch-site": "cross-site" }, crossSite],
  [{ "sec-fetch-site": "cross-site", origin: ownOrigin }, crossSite],
  [{ "sec-fetch-site": "something-new" }, crossSite],
  [{ origin: "https://evil.example" }, crossSite],
  [{ origin: "null" }, crossSite],
  [{ "sec-fetch-site": "same-origin", origin: "https://evil.example" }, crossSite],
] as const)("with a cookie, %j is answered %s", async (headers, answer) => {
  const { ask } = await openCallers();
  for (const name of ["access_token", "jwt"]) {
    expect(await ask(combinePlaced([{ headers }, { headers: { cookie: `${name}=${goodToken}` } }]))).toBe(
      answer,
    );
  }
  // A bad token in a cookie is judged only after the site it comes from.
  const bad = combinePlaced([{ headers }, { headers: { cookie: "jwt=nonsense" } }]);
  expect(await ask(bad)).toBe(answer === crossSite ? crossSite : invalid);
});

test("tokens that no browser sends by itself pass from any site", async () => {
  const { ask } = await openCallers();
  const headers = { "sec-fetch-site": "cross-site", origin: "https://evil.example" };
  for (const { location, place } of tokenPlacements.filter(
    ({ location }) => !location.startsWith("cookie"),
  )) {
    expect(await ask(combinePlaced([{ headers }, place(goodToken)])), location).toBe("key 1");
  }
});

test("a database that cannot be asked is not taken for a bad token", async () => {
  const request = { headers: { authorization: `Bearer ${goodToken}` }, searchParams: new URLSearchParams() };
  const away = requireCaller({
    request,
    requiredScope: "chat",
    dependencies: {
      contractAddress: place.contractAddress,
      verifyToken,
      keys: { findKeyState: () => Promise.reject(new Error("the database is away")) },
      isAllowedOrigin: () => false,
    },
  });
  await expect(away).rejects.toThrow("the database is away");
});
