import { afterAll, beforeAll, expect, test } from "vitest";
import type { GateScope } from "~/gate/access-token.schema";
import { gateScopes } from "~/gate/access-token.schema";
import { mintAccessToken } from "~/gate/access-token.server";
import { loadTokenKeys } from "~/gate/token-keys.server";
import { testJwtSecret } from "~/testing/running-server";
import { waitUntil } from "~/testing/processes";
import { combinePlaced, tokenPlacements } from "~/testing/token-placements";
import type { PlacedToken } from "~/testing/token-placements";
import { hello, limitsOff, quotaOn, signInNew } from "./chat-fixture";
import { openGate } from "./gate-fixture";
import type { Answer, Gate } from "./gate-fixture";

type CallerRoute = {
  path: string;
  /** What a token has to allow here. */
  scope: GateScope;
  /** A call that is fine but for its caller; a route without a body is asked with GET. */
  json?: Record<string, unknown>;
  /** Where the route says no in a shape of its own. */
  toRefusal?: (words: string) => unknown;
  /** Pages of other origins are turned away wherever their token is. */
  checksEveryOrigin?: boolean;
};

/** Every route that takes an access token from the six places. Another one is one more line. */
const callerRoutes: readonly CallerRoute[] = [
  { path: "/api/chat", scope: "chat", json: hello },
  { path: "/api/quota", scope: "chat" },
  { path: "/api/tts", scope: "tts", json: { text: "Hello." } },
  {
    path: "/api/mcp",
    scope: "tools",
    json: { method: "tools/list" },
    toRefusal: (message) => ({ error: { code: -32001, message } }),
    checksEveryOrigin: true,
  },
];

let gate: Gate;
let good: string;
let tokenId: string;
const bad = new Map<string, string>();

beforeAll(async () => {
  gate = await openGate({ env: { ...limitsOff, ...quotaOn, AI_OFFLINE_WORD_MS: "0" } });
  const holder = await signInNew({ gate });
  good = holder.token;
  tokenId = holder.tokenId;
  bad.set("expired", await mint({ issuedAtMs: Date.now() - 3_600_000 }));
  bad.set("malformed", good.slice(0, -4));
  bad.set("not a token", "nonsense");
  bad.set(
    "signed by somebody else",
    await mint({ secret: "a secret of somebody else, of 32 bytes and more" }),
  );
  bad.set("of a used key", await tokenOfUsedKey());
  bad.set("of a key that left the wallet", await tokenOfDepartedKey());
});
afterAll(() => gate.close());

/** A token as this very server would make it, but for what is asked. */
async function mint({
  scopes = gateScopes,
  issuedAtMs = Date.now(),
  secret = testJwtSecret,
}: {
  scopes?: readonly GateScope[];
  issuedAtMs?: number;
  secret?: string;
}): Promise<string> {
  const keys = await loadTokenKeys({ dataDir: "unused", mode: "production", alg: "HS256", secret });
  const address = "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266";
  const siwe = {
    ...{ address, domain: gate.domain, chainId: 31337, nonce: "0123456789abcdef" },
    issuedAt: new Date(issuedAtMs).toISOString(),
  };
  const { token } = await mintAccessToken({
    ...{ keys, address, auth: "siwe", scopes, tokenId, chainId: 31337, siwe, signedText: "signed" },
    ...{ ttlSeconds: 900, issuer: gate.origin, audience: [gate.domain], clock: () => issuedAtMs },
  });
  return token;
}

async function tokenOfUsedKey(): Promise<string> {
  const { token, ...holder } = await signInNew({ gate });
  const form = await gate.formBody({ ...holder, message: "Goodbye." });
  expect((await gate.post("/api/form-submission-gate", form)).status).toBe(200);
  return token;
}

async function tokenOfDepartedKey(): Promise<string> {
  const { token, account, tokenId: left, bearer } = await signInNew({ gate });
  const stranger = await gate.rich();
  await gate.transferKey({ from: account, to: stranger.address, tokenId: left });
  const seesDeparture = async () => (await gate.ask({ path: "/api/quota", headers: bearer })).status === 401;
  await waitUntil(seesDeparture);
  return token;
}

async function call({ path, json }: CallerRoute, ...parts: readonly Partial<PlacedToken>[]): Promise<Answer> {
  const { headers, query, body } = combinePlaced(parts);
  const address = `${path}?${new URLSearchParams(query)}`;
  if (!json) return gate.ask({ path: address, headers });
  return gate.post(address, { ...json, ...body }, headers);
}

function placementsOf({ json }: CallerRoute) {
  return tokenPlacements.filter(({ place }) => json || !place("").body);
}

function expectRefused({ toRefusal }: CallerRoute, answer: Answer, about: string): void {
  const words = "Unauthorized: invalid JWT";
  expect([answer.status, answer.body], about).toEqual([401, toRefusal?.(words) ?? { error: words }]);
  expect(answer.headers.get("www-authenticate"), about).toContain('error="invalid_token"');
}

test("there are six places, and routes with a body look into all of them", () => {
  expect(tokenPlacements).toHaveLength(6);
  for (const route of callerRoutes.filter(({ json }) => json)) expect(placementsOf(route)).toHaveLength(6);
});

test("what the test mints itself is a token this server takes", async () => {
  for (const route of callerRoutes) {
    const own = await mint({ scopes: [route.scope] });
    expect((await call(route, tokenPlacements[0]!.place(own))).status).toBe(200);
  }
});

test.each(callerRoutes)(
  "$path takes a good token from each place, and a bad one from none",
  async (route) => {
    const others = gateScopes.filter((scope) => scope !== route.scope);
    const refused = new Map([...bad, ["of another scope", await mint({ scopes: others })]]);
    expect(refused.size).toBe(7);
    for (const { location, place } of placementsOf(route)) {
      expect((await call(route, place(good))).status, location).toBe(200);
      for (const [kind, token] of refused) {
        expectRefused(route, await call(route, place(token)), `${kind}, ${location}`);
      }
    }
  },
);

test.each(callerRoutes)(
  "$path goes by the first place that has a token, whichever is good",
  async (route) => {
    const placements = placementsOf(route);
    for (const [index, first] of placements.entries()) {
      for (const second of placements.slice(index + 1)) {
        const about = `${first.location} before ${second.location}`;
        for (const [kind, token] of bad) {
          expectRefused(
            route,
            await call(route, first.place(token), second.place(good)),
            `${kind}, ${about}`,
          );
        }
        expectRefused(route, await call(route, first.place(""), second.place(good)), `empty, ${about}`);
        const expired = bad.get("expired")!;
        expect((await call(route, first.place(good), second.place(expired))).status, about).toBe(200);
      }
    }
  },
);

test.each(callerRoutes)("$path tells a caller without a token that one is missing", async (route) => {
  const answer = await call(route);
  const words = "Unauthorized: missing JWT";
  expect([answer.status, answer.body]).toEqual([401, route.toRefusal?.(words) ?? { error: words }]);
});

test.each(callerRoutes)("$path takes a cookie only where no other site is behind it", async (route) => {
  for (const { location, place } of placementsOf(route)) {
    const headers = { "sec-fetch-site": "cross-site", origin: "https://elsewhere.example" };
    const answer = await call(route, place(good), { headers });
    if (route.checksEveryOrigin) {
      expect(answer.status, location).toBe(403);
      continue;
    }
    if (!location.startsWith("cookie")) {
      expect(answer.status, location).toBe(200);
      continue;
    }
    const words = "Cross-site request refused";
    expect([answer.status, answer.body], location).toEqual([
      403,
      route.toRefusal?.(words) ?? { error: words },
    ]);
  }
});

test("no token, good or bad, is in the log", async () => {
  for (const token of [good, ...bad.values()]) {
    const secret = token.split(".").at(-1)!;
    if (token.includes(".")) expect(gate.server.output()).not.toContain(secret);
  }
  expect(gate.server.output()).toContain('"route":"/api/chat"');
});
