import { createHash } from "node:crypto";
import { decodeJwt, decodeProtectedHeader } from "jose";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { limitsOff } from "~e2e/support/limits";
import { waitUntil } from "~e2e/support/processes";
import { startServer } from "~e2e/support/running-server";
import { signInNew } from "./chat-fixture";
import { asPage, asScript, cookieSetBy, forwardedFor, notes, openDoorClient, wiki } from "./door-fixture";
import { openGate } from "./gate-fixture";
import type { Answer, Gate } from "./gate-fixture";
import { signInAsOperator } from "~e2e/support/operator-session";

const operatorSecret = "Qm7rV2kXw9TzLc4H";

let gate: Gate;
let door: ReturnType<typeof openDoorClient>;
beforeAll(async () => {
  const sites = { DOOR_HOSTS: `${wiki}, ${notes}`, TRUST_PROXY: "loopback" };
  const env = { ...limitsOff, ...sites, OPERATOR_SECRET: operatorSecret };
  gate = await openGate({ env });
  door = openDoorClient(gate);
});
afterAll(() => gate.close());

function slugOf({ body }: Pick<Answer, "body">): string {
  return String(body.type).split("/problems/")[1] ?? "";
}
const valueOf = (cookie: string) => cookie.slice(cookie.indexOf("=") + 1);
const otherKind = { ...asScript, Authorization: "Bearer nonsense" };

test("a visitor with a key of the site is let in, by name, and nobody else is", async () => {
  const { account, tokenId, token } = await signInNew(gate);
  const cookie = await door.letIn(token, { to: "/page?id=1&of=2" });
  const answer = await door.question({ cookie: `theme=dark; ${cookie}`, path: "/page?id=1" });
  expect(answer.status).toBe(200);
  expect(answer.body).toEqual({ text: "" });
  const told = [
    "remote-user",
    "remote-groups",
    "x-latchkey-key",
    "x-latchkey-vault",
    "cache-control",
    "vary",
  ];
  expect(told.map((name) => answer.headers.get(name))).toEqual([
    account.address.toLowerCase(),
    "key",
    `key:${tokenId}`,
    null,
    "private, max-age=4",
    "Cookie",
  ]);
  for (const name of ["access-control-allow-origin", "strict-transport-security", "set-cookie"]) {
    expect(answer.headers.get(name)).toBeNull();
  }
  const head = await door.send("/api/door", { ...forwardedFor(wiki), ...asPage, Cookie: cookie }, "HEAD");
  expect(head.status).toBe(200);
  expect(told.map((name) => head.headers.get(name))).toEqual(told.map((name) => answer.headers.get(name)));
});

test("the site's token is one of its own type, for this site, and goes back to the session's proof", async () => {
  const { account, tokenId, token } = await signInNew(gate);
  const value = valueOf(await door.letIn(token));
  expect(decodeProtectedHeader(value).typ).toBe("door+jwt");
  const claims = decodeJwt(value);
  const session = decodeJwt(token);
  expect(claims).toMatchObject({
    aud: wiki,
    kind: "door",
    sub: account.address.toLowerCase(),
    tokenId,
    sid: session.siwe_hash,
  });
  expect(claims).not.toHaveProperty("scopes");
  expect(claims.exp! - claims.iat!).toBe(900);
});

test("going on to a site renews the session for one token's life, so that it lasts as long as the site's token", async () => {
  const { token } = await signInNew(gate);
  const { cookie, order } = await door.start("/");
  const byPage = { ...asPage, Cookie: `access_token=${token}` };
  const gatePath = `/gate?${new URLSearchParams(order).toString()}`;
  const led = await door.send(gatePath, byPage);
  const { pathname, search } = new URL(led.location);
  const entered = await door.visit(`${pathname}${search}`, { cookie });
  const site = decodeJwt(valueOf(cookieSetBy(entered)));
  const answers = [led, await door.goOn(token, order)];
  for (const answer of answers) {
    const [written] = answer.headers.getSetCookie();
    expect(written).toMatch(/^access_token=[^;]+; Path=\/; Max-Age=(?:89\d|900); HttpOnly; SameSite=Strict$/);
    const session = decodeJwt(valueOf(cookieSetBy(answer)));
    expect(session.exp! - session.iat!).toBe(900);
    expect(session.exp!).toBeGreaterThanOrEqual(site.exp!);
    expect(session.siwe_hash).toBe(site.sid);
  }
  const again = await door.send(gatePath, { ...asPage, Cookie: cookieSetBy(answers[1]!) });
  expect([again.status, new URL(again.location).pathname]).toEqual([302, "/.latchkey/enter"]);
});

test("the cookies of the way in are the site's alone", async () => {
  const { token } = await signInNew(gate);
  const begun = await door.start("/");
  const flags = "Path=/; Max-Age=600; HttpOnly; SameSite=Lax; Secure";
  expect(begun.answer.headers.getSetCookie()).toEqual([`${begun.cookie}; ${flags}`]);
  expect(begun.cookie).toMatch(/^__Host-latchkey-start=[A-Za-z0-9_-]{22}$/);
  const start = createHash("sha256").update(valueOf(begun.cookie)).digest("base64url");
  expect(begun.order).toEqual({ door: `https://${wiki}/`, start });
  const { startCookie, enterPath } = await door.beginWayIn(token);
  const entered = await door.visit(enterPath, { cookie: startCookie });
  const [written] = entered.headers.getSetCookie();
  expect(written).toMatch(
    /^__Host-latchkey-door=[\w.-]+; Path=\/; Max-Age=(?:89\d|900); HttpOnly; SameSite=Lax; Secure$/,
  );
  expect(entered.headers.get("cache-control")).toBe("no-store");
  expect(entered.headers.get("referrer-policy")).toBe("no-referrer");
});

test("a start that is still good is kept, so that two tabs do not undo each other", async () => {
  const { token } = await signInNew(gate);
  const first = await door.start("/first");
  const second = await door.start("/second", { cookie: first.cookie });
  expect([second.cookie, second.order.start]).toEqual([first.cookie, first.order.start]);
  for (const { order } of [second, first]) {
    const { body } = await door.goOn(token, order);
    const { pathname, search } = new URL(body.goTo as string);
    const entered = await door.visit(`${pathname}${search}`, { cookie: first.cookie });
    expect(entered.status).toBe(302);
  }
});

test("a deep link comes back to exactly that address", async () => {
  const { token } = await signInNew(gate);
  for (const [path, back = path] of [
    ["/notes/tide%20tables?of=the%2Fharbour&day=2"],
    ["/search?q=C:\\Users", "/search?q=C:%5CUsers"],
    ["/%C3%80?q=%5C&r=%E2%82%AC+%2B()!*~"],
  ] as const) {
    const led = await door.question({ path });
    const { pathname, search } = new URL(led.location);
    const begun = await door.visit(`${pathname}${search}`);
    const { searchParams } = new URL(begun.location);
    const order = { door: searchParams.get("door")!, start: searchParams.get("start")! };
    const { body } = await door.goOn(token, order);
    const goTo = new URL(String(body.goTo));
    const entered = await door.visit(`${goTo.pathname}${goTo.search}`, { cookie: cookieSetBy(begun) });
    expect([entered.status, entered.location]).toEqual([302, back]);
  }
});

test("who has no cookie is led in where a page was asked for, and told otherwise", async () => {
  const path = "/page?id=1&to=2#no";
  const page = await door.question({ path });
  expect([page.status, page.location]).toEqual([
    302,
    `https://${wiki}/.latchkey/start?to=/page?id=1%26to=2%23no`.replace("?id", "?id"),
  ]);
  const status = await door.question({ path, query: "?answer=status" });
  expect([status.status, status.location, slugOf(status)]).toEqual([401, page.location, "door-closed"]);
  const script = await door.question({ path, headers: otherKind });
  expect([script.status, script.location, slugOf(script)]).toEqual([401, "", "door-closed"]);
  const posted = await door.send("/api/door?answer=status", {
    ...forwardedFor(wiki, { method: "POST" }),
    ...asPage,
  });
  expect([posted.status, posted.location]).toEqual([401, ""]);
  for (const answer of [page, status, script, posted]) {
    expect(answer.headers.get("cache-control")).toBe("no-store");
  }
});

test("a cookie that is good for nothing here is as none, and is taken back", async () => {
  const { token } = await signInNew(gate);
  const cookie = await door.letIn(token);
  const elsewhere = await door.question({ host: notes, cookie });
  expect([elsewhere.status, elsewhere.headers.getSetCookie()]).toEqual([
    302,
    ["__Host-latchkey-door=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax; Secure"],
  ]);
  const script = await door.question({ host: notes, cookie, headers: asScript });
  expect([script.status, script.headers.getSetCookie()]).toEqual([401, elsewhere.headers.getSetCookie()]);
  const forged = `${cookie.slice(0, -4)}AAAA`;
  for (const bad of [forged, `__Host-latchkey-door=${token}`, "__Host-latchkey-door=nonsense"]) {
    expect((await door.question({ cookie: bad })).status, bad).toBe(302);
  }
  const values = [`access_token=${valueOf(cookie)}`, `latchkey-door-443=${valueOf(cookie)}`];
  for (const other of values) expect((await door.question({ cookie: other })).status).toBe(302);
  const elsewhereSent = await door.question({
    query: `?jwt=${valueOf(cookie)}`,
    headers: { ...asPage, Authorization: `Bearer ${valueOf(cookie)}` },
  });
  expect(elsewhereSent.status).toBe(302);
});

test("a door's token opens nothing but its door", async () => {
  const { token } = await signInNew(gate);
  const value = valueOf(await door.letIn(token));
  const bearer = { Authorization: `Bearer ${value}` };
  expect((await gate.post("/api/gate-access", undefined, bearer)).status).toBe(401);
  expect((await gate.ask({ path: "/api/quota", headers: bearer })).status).toBe(401);
  expect((await gate.ask({ path: "/session", method: "POST", headers: bearer })).status).toBe(401);
  const session = await gate.ask({ path: "/session", headers: { Cookie: `access_token=${value}` } });
  expect(session.body).toMatchObject({ signedIn: false, ended: { status: 401 } });
  const { order } = await door.start("/");
  expect((await door.goOn(value, order)).status).toBe(401);
});

test("other methods are refused, OPTIONS too, which a proxy could take for a yes", async () => {
  const { token } = await signInNew(gate);
  const cookie = await door.letIn(token);
  for (const method of ["POST", "PUT", "DELETE", "OPTIONS", "PATCH"]) {
    const headers = { ...forwardedFor(wiki), Cookie: cookie };
    const answer = await door.send("/api/door", headers, method);
    expect([answer.status, answer.headers.get("allow")], method).toEqual([405, "GET, HEAD"]);
  }
});

test("a key that has left the wallet closes every site within one poll", async () => {
  const { account, tokenId, token } = await signInNew(gate);
  const cookies = [
    { host: wiki, cookie: await door.letIn(token) },
    { host: notes, cookie: await door.letIn(token, { host: notes }) },
  ];
  for (const site of cookies) expect((await door.question(site)).status).toBe(200);
  const other = await gate.rich();
  await gate.transferKey({ from: account, to: other.address, tokenId });
  await waitUntil(
    async () => {
      const answers = await Promise.all(cookies.map((site) => door.question(site)));
      return answers.every(({ status }) => status === 302);
    },
    { timeoutMs: 8_000, everyMs: 100 },
  );
  // A returned key doesn't revive its tokens.
  await gate.transferKey({ from: other, to: account.address, tokenId });
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  for (const site of cookies) expect((await door.question(site)).status).toBe(302);
});

test("signing out at the gate ends every site, codes under way and copies of the session", async () => {
  const { token } = await signInNew(gate);
  const cookies = [
    { host: wiki, cookie: await door.letIn(token) },
    { host: notes, cookie: await door.letIn(token, { host: notes }) },
  ];
  const pending = await door.beginWayIn(token);
  const headers = { Cookie: `access_token=${token}` };
  expect((await gate.ask({ path: "/session", method: "DELETE", headers })).status).toBe(200);
  for (const site of cookies) {
    const answer = await door.question(site);
    expect([answer.status, cookieSetBy(answer)]).toEqual([302, ""]);
  }
  const late = await door.visit(pending.enterPath, { cookie: pending.startCookie });
  expect((await door.question({ cookie: cookieSetBy(late) })).status).toBe(302);
  const { order } = await door.start("/");
  expect((await door.goOn(token, order)).status).toBe(401);
  expect((await gate.post("/session", { renew: true }, headers)).status).toBe(401);
});

test("the operator's record says who went on to which site, by the session or by the page, and who did not", async () => {
  const { account, token } = await signInNew(gate);
  await door.letIn(token);
  const { order } = await door.start("/page", { host: notes });
  const byPage = await door.send(`/gate?${new URLSearchParams(order).toString()}`, {
    ...asPage,
    Cookie: `access_token=${token}`,
  });
  expect(byPage.status).toBe(302);
  const refused = await door.goOn("", order);
  expect(refused.status).toBe(401);

  const headers = { Cookie: await signInAsOperator({ origin: gate.origin, secret: operatorSecret }) };
  const read = async (path: string) => await (await fetch(`${gate.origin}${path}`, { headers })).text();
  const rowsOf = async (site: string) => {
    const text = await read(`/operator/export/decisions?format=json&site=${encodeURIComponent(site)}`);
    return JSON.parse(text) as Record<string, unknown>[];
  };
  const who = { address: account.address.toLowerCase(), outcome: "granted", slug: null };
  expect((await rowsOf(wiki)).at(-1)).toMatchObject({ ...who, site: wiki, route: "/session" });
  expect((await rowsOf(notes)).slice(-2)).toMatchObject([
    { ...who, site: notes, route: "/gate" },
    { address: null, outcome: "refused", slug: slugOf(refused), site: notes, route: "/session" },
  ]);
  const page = await read(`/operator/decisions?site=${wiki}`);
  expect(page).toContain(`data-label="Site" class="operator-cell-text">${wiki}<`);
  expect(page).not.toContain(`>${notes}<`);
});

test("while the chain is away and nothing of it was read, nobody is let in or turned away", async () => {
  const { token } = await signInNew(gate);
  const server = await startServer({
    env: {
      ...limitsOff,
      RPC_URL: "http://127.0.0.1:9",
      KEY_CONTRACT_ADDRESS: gate.contract,
      DOOR_HOSTS: wiki,
      TRUST_PROXY: "loopback",
      JWT_ISS: gate.origin,
      JWT_AUD: gate.domain,
    },
  });
  onTestFinished(async () => void (await server.stop()));
  const cookie = await door.letIn(token);
  const answer = await openDoorClient(server).question({ cookie });
  expect([answer.status, slugOf(answer), answer.location]).toEqual([503, "chain-unavailable", ""]);
  expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
  expect([answer.headers.get("cache-control"), answer.headers.getSetCookie()]).toEqual(["no-store", []]);
});

test("without sites nothing of the door is there", async () => {
  const server = await startServer({
    env: { ...limitsOff, RPC_URL: gate.chain.rpcUrl, KEY_CONTRACT_ADDRESS: gate.contract },
  });
  onTestFinished(async () => void (await server.stop()));
  const off = openDoorClient(server);
  expect((await off.question()).status).toBe(404);
  for (const path of ["start", "enter", "leave"]) {
    expect((await off.visit(`/.latchkey/${path}`)).status).toBe(404);
  }
  const { token } = await signInNew(gate);
  const order = { door: `https://${wiki}/`, start: "A".repeat(43) };
  expect((await off.goOn(token, order)).status).toBe(400);
});
