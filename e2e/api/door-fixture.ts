import { expect } from "vitest";
import type { Answer, clientOf } from "./gate-fixture";

export const wiki = "wiki.example.com";
export const notes = "notes.example.com:8443";

type Client = ReturnType<typeof clientOf>;
type Headers = Record<string, string>;

/** The headers a site's proxy sends, as Traefik and Caddy write them. */
export function forwardedFor(host: string, { path = "/", method = "GET", scheme = "https" } = {}): Headers {
  return {
    "X-Forwarded-Proto": scheme,
    "X-Forwarded-Host": host,
    "X-Forwarded-Uri": path,
    "X-Forwarded-Method": method,
  };
}

export const asPage: Headers = { Accept: "text/html,*/*" };
export const asScript: Headers = { Accept: "application/json" };

type Question = { host?: string; cookie?: string; path?: string; headers?: Headers; query?: string };
type Visit = { host?: string; cookie?: string; method?: string };

/** The cookie of a response, as a browser would send it back. Empty if the response deletes it. */
export function cookieSetBy({ headers }: { headers: globalThis.Headers }): string {
  const [written] = headers.getSetCookie();
  const [pair = ""] = (written ?? "").split("; ");
  return pair.endsWith("=") ? "" : pair;
}

/** A server that trusts a proxy on this machine, as the proxy and a visitor's browser use it. */
export function openDoorClient({ origin }: Pick<Client, "origin">) {
  async function send(
    path: string,
    headers: Headers,
    method = "GET",
  ): Promise<Answer & { location: string }> {
    const response = await fetch(`${origin}${path}`, { method, headers, redirect: "manual" });
    const text = await response.text();
    const body = text.startsWith("{") ? (JSON.parse(text) as Record<string, unknown>) : { text };
    const location = response.headers.get("location") ?? "";
    return { status: response.status, headers: response.headers, body, location };
  }

  const question = ({ host = wiki, cookie, path = "/", headers = asPage, query = "" }: Question = {}) =>
    send(`/api/door${query}`, {
      ...forwardedFor(host, { path }),
      ...headers,
      ...(cookie !== undefined && { Cookie: cookie }),
    });

  /** Requests a path under /.latchkey/ on a site. */
  function visit(path: string, { host = wiki, cookie = "", method = "GET" }: Visit = {}) {
    const headers = { "X-Forwarded-Host": host, "X-Forwarded-Proto": "https", Cookie: cookie, ...asPage };
    return send(path, headers, method);
  }

  async function start(to = "/", { host = wiki, cookie = "" }: Visit = {}) {
    const answer = await visit(`/.latchkey/start?to=${encodeURIComponent(to)}`, { host, cookie });
    expect(answer.status).toBe(302);
    const { searchParams } = new URL(answer.location);
    const order = { door: searchParams.get("door")!, start: searchParams.get("start")! };
    return { cookie: cookieSetBy(answer), order, answer };
  }

  async function goOn(token: string, order: { door: string; start: string }, headers: Headers = {}) {
    const response = await fetch(`${origin}/session`, {
      method: "POST",
      headers: { "Content-Type": "application/json", Cookie: `access_token=${token}`, ...headers },
      body: JSON.stringify(order),
    });
    const body = (await response.json()) as Record<string, unknown>;
    return { status: response.status, headers: response.headers, body };
  }

  /** The gate's redirect for a signed-in visitor, as a path on the site. */
  async function beginWayIn(token: string, { host = wiki, to = "/" } = {}) {
    const { cookie, order } = await start(to, { host });
    const { status, body } = await goOn(token, order);
    expect([status, body]).toEqual([200, { goTo: expect.any(String) as string }]);
    const { pathname, search, host: site } = new URL(body.goTo as string);
    expect(site).toBe(host);
    return { startCookie: cookie, enterPath: `${pathname}${search}` };
  }

  /** All steps of signing in. Returns the site's cookie. */
  async function letIn(token: string, { host = wiki, to = "/" } = {}): Promise<string> {
    const { startCookie, enterPath } = await beginWayIn(token, { host, to });
    const entered = await visit(enterPath, { host, cookie: startCookie });
    expect([entered.status, entered.location]).toEqual([302, to]);
    return cookieSetBy(entered);
  }

  return { send, question, visit, start, goOn, beginWayIn, letIn };
}
