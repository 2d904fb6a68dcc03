import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { Readable } from "node:stream";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { developmentAccount } from "../../contracts/local-chain.mjs";
import { hasOpenssl, sayWithoutOpenssl } from "~e2e/support/certificates";
import { readSeen } from "~e2e/support/door/echo-site";
import { startFastcgiSite } from "~e2e/support/door/fastcgi-site";
import type { FastcgiSite } from "~e2e/support/door/fastcgi-site";
import { playTraefik } from "~e2e/support/door/played-traefik";
import { checkNginxProxy, startCaddyProxy, startNginxProxy } from "~e2e/support/door/site-proxies";
import type { ProxyOptions } from "~e2e/support/door/site-proxies";
import {
  dashboardsOrigin,
  gateOrigin,
  openSitesBehindProxy,
  walkIn,
  wikiOrigin,
} from "~e2e/support/door/sites-behind-proxy";
import type { KeyHolder, SitesBehindProxy } from "~e2e/support/door/sites-behind-proxy";
import { asPage } from "~e2e/support/door/site-visitor";
import type { Visitor } from "~e2e/support/door/site-visitor";
import { findCaddy, findNginx } from "~e2e/support/obtain-programs";
import { waitUntil } from "~e2e/support/processes";

/** A run without one of them says so when it begins. */
const hasNginx = hasOpenssl && findNginx() !== null;
sayWithoutOpenssl("nginx's part of docs/door.md, which has certificates");

const deepLink = `${wikiOrigin}/notes/tide%20tables?of=the%2Fharbour&day=2#low`;
const withoutFragment = deepLink.replace(/#.*/, "");

let php: FastcgiSite;
beforeAll(async () => {
  php = await startFastcgiSite();
});
afterAll(() => php.stop());

function nginxWith(further: { isCaching: boolean }) {
  return (options: ProxyOptions) => startNginxProxy({ ...options, ...further, fastcgiPort: php.port });
}

const proxies = [
  {
    name: "nginx",
    isHere: hasNginx,
    start: nginxWith({ isCaching: false }),
    isCaching: false,
    whenAway: 503,
  },
  {
    name: "nginx with its cache of answers",
    isHere: hasNginx,
    start: nginxWith({ isCaching: true }),
    isCaching: true,
    whenAway: 503,
  },
  { name: "Caddy", isHere: findCaddy() !== null, start: startCaddyProxy, isCaching: false, whenAway: 502 },
];

/** Longer than one poll and nginx's cache, even on a busy machine. */
const withinPoll = { timeoutMs: 15_000, everyMs: 200 };

/** Forged headers under every name that a proxy or the door uses. */
const forged = {
  "X-Forwarded-Proto": "http",
  "X-Forwarded-Host": "dashboards.example.com",
  "X-Forwarded-Uri": "/forged",
  "X-Forwarded-Method": "POST",
  "X-Original-URL": "https://dashboards.example.com/forged",
  "X-Original-Method": "POST",
  "Remote-User": "0xforged",
  Remote_User: "0xforged",
  "Remote-Groups": "forged",
  "X-Latchkey-Key": "forged:1",
  "X-Latchkey_Key": "forged:1",
  "X-Latchkey-Vault": "0xforged",
  X_Latchkey_Vault: "0xforged",
  Connection: "Remote-User, X-Latchkey-Key",
};

describe.each(proxies)("$name, with the files of docs/door.md", (proxy) => {
  const { name, isHere, start, isCaching, whenAway } = proxy;
  const testHere = test.skipIf(!isHere);
  let sites: SitesBehindProxy;
  let lastAccount = 0;

  beforeAll(async () => {
    if (isHere) sites = await openSitesBehindProxy(start);
  }, 120_000);
  afterAll(() => sites?.close(), 60_000);

  async function newHolder(): Promise<KeyHolder> {
    lastAccount += 1;
    return await sites.mintKey(lastAccount);
  }
  /** A visitor who is signed in to the gate and the wiki. */
  async function enter(address = `${wikiOrigin}/`): Promise<{ visitor: Visitor; holder: KeyHolder }> {
    const visitor = sites.openVisitor();
    const holder = await newHolder();
    await sites.signIn(visitor, holder);
    expect((await walkIn(visitor, address)).status).toBe(200);
    return { visitor, holder };
  }

  testHere("a stranger is led to the gate, in, out and in again, each time to the very address", async () => {
    const visitor = sites.openVisitor();
    const before = sites.wiki.countAnswered();
    const stranger = await visitor.visit(withoutFragment);
    const [, start, atGate] = stranger.trail;
    expect(start).toMatch(/^https:\/\/wiki\.example\.com\/\.latchkey\/start\?to=/);
    expect(atGate).toMatch(/^https:\/\/gate\.example\.com\/gate\?door=/);
    expect(stranger.status).toBe(200);
    expect(sites.wiki.countAnswered()).toBe(before);

    await sites.signIn(visitor, await newHolder());
    const inside = await walkIn(visitor, withoutFragment);
    expect(inside.trail.at(-1)).toBe(withoutFragment);
    expect(readSeen(inside.body)).toMatchObject({
      site: "wiki",
      url: withoutFragment.slice(wikiOrigin.length),
    });

    const left = await visitor.visit(`${wikiOrigin}/.latchkey/leave`);
    expect(left.trail.at(-1)).toContain(gateOrigin);
    const outside = await visitor.ask(withoutFragment, { headers: asPage });
    expect(outside.status).toBe(302);
    const again = await walkIn(visitor, withoutFragment);
    expect([again.status, again.trail.at(-1)]).toEqual([200, withoutFragment]);
  });

  testHere("what is no page is refused with 401, and not redirected", async () => {
    const visitor = sites.openVisitor();
    const before = sites.wiki.countAnswered();
    const headers = { ...asPage, "Content-Type": "application/x-www-form-urlencoded" };
    const form = await visitor.ask(`${wikiOrigin}/edit`, { method: "POST", headers, body: "text=mine" });
    expect([form.status, form.headers.location]).toEqual([401, undefined]);
    const script = await visitor.ask(`${wikiOrigin}/api/pages`, { headers: { Accept: "application/json" } });
    expect([script.status, script.headers.location]).toEqual([401, undefined]);
    const { status, socket } = await visitor.openSocket(`${wikiOrigin}/live`);
    expect([status, socket]).toEqual([401, null]);
    expect(sites.wiki.countAnswered()).toBe(before);
  });

  testHere(
    "what a visitor says under the names of the door reaches neither the site nor the door",
    async () => {
      const outside = await sites.openVisitor().ask(withoutFragment, { headers: { ...asPage, ...forged } });
      expect(outside.status).toBe(302);
      expect(new URL(outside.headers.location!).searchParams.get("to")).toBe(
        withoutFragment.slice(wikiOrigin.length),
      );

      const { visitor, holder } = await enter();
      const inside = await visitor.ask(withoutFragment, { headers: forged });
      const { headers } = readSeen(inside.body);
      expect(JSON.stringify(headers)).not.toMatch(/forged|dashboards/);
      expect(headers).toMatchObject({
        "remote-user": developmentAccount(holder.account).address.toLowerCase(),
        "remote-groups": "keeper",
        "x-latchkey-key": `keeper:${holder.tokenId}`,
      });
      expect(headers).not.toHaveProperty("x-latchkey-vault");
    },
  );

  test.skipIf(!isHere || name === "Caddy")(
    "what a visitor says under the names of the door does not reach PHP",
    async () => {
      const { visitor, holder } = await enter();
      const inside = await visitor.ask(`${wikiOrigin}/doku.php`, { headers: forged });
      const params = JSON.parse(inside.body) as Record<string, string>;
      expect(JSON.stringify(params)).not.toMatch(/forged|dashboards/);
      const user = developmentAccount(holder.account).address.toLowerCase();
      expect(params).toMatchObject({
        REMOTE_USER: user,
        HTTP_REMOTE_USER: user,
        HTTP_REMOTE_GROUPS: "keeper",
        HTTP_X_LATCHKEY_KEY: `keeper:${holder.tokenId}`,
        HTTP_X_FORWARDED_HOST: "wiki.example.com",
      });
      expect((await sites.openVisitor().ask(`${wikiOrigin}/doku.php`)).status).toBe(401);
    },
  );

  testHere(
    "what a visitor says by the names of proxies is heard at the gate's own name neither",
    async () => {
      const { visitor } = await enter();
      const cookie = `__Host-latchkey-door=${visitor.cookieOf("wiki.example.com", "__Host-latchkey-door")}`;
      const original = { "X-Original-URL": `${wikiOrigin}/`, "X-Original-Method": "GET" };
      const forwarded = {
        "X-Forwarded-Proto": "https",
        "X-Forwarded-Host": "wiki.example.com",
        "X-Forwarded-Uri": "/",
        "X-Forwarded-Method": "GET",
      };
      for (const said of [original, forwarded, { ...original, ...forwarded }]) {
        const headers = { ...asPage, ...said, Cookie: cookie };
        const answer = await sites.openVisitor().ask(`${gateOrigin}/api/door`, { headers });
        expect([answer.status, answer.headers["x-problem"]]).toEqual([403, "door-not-configured"]);
      }
    },
  );

  testHere("addresses as long as nginx takes them reach the site, and come back from the gate", async () => {
    const { visitor } = await enter();
    const longest = `/search?q=${"x".repeat(7900)}`;
    const inside = await visitor.ask(`${wikiOrigin}${longest}`);
    expect(inside.status).toBe(200);
    expect(readSeen(inside.body).url).toBe(longest);

    const newcomer = sites.openVisitor();
    await sites.signIn(newcomer, await newHolder());
    const deep = `${wikiOrigin}/search?q=${"x".repeat(4000)}`;
    const led = await walkIn(newcomer, deep);
    expect([led.status, led.trail.at(-1)]).toEqual([200, deep]);
    // The gate's page redirects at once.
    const other = deep.replace(wikiOrigin, dashboardsOrigin);
    const straight = await newcomer.visit(other);
    expect([straight.status, straight.trail.at(-1)]).toEqual([200, other]);
  });

  testHere.each([
    ["without a cookie", {}],
    ["whose cookie has ended", { Cookie: "__Host-latchkey-door=ended" }],
  ])("requests of somebody %s do not wait for each other", async (_who, headers) => {
    const startedAtMs = performance.now();
    const asked = Array.from({ length: 40 }, () => sites.openVisitor().ask(`${wikiOrigin}/`, { headers }));
    const answers = await Promise.all(asked);
    const tookMs = performance.now() - startedAtMs;
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401]));
    expect(tookMs).toBeLessThan(2_500);
  });

  testHere("another host in a request's first line or Host header opens no other site", async () => {
    const { visitor } = await enter();
    const before = sites.dashboards.countAnswered();
    const cookie = visitor.cookieOf("wiki.example.com", "__Host-latchkey-door")!;
    const asWiki = { Cookie: `__Host-latchkey-door=${cookie}` };
    const stranger = sites.openVisitor();
    const asked = await Promise.all([
      // The connection is for one name, and the request names another.
      stranger.ask(`${wikiOrigin}/`, { headers: { ...asWiki, Host: "dashboards.example.com" } }),
      stranger.ask(`${wikiOrigin}/`, { headers: asWiki, target: `${dashboardsOrigin}/` }),
      stranger.ask(`${dashboardsOrigin}/`, { headers: { ...asWiki, Host: "wiki.example.com:8443" } }),
    ]);
    for (const { body } of asked) expect(body).not.toContain('"dashboards"');
    expect(sites.dashboards.countAnswered()).toBe(before);
  });

  testHere("the same cookie opens the site behind Traefik, whose file is played", async () => {
    const { visitor, holder } = await enter();
    const cookie = `__Host-latchkey-door=${visitor.cookieOf("wiki.example.com", "__Host-latchkey-door")}`;
    const asked = { method: "GET", host: "wiki.example.com", path: "/a%20page?of=2" };
    const ask = async (headers: Record<string, string>) => {
      const played = await playTraefik({ ...asked, headers });
      const { origin } = sites.server;
      const answer = await fetch(`${origin}${played.path}`, { headers: played.question, redirect: "manual" });
      return { answer, toSite: played.toSite(answer.headers) };
    };
    const outside = await ask({ ...asPage, ...forged });
    expect([outside.answer.status, outside.answer.headers.get("location")]).toEqual([
      302,
      `${wikiOrigin}/.latchkey/start?to=/a%2520page?of=2`,
    ]);
    const inside = await ask({ ...asPage, ...forged, Cookie: cookie });
    expect(inside.answer.status).toBe(200);
    expect(inside.toSite).toMatchObject({
      "remote-user": developmentAccount(holder.account).address.toLowerCase(),
      "x-latchkey-key": `keeper:${holder.tokenId}`,
    });
    expect(JSON.stringify(inside.toSite)).not.toMatch(/forged|dashboards/);
  });

  testHere(
    "a WebSocket and an upload of 100 MB pass unchanged",
    async () => {
      const { visitor } = await enter();
      const { status, socket } = await visitor.openSocket(`${wikiOrigin}/live`);
      expect(status).toBe(101);
      socket!.write("both ways");
      const [echoed] = (await once(socket!, "data")) as [Buffer];
      expect(echoed.toString()).toBe("both ways");
      socket!.destroy();

      const piece = randomBytes(1_000_000);
      const pieces = 100;
      const expected = createHash("sha256");
      for (let index = 0; index < pieces; index += 1) expected.update(piece);
      const upload = await visitor.ask(`${wikiOrigin}/upload`, {
        method: "PUT",
        headers: { "Content-Length": String(piece.length * pieces) },
        body: Readable.from(Array<Buffer>(pieces).fill(piece)),
      });
      expect(readSeen(upload.body)).toMatchObject({
        method: "PUT",
        bodyBytes: piece.length * pieces,
        bodyDigest: expected.digest("hex"),
      });
    },
    60_000,
  );

  testHere.each([[["h2c"]], [["h2c", "websocket"]], [["websocket, h2c"]]])(
    "what is upgraded to %j is no way past the proxy",
    async (protocols) => {
      const { visitor } = await enter();
      const { status, socket } = await visitor.openSocket(`${wikiOrigin}/live`, protocols);
      expect([status, socket]).toEqual([200, null]);
    },
  );

  testHere("two sites with a kind of key each want one sign-in", async () => {
    const { visitor, holder } = await enter();
    // Goes in silently, because the browser sends the gate's cookie from a site of the same domain.
    const other = await visitor.visit(`${dashboardsOrigin}/load?last=1h`);
    expect([other.status, other.trail.at(-1)]).toEqual([200, `${dashboardsOrigin}/load?last=1h`]);
    const { site, headers } = readSeen(other.body);
    expect(site).toBe("dashboards");
    expect(headers["remote-user"]).toBe(developmentAccount(holder.account).address.toLowerCase());
  });

  testHere("a key that was sold opens no site after one poll", async () => {
    const { visitor, holder } = await enter();
    await walkIn(visitor, `${dashboardsOrigin}/`);
    const to = developmentAccount(0).address;
    await sites.chain.transferKey({ tokenId: holder.tokenId, from: holder.account, to });
    for (const origin of [wikiOrigin, dashboardsOrigin]) {
      await waitUntil(async () => (await visitor.ask(`${origin}/data`)).status === 401, withinPoll);
    }
    const page = await visitor.visit(`${wikiOrigin}/`, /\/gate\?/);
    expect(page.trail.at(-1)).toContain(`${gateOrigin}/gate?door=`);
    expect(visitor.cookieOf("wiki.example.com", "__Host-latchkey-door")).toBeNull();
  });

  testHere("a key that was used up opens no site", async () => {
    const { visitor, holder } = await enter();
    await sites.useKey(visitor, holder);
    if (isCaching) await waitUntil(async () => (await visitor.ask(`${wikiOrigin}/data`)).status === 401);
    expect((await visitor.ask(`${wikiOrigin}/data`)).status).toBe(401);
  });

  testHere("who signed out at the gate is outside everywhere", async () => {
    const { visitor } = await enter();
    await walkIn(visitor, `${dashboardsOrigin}/`);
    await visitor.ask(`${gateOrigin}/session`, { method: "DELETE", headers: { Origin: gateOrigin } });
    for (const origin of [wikiOrigin, dashboardsOrigin]) {
      if (isCaching) await waitUntil(async () => (await visitor.ask(`${origin}/data`)).status === 401);
      expect((await visitor.ask(`${origin}/data`)).status).toBe(401);
    }
  });

  testHere("80 files of a page are one question with the cache, and 80 without", async () => {
    const { visitor } = await enter();
    const files = Array.from({ length: 80 }, (_, index) => `${wikiOrigin}/files/${index}`);
    const before = await sites.countQuestions();
    const answers = await Promise.all(files.map((address) => visitor.ask(address)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    const asked = (await sites.countQuestions()) - before;
    if (isCaching) expect(asked).toBeLessThanOrEqual(1);
    else expect(asked).toBe(files.length);
  });

  testHere("a site that is away answers an error", async () => {
    const { visitor } = await enter(`${dashboardsOrigin}/`);
    await sites.dashboards.stop();
    expect((await visitor.ask(`${dashboardsOrigin}/`)).status).toBe(502);
    expect((await visitor.visit(`${wikiOrigin}/`)).status).toBe(200);
  });

  testHere("without Latchkey nobody comes in", async () => {
    const { visitor } = await enter();
    const before = sites.wiki.countAnswered();
    await sites.server.kill();
    const ask = async () => (await visitor.ask(`${wikiOrigin}/`, { headers: asPage })).status;
    if (isCaching) await waitUntil(async () => (await ask()) === whenAway);
    expect(await ask()).toBe(whenAway);
    if (!isCaching) expect(sites.wiki.countAnswered()).toBe(before);
  });
});

test.skipIf(!hasNginx).each([false, true])("nginx warns of nothing (cache: %s)", async (isCaching) => {
  const sites = { "wiki.example.com": 8080, "dashboards.example.com": 8081 };
  const said = await checkNginxProxy({ latchkeyPort: 3000, sites, isCaching });
  expect(said).toContain("test is successful");
  expect(said).not.toContain("[warn]");
});
