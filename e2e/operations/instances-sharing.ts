import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { expect, onTestFinished, test } from "vitest";
import { waitUntil } from "~e2e/support/processes";
import { clientOf } from "../api/gate-fixture";
import { resetSecret } from "./instances-fixture";
import type { Site } from "./instances-fixture";
import { bearerOf, walkThrough } from "./instances-journey";
import { mcpOf } from "../api/mcp-fixture";

/** The settings that the tests below need. */
export const sharingSettings = { RATE_LIMIT_TOKEN_STATUS: "50/600" };

type Located = { site: Site; origin: string };

/** Clients of the proxy and of single servers. The first request locates them. */
export function openVisitors(locate: () => Located) {
  const through = () => clientOf({ origin: locate().origin });

  /** The same client at one server. It still signs for the proxy's name. */
  function at(index: number) {
    const { site, origin } = locate();
    const headers = { "X-Forwarded-For": "127.0.0.1", "X-Forwarded-Host": new URL(origin).host };
    const { ask } = clientOf({ origin: `http://127.0.0.1:${site.servers[index]!.port}` });
    return (request: Parameters<typeof ask>[0]) =>
      ask({ ...request, headers: { ...headers, ...request.headers } });
  }

  async function enterNew() {
    const holder = await locate().site.gate.mintKey();
    const answer = await through().signIn(holder);
    return { ...holder, bearer: bearerOf(answer) };
  }

  const enterAt = (index: number, headers: Record<string, string>) =>
    at(index)({ path: "/api/gate-access", method: "POST", headers });

  return { through, at, enterNew, enterAt };
}

/** Tests state that servers share, in any store. */
export function testSharing(locate: () => Located): void {
  testSharedCounts(locate);
  testSharedKeys(locate);
}

function testSharedCounts(locate: () => Located): void {
  const { through, at, enterNew } = openVisitors(locate);

  test("a holder goes from sign-in to the used key through two alternating servers, without noticing", async () => {
    await walkThrough(locate());
  });

  test("a nonce of one server is accepted by the other, once, for the client it was given to", async () => {
    for (const [giver, taker] of [
      [0, 1],
      [1, 0],
    ] as const) {
      const holder = await locate().site.gate.mintKey();
      const { nonce } = (await at(giver)({ path: "/api/nonce" })).body;
      const json = await through().siweBody({ ...holder, nonce: String(nonce) });
      const enter = (index: number, from = "127.0.0.1") =>
        at(index)({ path: "/api/gate-access", method: "POST", json, headers: { "X-Forwarded-For": from } });
      expect((await enter(taker, "203.0.113.7")).status).toBe(401);
      expect((await enter(taker)).status).toBe(200);
      expect((await enter(giver)).status).toBe(401);
    }
  });

  test("a limit counts over both servers, however the requests are distributed", async () => {
    const answers = await Promise.all(
      Array.from({ length: 90 }, (_, index) =>
        at(index % 2)({ path: "/api/token-status/1", headers: { "X-Forwarded-For": "203.0.113.9" } }),
      ),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(50);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(40);
  });

  test("a quota counts over both servers: concurrent questions never get more than there is", async () => {
    const { bearer } = await enterNew();
    const answers = await Promise.all(
      Array.from({ length: 8 }, () =>
        fetch(`${locate().origin}/api/chat`, {
          method: "POST",
          headers: { "Content-Type": "application/json", ...bearer },
          body: JSON.stringify({ messages: [{ role: "user", content: "Hello" }] }),
        }).then(async (response) => ({ status: response.status, text: await response.text() })),
      ),
    );
    // Two of thirty tokens each fit into sixty at once. The rest came too early.
    const answered = answers.filter(({ status }) => status === 200).length;
    expect(answered).toBeGreaterThanOrEqual(2);
    for (const { status } of answers) expect([200, 429]).toContain(status);
    const used = async (index: number) => (await at(index)({ path: "/api/quota", headers: bearer })).body;
    expect(await used(0)).toEqual(await used(1));
    expect(await used(0)).toMatchObject({ reserved: 0, limit: 60 });
    expect((await used(0)).used).toBeLessThanOrEqual(60);

    const reset = await at(0)({
      path: "/api/quota-reset",
      method: "POST",
      json: { scope: "token", all: true },
      headers: { "x-quota-reset-secret": resetSecret },
    });
    expect(reset.status).toBe(200);
    expect(await used(1)).toMatchObject({ used: 0, remaining: 60 });
  });
}

function testSharedKeys(locate: () => Located): void {
  const { at, enterNew, enterAt } = openVisitors(locate);

  test("a program's client works through the proxy, and a key it used up is used everywhere at once", async () => {
    const { bearer, tokenId } = await enterNew();
    const client = new Client({ name: "a-test-client", version: "1.0.0" });
    await client.connect(
      new StreamableHTTPClientTransport(new URL("/api/mcp", locate().origin), {
        requestInit: { headers: bearer },
      }),
    );
    onTestFinished(() => client.close());
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain("mark_key_used");
    const marks = await Promise.all(
      Array.from({ length: 6 }, () =>
        mcpOf({ origin: locate().origin }).callTool({
          name: "mark_key_used",
          headers: bearer,
        }),
      ),
    );
    expect(marks.filter(({ result }) => result)).toHaveLength(1);
    const told = () =>
      locate().site.receiver.received.filter(({ body }) => body.includes(`"tokenId":"${tokenId}"`));
    await waitUntil(() => told().length > 0);
    expect(told()).toHaveLength(1);
    for (const index of [0, 1, 0, 1]) expect((await enterAt(index, bearer)).status).toBe(403);
  });

  test("a key that left its wallet ends the token at both servers within seconds, though only one watches the chain", async () => {
    const { bearer, account, tokenId } = await enterNew();
    for (const index of [0, 1]) expect((await enterAt(index, bearer)).status).toBe(200);
    const { address } = await locate().site.gate.rich();
    await locate().site.gate.transferKey({ from: account, to: address, tokenId });
    for (const index of [0, 1]) {
      await waitUntil(async () => (await enterAt(index, bearer)).status !== 200);
      // This needs no chain call, because the database knows.
      await waitUntil(async () => (await at(index)({ path: "/api/quota", headers: bearer })).status === 401);
    }
  });
}
