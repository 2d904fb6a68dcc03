import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import type { GateScope } from "~/gate/tokens/access-token.schema";
import { gateScopes } from "~/gate/tokens/access-token.schema";
import { makeKind } from "~e2e/support/key-kinds";
import { mintAccessToken } from "~/gate/tokens/access-token.server";
import { loadTokenKeys } from "~/gate/tokens/token-keys.server";
import { startServer, testJwtSecret } from "~e2e/support/running-server";
import { waitUntil } from "~e2e/support/processes";
import { combinePlaced, tokenPlacements } from "~e2e/support/token-placements";
import type { PlacedToken } from "~e2e/support/token-placements";
import { limitsOff } from "~e2e/support/limits";
import { hello, quotaOn, signInNew } from "./chat-fixture";
import { clientOf, openGate } from "./gate-fixture";
import type { Answer, Gate } from "./gate-fixture";

type CallerRoute = {
  path: string;
  /** The scope a token needs here. */
  scope: GateScope;
  /** A call that is valid except for its caller. Without a body, it is a GET by default. */
  json?: Record<string, unknown>;
  method?: "POST";
  /** The status of an accepted call. Default: 200. */
  served?: number;
  /** For routes with their own shape of refusal. */
  toRefusal?: (words: string) => unknown;
  /** Pages of other origins are refused, wherever their token is. */
  checksEveryOrigin?: boolean;
  /** Tokens are optional here, so a bad one makes a stranger. */
  servesStrangers?: boolean;
};

/** Every route that takes an access token from the six places. Add new ones here. */
const callerRoutes: readonly CallerRoute[] = [
  { path: "/api/chat", scope: "chat", json: hello, servesStrangers: true },
  { path: "/api/chat/conversation-0001/stream", scope: "chat", served: 204, servesStrangers: true },
  {
    path: "/api/chat/conversation-0001/stop",
    scope: "chat",
    method: "POST",
    served: 204,
    servesStrangers: true,
  },
  { path: "/api/quota", scope: "chat" },
  { path: "/api/tts", scope: "tts", json: { text: "Hello." }, servesStrangers: true },
  {
    path: "/api/mcp",
    scope: "tools",
    json: { method: "tools/list" },
    toRefusal: (message) => ({
      error: { code: -32001, message: expect.stringContaining(message) as string },
    }),
    checksEveryOrigin: true,
  },
];

let gate: Gate;
let good: string;
let tokenId: string;
let address: string;
const bad = new Map<string, string>();

beforeAll(async () => {
  gate = await openGate({ env: { ...limitsOff, ...quotaOn, AI_OFFLINE_WORD_MS: "0" } });
  const holder = await signInNew(gate);
  good = holder.token;
  tokenId = holder.tokenId;
  address = holder.account.address;
  bad.set("expired", await mint({ issuedAtMs: Date.now() - 3_600_000 }));
  bad.set("malformed", good.slice(0, -4));
  bad.set("not a token", "nonsense");
  bad.set(
    "signed by somebody else",
    await mint({ secret: "a secret of somebody else, of 32 bytes and more" }),
  );
  bad.set("of another contract", await mint({ contractAddress: `0x${"12".repeat(20)}` }));
  bad.set("of a used key", await tokenOfUsedKey());
  bad.set("of a key that left the wallet", await tokenOfDepartedKey());
});
afterAll(() => gate.close());

type MintOptions = {
  scopes?: readonly GateScope[];
  issuedAtMs?: number;
  secret?: string;
  contractAddress?: `0x${string}`;
};

/** A token as this server would issue it, except for the given changes. */
async function mint({
  scopes = gateScopes,
  issuedAtMs = Date.now(),
  secret = testJwtSecret,
  contractAddress = gate.contract,
}: MintOptions): Promise<string> {
  const keys = await loadTokenKeys({ dataDir: "unused", mode: "production", alg: "HS256", secret });
  const siwe = {
    address,
    domain: gate.domain,
    chainId: 31337,
    nonce: "0123456789abcdef",
    issuedAt: new Date(issuedAtMs).toISOString(),
  };
  const { token } = await mintAccessToken({
    keyKind: makeKind({ chainId: 31337, contract: contractAddress }),
    areNamed: false,
    keys,
    address,
    auth: "siwe",
    scopes,
    tokenId,
    siwe,
    signedText: "signed",
    ttlSeconds: 900,
    issuer: gate.origin,
    audience: [gate.domain],
    issuedAtMs,
  });
  return token;
}

async function tokenOfUsedKey(): Promise<string> {
  const { token, ...holder } = await signInNew(gate);
  const form = await gate.formBody({ ...holder, message: "Goodbye." });
  expect((await gate.post("/api/form-submission-gate", form)).status).toBe(200);
  return token;
}

async function tokenOfDepartedKey(): Promise<string> {
  const { token, account, tokenId: left, bearer } = await signInNew(gate);
  const stranger = await gate.rich();
  await gate.transferKey({ from: account, to: stranger.address, tokenId: left });
  const seesDeparture = async () => (await gate.ask({ path: "/api/quota", headers: bearer })).status === 401;
  await waitUntil(seesDeparture);
  return token;
}

async function call(route: CallerRoute, ...parts: readonly Partial<PlacedToken>[]): Promise<Answer> {
  return callAt(gate, route, parts);
}

async function callAt(
  at: Pick<Gate, "ask" | "post">,
  { path, json, method }: CallerRoute,
  parts: readonly Partial<PlacedToken>[],
): Promise<Answer> {
  const { headers, query, body } = combinePlaced(parts);
  const address = `${path}?${new URLSearchParams(query)}`;
  if (!json) return at.ask({ path: address, method, headers });
  return at.post(address, { ...json, ...body }, headers);
}

/** Another server of the same site. It accepts the same tokens and knows used and departed keys. */
async function startBeside(env: Record<string, string | undefined>): Promise<Pick<Gate, "ask" | "post">> {
  const server = await startServer({
    env: {
      RPC_URL: gate.chain.rpcUrl,
      KEY_CONTRACT_ADDRESS: gate.contract,
      AI_OFFLINE_WORD_MS: "0",
      ...limitsOff,
      JWT_ISS: gate.origin,
      JWT_AUD: gate.domain,
      ...env,
    },
    dataDir: gate.server.dataDir,
  });
  onTestFinished(async () => void (await server.stop()));
  return clientOf(server);
}

async function badTokensFor(route: CallerRoute): Promise<Map<string, string>> {
  const others = gateScopes.filter((scope) => scope !== route.scope);
  return new Map([...bad, ["of another scope", await mint({ scopes: others })]]);
}

const servedOf = ({ served = 200 }: CallerRoute) => served;

function placementsOf({ json }: CallerRoute) {
  return tokenPlacements.filter(({ place }) => json || !place("").body);
}

function expectRefused({ toRefusal }: CallerRoute, answer: Answer, about: string): void {
  const words = "Unauthorized: invalid JWT";
  expect([answer.status, answer.body], about).toEqual([401, toRefusal?.(words) ?? { error: words }]);
  expect(answer.headers.get("www-authenticate"), about).toContain('error="invalid_token"');
}

test("tokens are read from six locations, and routes with a body read all of them", () => {
  expect(tokenPlacements).toHaveLength(6);
  for (const route of callerRoutes.filter(({ json }) => json)) expect(placementsOf(route)).toHaveLength(6);
});

test("a token minted by the test is accepted by this server", async () => {
  for (const route of callerRoutes) {
    const own = await mint({ scopes: [route.scope] });
    expect((await call(route, tokenPlacements[0]!.place(own))).status).toBe(servedOf(route));
  }
});

test.each(callerRoutes)(
  "$path accepts a valid token at each location, and an invalid one at none",
  async (route) => {
    const refused = await badTokensFor(route);
    expect(refused.size).toBe(8);
    for (const { location, place } of placementsOf(route)) {
      expect((await call(route, place(good))).status, location).toBe(servedOf(route));
      for (const [kind, token] of refused) {
        expectRefused(route, await call(route, place(token)), `${kind}, ${location}`);
      }
    }
  },
);

test.each(callerRoutes)("$path uses the first location that has a token, valid or not", async (route) => {
  const placements = placementsOf(route);
  for (const [index, first] of placements.entries()) {
    for (const second of placements.slice(index + 1)) {
      const about = `${first.location} before ${second.location}`;
      for (const [kind, token] of bad) {
        expectRefused(route, await call(route, first.place(token), second.place(good)), `${kind}, ${about}`);
      }
      expectRefused(route, await call(route, first.place(""), second.place(good)), `empty, ${about}`);
      const expired = bad.get("expired")!;
      expect((await call(route, first.place(good), second.place(expired))).status, about).toBe(
        servedOf(route),
      );
    }
  }
});

test.each(callerRoutes)("$path refuses a caller without a token as one without a token", async (route) => {
  const answer = await call(route);
  const words = "Unauthorized: missing JWT";
  expect([answer.status, answer.body]).toEqual([401, route.toRefusal?.(words) ?? { error: words }]);
});

test.each(callerRoutes)("$path accepts a cookie only where no other site sent it", async (route) => {
  for (const { location, place } of placementsOf(route)) {
    const headers = { "sec-fetch-site": "cross-site", origin: "https://elsewhere.example" };
    const answer = await call(route, place(good), { headers });
    if (route.checksEveryOrigin) {
      expect(answer.status, location).toBe(403);
      continue;
    }
    if (!location.startsWith("cookie")) {
      expect(answer.status, location).toBe(servedOf(route));
      continue;
    }
    const words = "Cross-site request refused";
    expect([answer.status, answer.body], location).toEqual([
      403,
      route.toRefusal?.(words) ?? { error: words },
    ]);
  }
});

test("chat and speech treat an invalid token as anonymous where none is required, other routes refuse it", async () => {
  const open = await startBeside({});
  const basic = { headers: { authorization: "Basic cHJveHk6cGFzc3dvcmQ=" } };
  const foreign = { headers: { "sec-fetch-site": "cross-site", origin: "https://elsewhere.example" } };
  for (const route of callerRoutes) {
    const [cookie] = tokenPlacements.filter(({ location }) => location.startsWith("cookie"));
    const bads: (readonly [string, readonly Partial<PlacedToken>[]])[] = [
      ["a proxy's Basic authorization", [basic]],
      ["a proxy's Basic authorization before a good cookie", [basic, cookie!.place(good)]],
    ];
    for (const [kind, token] of await badTokensFor(route)) bads.push([kind, [cookie!.place(token)]]);
    for (const { location, place } of placementsOf(route)) bads.push([location, [place("nonsense")]]);
    for (const [about, parts] of bads) {
      const answer = await callAt(open, route, parts);
      if (route.servesStrangers) expect(answer.status, `${route.path}, ${about}`).toBe(servedOf(route));
      else expectRefused(route, answer, about);
    }
    const crossSite = await callAt(open, route, [cookie!.place(good), foreign]);
    expect(crossSite.status, route.path).toBe(route.servesStrangers ? servedOf(route) : 403);
  }
});

test("a token that is not a text is invalid, and a body that cannot hold one has none", async () => {
  const open = await startBeside({});
  const badBodies = [5, true, {}, ["a"], [good]].flatMap((jwt) => [{ jwt }, { data: { jwt } }]);
  const emptyBodies = [{ data: [1] }, { data: "x" }, { data: 5 }, { data: {} }, { jwt: null, data: null }];
  for (const route of callerRoutes.filter(({ json }) => json)) {
    for (const body of badBodies) {
      const about = `${route.path}, ${JSON.stringify(body)}`;
      expectRefused(route, await call(route, { body }), about);
      const answer = await callAt(open, route, [{ body }]);
      if (route.servesStrangers) expect(answer.status, about).toBe(200);
      else expectRefused(route, answer, about);
    }
    for (const body of emptyBodies) {
      const about = `${route.path}, ${JSON.stringify(body)}`;
      const words = "Unauthorized: missing JWT";
      const { status, body: refused } = await call(route, { body });
      expect([status, refused], about).toEqual([401, route.toRefusal?.(words) ?? { error: words }]);
      expect((await callAt(open, route, [{ body }])).status, about).toBe(200);
    }
  }
});

test("a chain outage is 503 where a token counts, and makes the caller anonymous where none is required", async () => {
  const away = { RPC_URL: "http://127.0.0.1:9" };
  const [required, open] = await Promise.all([startBeside({ ...away, ...quotaOn }), startBeside(away)]);
  const [{ place }] = tokenPlacements as [(typeof tokenPlacements)[number]];
  for (const route of callerRoutes) {
    for (const at of [required, open]) {
      const answer = await callAt(at, route, [place(good)]);
      if (at === open && route.servesStrangers) expect(answer.status, route.path).toBe(servedOf(route));
      else {
        expect([answer.status, answer.headers.get("retry-after")], route.path).toEqual([503, "5"]);
        const { error } = answer.body;
        if (route.toRefusal)
          expect(error).toMatchObject({ code: -32000, message: expect.stringContaining("blockchain") });
        else expect(error).toBe("Chain unavailable");
      }
      // A token that is invalid by itself is refused without the chain.
      const expired = await callAt(at, route, [place(bad.get("expired")!)]);
      expect(expired.status, route.path).toBe(at === open && route.servesStrangers ? servedOf(route) : 401);
    }
  }
}, 60_000);

test("no token, valid or not, is in the log", async () => {
  for (const token of [good, ...bad.values()]) {
    const secret = token.split(".").at(-1)!;
    if (token.includes(".")) expect(gate.server.output()).not.toContain(secret);
  }
  expect(gate.server.output()).toContain('"route":"/api/chat"');
});
