import { afterAll, beforeAll, expect, test } from "vitest";
import { openGate } from "./gate-fixture";
import type { Gate } from "./gate-fixture";

let gate: Gate;
beforeAll(async () => {
  gate = await openGate({ env: { TRUST_PROXY: "loopback", RATE_LIMIT_PAGES: undefined } });
});
afterAll(() => gate.close());

type PageRequest = { path: string; method?: string; accept?: string };

function open(client: string, { path, method = "GET", accept = "text/html" }: PageRequest) {
  const headers = { "X-Forwarded-For": client, Accept: accept };
  return fetch(`${gate.origin}${path}`, { method, headers, redirect: "manual" });
}

/** By default. */
const limit = 120;

const rendered: PageRequest[] = [
  { path: "/docs?x=1" },
  { path: "/docs/" },
  { path: "/docs.data", accept: "*/*" },
  { path: "/docs?x=1", method: "HEAD" },
  { path: "/gate?lookup=7" },
  { path: "/problems/not-a-problem" },
  { path: "/not-there" },
  { path: "/not.there" },
];

test("everything that is rendered counts in one limit of a client, which then gets a page in words", async () => {
  const client = "192.0.2.1";
  const statuses = await Promise.all(
    Array.from({ length: limit + 20 }, async (_, index) => {
      const answer = await open(client, rendered[index % rendered.length]!);
      await answer.arrayBuffer();
      return answer.status;
    }),
  );
  expect(statuses.filter((status) => status === 429)).toHaveLength(20);
  for (const page of rendered) {
    const { status, headers } = await open(client, page);
    expect([status, headers.get("x-problem")], page.path).toEqual([429, "too-many-requests"]);
  }
  const answer = await open(client, { path: "/docs?x=2" });
  expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
  expect(answer.headers.get("x-ratelimit-limit")).toBe("120");
  expect(answer.headers.get("content-type")).toBe("text/html; charset=utf-8");
  expect(answer.headers.get("content-security-policy")).toMatch(/^default-src 'none'; style-src 'sha256-/);
  expect(answer.headers.get("cache-control")).toBe("no-store");
  expect(await answer.text()).toMatch(
    /<h1>Too many requests<\/h1>\s*<p>More than 120 requests in 60 seconds came from you\. Wait \d+ seconds/,
  );
  const program = await open(client, { path: "/docs?x=2", accept: "application/json" });
  expect(await program.json()).toMatchObject({ status: 429, title: "Too many requests", limit: 120 });
});

test("files, the API and other clients are untouched by a client's spent limit", async () => {
  const client = "192.0.2.2";
  for (let count = 0; count < limit; count += 1) await (await open(client, { path: "/x" })).arrayBuffer();
  expect((await open(client, { path: "/x" })).status).toBe(429);
  for (const path of ["/favicon.svg", "/robots.txt", "/api/settings", "/healthz"])
    expect((await open(client, { path })).status, path).toBe(200);
  expect((await open("192.0.2.3", { path: "/docs?x=1" })).status).toBe(200);
});
