import { decodeJwt } from "jose";
import { privateKeyToAccount, generatePrivateKey } from "viem/accounts";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { waitUntil } from "~e2e/support/processes";
import { startServer } from "~e2e/support/running-server";
import { limitsOff } from "~e2e/support/limits";
import { quotaOn, signInNew } from "./chat-fixture";
import { clientOf, openGate } from "./gate-fixture";
import type { Answer, Gate } from "./gate-fixture";

const minuteMs = 60_000;

let gate: Gate;
beforeAll(async () => {
  gate = await openGate({
    env: { ...limitsOff, ...quotaOn, RATE_LIMIT_SESSION: "0", SESSION_MAX_SECONDS: "600" },
  });
});
afterAll(() => gate.close());

const path = "/session";
type At = Pick<Gate, "ask" | "signIn" | "siweBody" | "post">;

function slugOf({ body }: Answer): string {
  return String(body.type).split("/problems/")[1] ?? "";
}

function cookieOf({ headers }: Answer): { value: string; flags: string[] } {
  const [written] = headers.getSetCookie();
  const [pair, ...flags] = (written ?? "").split("; ");
  expect(pair).toMatch(/^access_token=/);
  return { value: pair!.slice("access_token=".length), flags };
}

const inCookie = (token: string) => ({ cookie: `access_token=${token}` });
const inHeader = (token: string) => ({ Authorization: `Bearer ${token}` });
const start = (token: string, { at = gate as At, headers = {} as Record<string, string> } = {}) =>
  at.ask({ path, method: "POST", headers: { ...inHeader(token), ...headers } });
const read = (token: string, at: At = gate) => at.ask({ path, headers: inCookie(token) });
const renew = (token: string, at: At = gate) => at.post(path, { renew: true }, inCookie(token));
const open = (token: string) => gate.post(path, { open: true }, inCookie(token));

test("a fresh token becomes the cookie, which opens the room and identifies its holder", async () => {
  const { account, tokenId, token } = await signInNew(gate);
  const kept = await start(token);
  const { value, flags } = cookieOf(kept);
  expect(value).toBe(token);
  const [maxAge] = flags.splice(1, 1);
  expect(flags).toEqual(["Path=/", "HttpOnly", "SameSite=Strict"]);
  const secondsLeft = kept.body.secondsLeft as number;
  expect(maxAge).toBe(`Max-Age=${secondsLeft}`);
  expect(secondsLeft).toBeGreaterThan(880);
  expect(secondsLeft).toBeLessThanOrEqual(900);
  expect(kept.headers.get("cache-control")).toContain("no-store");
  expect(JSON.stringify(kept.body)).not.toContain(token);

  const { exp, siwe } = decodeJwt<{ siwe: { issuedAt: string } }>(token);
  const session = await read(token);
  expect(session.body).toMatchObject({
    signedIn: true,
    tokenId,
    address: account.address.toLowerCase(),
    expiresAt: new Date(exp! * 1000).toISOString(),
    renewableUntil: new Date((Math.floor(Date.parse(siwe.issuedAt) / 1000) + 600) * 1000).toISOString(),
  });
  expect(session.headers.getSetCookie()).toEqual([]);

  const opened = await open(token);
  const direct = await gate.ask({ path: "/api/gate-access", method: "POST", headers: inHeader(token) });
  expect([opened.status, Object.keys(opened.body)]).toEqual([200, Object.keys(direct.body)]);
  expect(opened.body.content).toMatchObject({
    welcomeText: (direct.body.content as { welcomeText: string }).welcomeText,
  });
  expect((await gate.ask({ path: "/api/quota", headers: inCookie(token) })).status).toBe(200);
});

test("the cookie is for HTTPS only where the site is", async () => {
  const server = await startServer({
    env: {
      ...limitsOff,
      RPC_URL: gate.chain.rpcUrl,
      KEY_CONTRACT_ADDRESS: gate.contract,
      NEXT_PUBLIC_DOMAIN: "gate.example",
      PUBLIC_ORIGIN: "https://gate.example",
    },
  });
  onTestFinished(async () => void (await server.stop()));
  const { flags } = cookieOf(await clientOf(server).ask({ path, method: "DELETE" }));
  expect(flags).toEqual(["Path=/", "Max-Age=0", "HttpOnly", "SameSite=Strict", "Secure"]);
});

test("an invalid token is refused and sets no cookie", async () => {
  const { token } = await signInNew(gate);
  const forged = `${token.slice(0, -4)}AAAA`;
  for (const headers of [{}, inHeader(forged), { Authorization: token }] as Record<string, string>[]) {
    const answer = await gate.ask({ path, method: "POST", headers });
    expect([answer.status, slugOf(answer)]).toEqual([401, "authentication-failed"]);
    expect(answer.headers.getSetCookie()).toEqual([]);
  }
  for (const ask of [open, renew]) {
    for (const bad of [forged, "nonsense", ""]) expect((await ask(bad)).status).toBe(401);
  }
  expect((await gate.ask({ path })).body).toEqual({ signedIn: false });
  expect((await read(forged)).body).toMatchObject({ signedIn: false, ended: { status: 401 } });
  for (const body of [{ open: true, renew: true }, { open: false }, { other: 1 }, []]) {
    expect((await gate.post(path, body, inCookie(token))).status, JSON.stringify(body)).toBe(400);
  }
});

test("other sites cannot begin, read, use, renew or end a session", async () => {
  const { token } = await signInNew(gate);
  const own = { ...inCookie(token), ...inHeader(token) };
  for (const from of [
    { "sec-fetch-site": "cross-site" },
    { "sec-fetch-site": "same-site" },
    { origin: "https://evil.example" },
    { origin: "null" },
    { "sec-fetch-site": "cross-site", origin: gate.origin },
  ] as Record<string, string>[]) {
    const headers = { ...own, ...from };
    for (const answer of [
      await gate.ask({ path, headers }),
      await gate.ask({ path, method: "POST", headers }),
      await gate.post(path, { open: true }, headers),
      await gate.post(path, { renew: true }, headers),
      await gate.ask({ path, method: "DELETE", headers }),
    ]) {
      expect([answer.status, slugOf(answer)]).toEqual([403, "cross-site-request"]);
      expect(answer.headers.getSetCookie()).toEqual([]);
    }
  }
  const page = { "sec-fetch-site": "same-origin", origin: gate.origin };
  expect((await start(token, { headers: page })).status).toBe(200);
});

test("a renewal makes a younger token of the same proof, without a signature, never beyond the limit", async () => {
  const { token } = await signInNew(gate);
  // Its 900 seconds exceed the 600 for which a signature may be renewed, so it is kept unchanged.
  expect(cookieOf(await renew(token)).value).toBe(token);

  const server = await startServer({
    env: { ...limitsOff, RPC_URL: gate.chain.rpcUrl, KEY_CONTRACT_ADDRESS: gate.contract },
  });
  onTestFinished(async () => void (await server.stop()));
  const at = clientOf(server);
  const { token: first } = await signInNew(gate, at);
  const answers = await Promise.all(Array.from({ length: 10 }, () => renew(first, at)));
  const tokens = answers.map((answer) => cookieOf(answer).value);
  expect(new Set([...tokens, first]).size).toBe(11);
  const before = decodeJwt(first);
  for (const renewed of tokens) {
    const after = decodeJwt(renewed);
    expect({ ...after, jti: before.jti, iat: before.iat, exp: before.exp }).toEqual(before);
    expect(after.iat).toBeGreaterThanOrEqual(before.iat!);
    expect(after.exp! - after.iat!).toBe(900);
    expect((await read(renewed, at)).body).toMatchObject({ signedIn: true, isRenewable: true });
  }
});

test("a renewal is refused once the signature has expired, or too little of it is left for a token", async () => {
  const holder = await gate.mintKey();
  async function signInSigned(agoMs: number) {
    const fields = { issuedAt: new Date(Date.now() - agoMs).toISOString() };
    const answer = await gate.post("/api/gate-access", await gate.siweBody({ ...holder, fields }));
    return String(answer.body.accessToken);
  }
  expect((await renew(await signInSigned(4 * minuteMs))).status).toBe(200);
  const old = await signInSigned(6 * minuteMs);
  expect((await read(old)).body).toMatchObject({ signedIn: true, isRenewable: false });
  const over = await renew(old);
  expect([over.status, slugOf(over)]).toEqual([401, "authentication-failed"]);
  expect(over.body.detail).toContain("as long as one signature allows");
  expect(over.headers.getSetCookie()).toEqual([]);
});

/** Routes that open the gate name the key's problem. For others, the token is invalid. */
async function expectEnded(token: string, slug: string): Promise<void> {
  const opened = await open(token);
  expect([opened.status, slugOf(opened)]).toEqual([403, slug]);
  for (const ask of [start, renew]) {
    const answer = await ask(token);
    expect([answer.status, slugOf(answer)]).toEqual([401, "authentication-failed"]);
    expect(answer.headers.get("www-authenticate")).toBe('Bearer realm="latchkey", error="invalid_token"');
    expect(answer.headers.getSetCookie()).toEqual([]);
  }
}

test("a key that leaves the wallet ends the session within seconds, with the reason, and for good", async () => {
  const { account, tokenId, token } = await signInNew(gate);
  expect((await read(token)).body).toMatchObject({ signedIn: true });
  const other = await gate.rich();
  await gate.transferKey({ from: account, to: other.address, tokenId });
  await waitUntil(async () => (await read(token)).body.signedIn === false);
  expect((await read(token)).body).toMatchObject({
    ended: { type: `${gate.origin}/problems/you-do-not-own-this-token`, status: 403 },
  });
  await expectEnded(token, "you-do-not-own-this-token");

  await gate.transferKey({ from: other, to: account.address, tokenId });
  await waitUntil(async () => {
    const { body } = await read(token);
    return String((body.ended as { detail?: string }).detail).includes("after this access token was made");
  });
  await expectEnded(token, "you-do-not-own-this-token");
});

test("a renewal asks the chain itself, however recently it was asked", async () => {
  const { account, tokenId, token } = await signInNew(gate);
  expect((await open(token)).status).toBe(200);
  await gate.transferKey({ from: account, to: privateKeyToAccount(generatePrivateKey()).address, tokenId });
  expect((await renew(token)).status).toBe(401);
});

test("a used-up key ends the session at once, for concurrent renewals too", async () => {
  const { account, tokenId, token } = await signInNew(gate);
  const form = await gate.formBody({ account, tokenId, message: "Once." });
  const [used, ...renewals] = await Promise.all([
    gate.post("/api/form-submission-gate", form),
    ...Array.from({ length: 5 }, () => renew(token)),
  ]);
  expect(used.status).toBe(200);
  const tokens = renewals.flatMap((answer) => (answer.status === 200 ? [cookieOf(answer).value] : []));
  for (const left of [token, ...tokens]) {
    expect((await read(left)).body).toMatchObject({
      signedIn: false,
      ended: { type: `${gate.origin}/problems/this-token-has-already-been-used` },
    });
    await expectEnded(left, "this-token-has-already-been-used");
  }
});

test("signing out clears the cookie, with or without a session", async () => {
  const { token } = await signInNew(gate);
  for (const headers of [{}, inCookie(token), inCookie("nonsense")] as Record<string, string>[]) {
    const answer = await gate.ask({ path, method: "DELETE", headers });
    expect([answer.status, answer.body]).toEqual([200, { signedIn: false }]);
    expect(cookieOf(answer)).toEqual({
      value: "",
      flags: ["Path=/", "Max-Age=0", "HttpOnly", "SameSite=Strict"],
    });
  }
});

test("a chain outage ends no session", async () => {
  const { token } = await signInNew(gate);
  // Has this gate's place and key, but an unreachable chain.
  const secret = "one-secret-of-both-servers-of-this-test";
  const env = { ...limitsOff, JWT_SECRET: secret, KEY_CONTRACT_ADDRESS: gate.contract };
  const shared = { ...env, JWT_ISS: gate.origin, JWT_AUD: "gate.example" };
  const [near, away] = await Promise.all([
    startServer({ env: { ...shared, RPC_URL: gate.chain.rpcUrl } }),
    startServer({ env: { ...shared, RPC_URL: "http://127.0.0.1:9" } }),
  ]);
  onTestFinished(async () => void (await Promise.all([near.stop(), away.stop()])));
  const { token: known } = await signInNew(gate, clientOf(near));
  expect((await read(known, clientOf(near))).body).toMatchObject({ signedIn: true });
  const answer = await read(known, clientOf(away));
  expect([answer.status, slugOf(answer)]).toEqual([503, "chain-unavailable"]);
  expect(answer.headers.getSetCookie()).toEqual([]);
  expect((await read(token)).status).toBe(200);
});

test("sign-ins, sessions, the page, and reading and ending a session together have their own limits", async () => {
  const limited = await startServer({
    env: {
      RPC_URL: gate.chain.rpcUrl,
      KEY_CONTRACT_ADDRESS: gate.contract,
      RATE_LIMIT_GATE_ACCESS: "1/600",
      RATE_LIMIT_SESSION_ENTER: "2/600",
      RATE_LIMIT_SESSION: "3/600",
      RATE_LIMIT_TOKEN_STATUS: "1/600",
      RATE_LIMIT_PAGES: "4/600",
    },
  });
  onTestFinished(async () => void (await limited.stop()));
  const { ask, post } = clientOf(limited);
  const visitor = { cookie: "access_token=aaa.bbb.ccc" };
  const look = async (headers: Record<string, string>) =>
    (await ask({ path: "/gate?lookup=1", headers })).status;
  for (const headers of [visitor, {}, visitor, {}]) expect(await look(headers)).toBe(200);
  expect(await look(visitor)).toBe(429);

  const statusesOf = async (count: number, send: () => Promise<Answer>) => {
    const statuses: number[] = [];
    for (let round = 0; round < count; round++) statuses.push((await send()).status);
    return statuses;
  };
  expect(await statusesOf(2, () => ask({ path: "/api/token-status/1" }))).toEqual([200, 429]);
  expect(await statusesOf(2, () => post("/api/gate-access", {}))).toEqual([401, 429]);
  expect(await statusesOf(3, () => post(path, { renew: true }))).toEqual([401, 401, 429]);
  expect(await statusesOf(2, () => ask({ path }))).toEqual([200, 200]);
  expect(await statusesOf(2, () => ask({ path, method: "DELETE" }))).toEqual([200, 429]);
});
