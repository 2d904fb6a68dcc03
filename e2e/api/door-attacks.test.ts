import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { limitsOff } from "~e2e/support/limits";
import { startServer } from "~e2e/support/running-server";
import { signInNew } from "./chat-fixture";
import { asPage, asScript, cookieSetBy, forwardedFor, notes, openDoorClient, wiki } from "./door-fixture";
import { openGate } from "./gate-fixture";
import type { Answer, Gate } from "./gate-fixture";
import { sendRaw } from "./raw-http";

let gate: Gate;
let door: ReturnType<typeof openDoorClient>;
beforeAll(async () => {
  const DOOR_HOSTS = `${wiki}, ${notes}, localhost:8080, localhost:8081`;
  gate = await openGate({ env: { ...limitsOff, DOOR_HOSTS, TRUST_PROXY: "loopback" } });
  door = openDoorClient(gate);
});
afterAll(() => gate.close());

function slugOf({ body }: Pick<Answer, "body">): string {
  return String(body.type).split("/problems/")[1] ?? "";
}

/** The link target of our page on a site. */
function linkOf({ body }: Pick<Answer, "body">): string | undefined {
  return /<a href="([^"]*)"/.exec(String(body.text))?.[1];
}

async function expectEntered(enterPath: string, cookie: string, host = wiki): Promise<void> {
  const entered = await door.visit(enterPath, { host, cookie });
  expect([entered.status, cookieSetBy(entered)]).toEqual([302, expect.stringContaining("-door=")]);
}

async function expectClosed(enterPath: string, visit: Parameters<typeof door.visit>[1]): Promise<void> {
  const answer = await door.visit(enterPath, visit);
  expect([answer.status, cookieSetBy(answer), answer.location]).toEqual([400, "", ""]);
  expect(answer.headers.get("content-type")).toContain("text/html");
  const html = String(answer.body.text);
  expect(html).toContain('href="/.latchkey/start?to=');
  // The site's own files are behind the door, and its scripts are not ours.
  expect(html).not.toMatch(/<script|<link|<img|\bsrc=|https?:/);
  const policy = answer.headers.get("content-security-policy");
  expect(policy).toMatch(/^default-src 'none'; style-src 'sha256-[^']+'; .*frame-ancestors 'none'$/);
  expect(["cache-control", "referrer-policy"].map((name) => answer.headers.get(name))).toEqual([
    ...["no-store", "no-referrer"],
  ]);
}

test("a code is good once, on its site, in its browser, and nobody else uses it up", async () => {
  const { token } = await signInNew(gate);
  const { startCookie, enterPath } = await door.beginWayIn(token, { to: "/page" });
  const stranger = await door.start("/page");
  await expectClosed(enterPath, { cookie: stranger.cookie });
  await expectClosed(enterPath, { cookie: "" });
  await expectClosed(enterPath, { cookie: startCookie, host: notes });
  await expectClosed(enterPath.replace(/code=[^&]*/, "code=AAAAAAAAAAAAAAAAAAAAAA"), {
    cookie: startCookie,
  });
  await expectClosed(enterPath.replace(/code=[^&]*/, ""), { cookie: startCookie });
  const head = await door.visit(enterPath, { cookie: startCookie, method: "HEAD" });
  expect([head.status, cookieSetBy(head)]).toEqual([200, ""]);
  await expectEntered(enterPath, startCookie);
  await expectClosed(enterPath, { cookie: startCookie });
});

test("a window whose code was used leads to its page where another window was let in, and else to the start", async () => {
  const { token } = await signInNew(gate);
  const { startCookie, enterPath } = await door.beginWayIn(token, { to: "/page" });
  const cookie = cookieSetBy(await door.visit(enterPath, { cookie: startCookie }));
  const late = async (cookies: string) => linkOf(await door.visit(enterPath, { cookie: cookies }));
  expect(await late(`${startCookie}; ${cookie}`)).toBe("/page");
  expect(await late(startCookie)).toBe("/.latchkey/start?to=%2Fpage");
});

test("of many who bring the same code at once, one is let in", async () => {
  const { token } = await signInNew(gate);
  const { startCookie, enterPath } = await door.beginWayIn(token);
  const answers = await Promise.all(
    Array.from({ length: 30 }, () => door.visit(enterPath, { cookie: startCookie })),
  );
  const statuses = answers.map(({ status }) => status).sort();
  expect(statuses).toEqual([302, ...Array.from({ length: 29 }, () => 400)]);
});

test("nobody can be let in with another's key: the code is for the browser that began", async () => {
  const attacker = await signInNew(gate);
  const { enterPath } = await door.beginWayIn(attacker.token);
  const victim = await door.start("/");
  await expectClosed(enterPath, { cookie: victim.cookie });
});

test.each([
  "https://evil.example/",
  "https://wiki.example.com.evil.example/",
  "https://evil.example/https://wiki.example.com/",
  "https://wiki.example.com@evil.example/",
  "https://user:password@wiki.example.com/",
  "https://wiki.example.com\\@evil.example/",
  "https://evil.example\\wiki.example.com/",
  "https:\\\\wiki.example.com/",
  "https://wiki.example.com/\\evil.example",
  "//wiki.example.com/",
  "wiki.example.com",
  "javascript:alert(1)//wiki.example.com",
  "ftp://wiki.example.com/",
  "http://wiki.example.com/",
  "https://wiki.example.com:444/",
  "https://wiki.example.com/\n",
  "https://wiki.example.com\t/",
  " https://wiki.example.com/",
  "https://wiki.example.com/#top",
  "https://localhost:8082/",
  "",
])("%j is no door, for the page and for the session", async (given) => {
  const { token } = await newcomer();
  const start = (await door.start("/")).order.start;
  const refused = await door.goOn(token, { door: given, start });
  expect([refused.status, slugOf(refused)]).toEqual([400, "invalid-request"]);
  const query = new URLSearchParams({ door: given, start });
  for (const cookie of ["", `access_token=${token}`]) {
    const page = await door.send(`/gate?${query.toString()}`, { ...asPage, Cookie: cookie });
    expect([page.status, page.location], cookie).toEqual([400, ""]);
    expect(String(page.body.text)).toContain("t protected by this gate");
    expect(String(page.body.text)).not.toContain("evil.example");
  }
});

let known: ReturnType<typeof signInNew> | undefined;
/** Shared by tests that don't change the session. */
const newcomer = () => (known ??= signInNew(gate));

test("two doors in one address are none", async () => {
  const { token } = await newcomer();
  const { order } = await door.start("/");
  const query = `${new URLSearchParams(order).toString()}&door=${encodeURIComponent(order.door)}`;
  const page = await door.send(`/gate?${query}`, { ...asPage, Cookie: `access_token=${token}` });
  expect([page.status, page.location]).toEqual([400, ""]);
});

test("the gate's page leads to the site: to its start, or straight on with a session", async () => {
  const { token } = await newcomer();
  const { cookie, order } = await door.start("/page?id=1");
  for (const start of ["", "&start=short", `&start=${order.start}&start=${order.start}`]) {
    const page = await door.send(`/gate?door=${encodeURIComponent(order.door)}${start}`, asPage);
    expect([page.status, page.location]).toEqual([302, `https://${wiki}/.latchkey/start?to=/page?id=1`]);
  }
  const address = `/gate?${new URLSearchParams(order).toString()}`;
  const stranger = await door.send(address, asPage);
  expect([stranger.status, String(stranger.body.text)]).toEqual([
    200,
    expect.stringContaining(`On the way to ${wiki}`),
  ]);
  const session = { ...asPage, Cookie: `access_token=${token}` };
  const fetches: Record<string, string>[] = [
    { "Sec-Fetch-Dest": "image", "Sec-Fetch-Site": "same-site" },
    { "Sec-Fetch-Dest": "iframe" },
    { "Sec-Fetch-Dest": "document", "Sec-Fetch-Site": "cross-site" },
    { "Sec-Fetch-Dest": "document", "Sec-Purpose": "prefetch;prerender" },
  ];
  for (const fetched of fetches) {
    const page = await door.send(address, { ...session, ...fetched });
    expect([page.status, page.location], JSON.stringify(fetched)).toEqual([200, ""]);
  }
  const head = await door.send(address, session, "HEAD");
  expect([head.status, head.location]).toEqual([200, ""]);
  const holder = await door.send(address, {
    ...session,
    "Sec-Fetch-Dest": "document",
    "Sec-Fetch-Site": "same-site",
  });
  expect([holder.status, holder.headers.get("cache-control")]).toEqual([302, "no-store"]);
  const { host, pathname, search } = new URL(holder.location);
  expect(host).toBe(wiki);
  await expectEntered(`${pathname}${search}`, cookie);
});

test("the way back is a path on the very site", async () => {
  const { token } = await signInNew(gate);
  const { startCookie, enterPath } = await door.beginWayIn(token);
  for (const to of [
    "//evil.example",
    "/\\evil.example",
    "/.//evil.example",
    "https://evil.example",
    "/a\r\nX: y",
  ]) {
    const begun = await door.start(to);
    expect(begun.order.door).toBe(`https://${wiki}/`);
  }
  const path = enterPath.replace(/to=.*/, "to=%2F.%2F%2Fevil.example");
  const entered = await door.visit(path, { cookie: startCookie });
  expect([entered.status, entered.location]).toEqual([302, "/"]);
});

test("a question is heard from a trusted proxy only, and only where it makes sense", async () => {
  const { token } = await newcomer();
  const cookie = await door.letIn(token);
  const wrong: Record<string, string>[] = [
    {},
    forwardedFor("evil.example"),
    forwardedFor(wiki, { scheme: "http" }),
    { ...forwardedFor(wiki), "X-Forwarded-Host": `${wiki}, ${notes}` },
    { ...forwardedFor(wiki), "X-Original-URL": `https://${notes}/`, "X-Original-Method": "GET" },
  ];
  for (const headers of wrong) {
    const answer = await door.send("/api/door", { ...headers, ...asPage, Cookie: cookie });
    expect([answer.status, slugOf(answer), answer.location]).toEqual([403, "door-not-configured", ""]);
    expect(answer.headers.get("cache-control")).toBe("no-store");
    expect(answer.headers.getSetCookie()).toEqual([]);
  }
  for (const host of ["WIKI.Example.com", "wiki.example.com.", "wiki.example.com:443"]) {
    expect((await door.question({ host, cookie })).status, host).toBe(200);
  }
  expect((await door.question({ host: "wiki.example.com:8443", cookie })).status).toBe(403);
  const [name, value] = ["X-Forwarded-Host", wiki];
  const doubled = await sendRaw({
    port: gate.server.port,
    bytes: `GET /api/door HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${name}: ${value}\r\n${name}: ${value}\r\nX-Forwarded-Proto: https\r\nX-Forwarded-Uri: /\r\nX-Forwarded-Method: GET\r\nCookie: ${cookie}\r\n\r\n`,
  });
  expect(doubled.status).toBe(403);
});

test("headers of a peer that is no trusted proxy count for nothing", async () => {
  const { token } = await newcomer();
  const cookie = await door.letIn(token);
  for (const TRUST_PROXY of [undefined, "192.0.2.1"]) {
    const server = await startServer({
      env: {
        ...limitsOff,
        RPC_URL: gate.chain.rpcUrl,
        KEY_CONTRACT_ADDRESS: gate.contract,
        DOOR_HOSTS: wiki,
        JWT_ISS: gate.origin,
        TRUST_PROXY,
      },
    });
    onTestFinished(async () => void (await server.stop()));
    const direct = openDoorClient(server);
    const answer = await direct.question({ cookie });
    expect([answer.status, slugOf(answer)]).toEqual([403, "door-not-configured"]);
    expect((await direct.visit("/.latchkey/start")).status).toBe(404);
  }
});

test("what is under /.latchkey/ is on the hosts of sites alone", async () => {
  for (const host of ["evil.example", gate.domain, "wiki.example.com.evil.example"]) {
    for (const path of ["start", "enter?code=a", "leave"]) {
      expect((await door.visit(`/.latchkey/${path}`, { host })).status, `${host} ${path}`).toBe(404);
    }
  }
});

test("what else is under /.latchkey/ is a page that loads nothing", async () => {
  const misspelt = await door.visit("/%2elatchkey/leave");
  expect(misspelt.status).toBe(404);
  expect(String(misspelt.body.text)).not.toMatch(/<script|<link|\/build\//);
  for (const path of ["/.latchkey", "/.latchkey/foo/bar"]) {
    const answer = await door.visit(path);
    expect([answer.status, String(answer.body.text)], path).toEqual([
      ...[404, expect.stringContaining("Back to the site")],
    ]);
    expect(String(answer.body.text)).not.toMatch(/<script|<link|\/build\//);
  }
});

test("coming back has a limit of its own for each visitor", async () => {
  const server = await startServer({
    env: {
      RPC_URL: gate.chain.rpcUrl,
      KEY_CONTRACT_ADDRESS: gate.contract,
      DOOR_HOSTS: wiki,
      TRUST_PROXY: "loopback",
      RATE_LIMIT_PAGES: "2/60",
    },
  });
  onTestFinished(async () => void (await server.stop()));
  const at = openDoorClient(server);
  const entered = [];
  for (let round = 0; round < 3; round += 1)
    entered.push(await at.visit("/.latchkey/enter?code=a&to=/page", { cookie: "a=b" }));
  expect(entered.map(({ status }) => status)).toEqual([400, 400, 429]);
  expect(linkOf(entered[2]!)).toBe("/.latchkey/start?to=%2Fpage");
  // The page has its own limit, which is then used up as well.
  const limited = [];
  for (let round = 0; round < 3; round += 1) {
    limited.push((await at.send("/gate?lookup=7", asPage)).status);
  }
  expect(limited).toEqual([200, 200, 429]);
});

test("a neighbouring site's cookie that only looks like ours is no cookie of ours", async () => {
  const [mine, attackers] = await Promise.all([signInNew(gate), signInNew(gate)]);
  const [own, forged] = await Promise.all([door.letIn(mine.token), door.letIn(attackers.token)]);
  const statusOf = async (cookie: string) => (await door.question({ cookie })).status;
  const userOf = async (cookie: string) => (await door.question({ cookie })).headers.get("remote-user");
  expect([await statusOf(own), await statusOf(forged)]).toEqual([200, 200]);
  // Browsers refuse only names that begin with `__Host-` byte for byte.
  for (const byte of ["\u00a0", "\u0085", "\u00ad"]) {
    expect(await statusOf(`a=b; ${byte}${forged}`), "the forged one alone").toBe(302);
    for (const both of [`a=b; ${byte}${forged}; ${own}`, `${own}; ${byte}${forged}`])
      expect(await userOf(both)).toBe(await userOf(own));
  }
  expect(await statusOf(`${own}; ${forged}`), "two of one name").toBe(302);
  expect(await statusOf(`${own}; \t${own}`)).toBe(200);
});

test("on loopback names without TLS the cookies of two ports are two, and not interchangeable", async () => {
  const { token } = await newcomer();
  const hosts = ["localhost:8080", "localhost:8081"] as const;
  const plain = (host: string) => ({ "X-Forwarded-Host": host, "X-Forwarded-Proto": "http" });
  async function letInto(host: string): Promise<string> {
    const begun = await door.send("/.latchkey/start?to=/", plain(host));
    const { searchParams } = new URL(begun.location);
    const order = { door: searchParams.get("door")!, start: searchParams.get("start")! };
    expect(order.door).toBe(`http://${host}/`);
    const { body } = await door.goOn(token, order);
    const { pathname, search } = new URL(body.goTo as string);
    const Cookie = cookieSetBy(begun);
    const entered = await door.send(`${pathname}${search}`, { ...plain(host), Cookie });
    expect(entered.headers.getSetCookie()[0]).not.toContain("Secure");
    return cookieSetBy(entered);
  }
  const cookies = await Promise.all(hosts.map(letInto));
  expect(cookies.map((cookie) => cookie.split("=")[0])).toEqual(["latchkey-door-8080", "latchkey-door-8081"]);
  const ask = (host: string, Cookie: string) =>
    door.send("/api/door", { ...forwardedFor(host, { scheme: "http" }), ...asScript, Cookie });
  const both = cookies.join("; ");
  expect((await Promise.all(hosts.map((host) => ask(host, both)))).map(({ status }) => status)).toEqual([
    200, 200,
  ]);
  const moved = `latchkey-door-8081=${cookies[0]!.split("=")[1]}`;
  expect((await ask("localhost:8081", moved)).status).toBe(401);
});

test("a browser that keeps no cookie is told so with the sixth code in half a minute", async () => {
  const { token } = await signInNew(gate);
  const { order } = await door.start("/");
  for (let round = 0; round < 5; round++) expect((await door.goOn(token, order)).status).toBe(200);
  const sixth = await door.goOn(token, order);
  expect([sixth.status, slugOf(sixth)]).toEqual([429, "site-cookie-not-kept"]);
  expect(Number(sixth.headers.get("retry-after"))).toBeGreaterThan(0);
  // This ends the redirect loop: the page stays and checks by itself.
  const page = await door.send(`/gate?${new URLSearchParams(order).toString()}`, {
    ...asPage,
    Cookie: `access_token=${token}`,
  });
  expect([page.status, page.location]).toEqual([200, ""]);
  const other = await door.start("/", { host: notes });
  expect((await door.goOn(token, other.order)).status).toBe(200);
});

test("redirects alone end at the gate's page before a browser gives up, and there two codes are left", async () => {
  const { token } = await signInNew(gate);
  const { cookie, order } = await door.start("/");
  const atGate = () =>
    door.send(`/gate?${new URLSearchParams(order).toString()}`, {
      ...asPage,
      Cookie: `access_token=${token}`,
    });
  // The site's question, its start, the gate, and the entry.
  let redirects = 2;
  for (let page = await atGate(); page.status === 302; page = await atGate()) {
    const { pathname, search } = new URL(page.location);
    expect((await door.visit(`${pathname}${search}`, { cookie })).status).toBe(302);
    redirects += 4;
  }
  expect(redirects).toBeLessThan(20);
  expect((await door.goOn(token, order)).status).toBe(200);
  expect(slugOf(await door.goOn(token, order))).toBe("site-cookie-not-kept");
});

test("a session cookie that another site has set beside one's own leads nobody in", async () => {
  const [{ token }, { token: mine }] = await Promise.all([signInNew(gate), signInNew(gate)]);
  const { order } = await door.start("/");
  const page = await door.send(`/gate?${new URLSearchParams(order).toString()}`, {
    ...asPage,
    Cookie: `access_token=${token}; access_token=${mine}`,
  });
  expect([page.status, page.location]).toEqual([200, ""]);
  const tossed = await gate.ask({
    path: "/session",
    headers: { Cookie: `access_token=${token}; access_token=${mine}` },
  });
  expect(tossed.body).toEqual({ signedIn: false });
});

test("going on is for pages of the gate, with a session, and for one thing at a time", async () => {
  const { token } = await newcomer();
  const { order } = await door.start("/");
  const foreign = { Origin: `https://${wiki}`, "Sec-Fetch-Site": "cross-site" };
  expect((await door.goOn(token, order, foreign)).status).toBe(403);
  expect((await door.goOn("", order)).status).toBe(401);
  expect((await door.goOn(`${token.slice(0, -4)}AAAA`, order)).status).toBe(401);
  const bodies = [
    { door: order.door },
    { start: order.start },
    { ...order, open: true },
    { ...order, start: "a" },
  ];
  for (const body of bodies) expect((await door.goOn(token, body as never)).status).toBe(400);
});

test("what the visitor sends to the site is nothing to the door", async () => {
  const { token } = await newcomer();
  const cookie = await door.letIn(token);
  const headers = {
    ...asPage,
    Origin: "https://evil.example",
    "Sec-Fetch-Site": "cross-site",
    Authorization: "Basic dXNlcjpwYXNz",
  };
  expect((await door.question({ cookie, headers })).status).toBe(200);
  const two = await sendRaw({
    port: gate.server.port,
    bytes: [
      "GET /api/door HTTP/1.1",
      "Host: anything.example",
      "Connection: close",
      ...Object.entries(forwardedFor(wiki)).map(([name, value]) => `${name}: ${value}`),
      "Authorization: Basic a",
      "Authorization: Basic b",
      `Cookie: ${cookie}`,
      "\r\n",
    ].join("\r\n"),
  });
  expect(two.status).toBe(200);
});

test("nothing that is asked for can write a header of its own", async () => {
  const answer = await door.question({ path: "/a%0d%0aX-Evil:%20yes?b=%0d%0aSet-Cookie:%20c" });
  expect([answer.status, answer.headers.get("x-evil"), answer.headers.getSetCookie()]).toEqual([
    302,
    null,
    [],
  ]);
  const { searchParams } = new URL(answer.location);
  expect(searchParams.get("to")).toBe("/a%0d%0aX-Evil:%20yes?b=%0d%0aSet-Cookie:%20c");
});

test("a limit for each visitor may be set", async () => {
  const server = await startServer({
    env: {
      RPC_URL: gate.chain.rpcUrl,
      KEY_CONTRACT_ADDRESS: gate.contract,
      DOOR_HOSTS: wiki,
      TRUST_PROXY: "loopback",
      RATE_LIMIT_DOOR: "2/60",
    },
  });
  onTestFinished(async () => void (await server.stop()));
  const at = openDoorClient(server);
  const from = (visitor: string) => at.question({ headers: { ...asScript, "X-Forwarded-For": visitor } });
  const statuses = [];
  for (let round = 0; round < 3; round++) statuses.push((await from("198.51.100.1")).status);
  expect(statuses).toEqual([401, 401, 429]);
  expect((await from("198.51.100.2")).status).toBe(401);
});

test("leaving takes the site's cookie back and nothing else, and asking for the headers nothing at all", async () => {
  const { token } = await newcomer();
  const cookie = await door.letIn(token);
  const head = await door.visit("/.latchkey/leave", { cookie, method: "HEAD" });
  expect(head.headers.getSetCookie()).toEqual([]);
  const loaded: Record<string, string>[] = [
    { "Sec-Fetch-Dest": "image" },
    { "Sec-Fetch-Dest": "document", "Sec-Purpose": "prefetch" },
  ];
  for (const headers of loaded) {
    const answer = await door.send("/.latchkey/leave", { ...forwardedFor(wiki), ...headers, Cookie: cookie });
    expect([answer.status, answer.headers.getSetCookie()]).toEqual([302, []]);
  }
  const left = await door.visit("/.latchkey/leave", { cookie });
  expect([left.status, left.location]).toEqual([302, `${gate.origin}/gate?left=${wiki}`]);
  expect(left.headers.getSetCookie()).toEqual([
    "__Host-latchkey-door=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax; Secure",
  ]);
  const page = await door.send(new URL(left.location).pathname + new URL(left.location).search, {
    ...asPage,
    Cookie: `access_token=${token}`,
  });
  expect(String(page.body.text)).toContain(`You have left ${wiki}`);
  const nowhere = await door.send("/gate?left=evil.example", asPage);
  expect(String(nowhere.body.text)).not.toContain("evil.example");
});
