import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { startRoundRobin, upstreamHeader } from "~e2e/support/providers/proxies";
import { talkingForever } from "~e2e/support/providers/openai-server";
import { waitUntil } from "~e2e/support/processes";
import { openChat, readUntil } from "../api/chat-fixture";
import type { Answer } from "../api/gate-fixture";
import { leaseSeconds, longLeaseSeconds, openSite, readLeases } from "./instances-fixture";
import type { Site } from "./instances-fixture";
import { walkThrough } from "./instances-journey";
import { openVisitors, sharingSettings, testSharing } from "./instances-sharing";

let proxy: Awaited<ReturnType<typeof startRoundRobin>>;
let site: Site;
beforeAll(async () => {
  proxy = await startRoundRobin();
  site = await openSite(proxy.origin, { ...sharingSettings, OWNERSHIP_CACHE_SECONDS: "300" });
  proxy.setPorts(site.servers.map(({ port }) => port));
}, 120_000);
afterAll(async () => {
  await site.close();
  await proxy.stop();
}, 60_000);

const { through, at, enterNew, enterAt } = openVisitors(() => ({ site, origin: proxy.origin }));
testSharing(() => ({ site, origin: proxy.origin }));

test("the proxy of these tests alternates between the servers", async () => {
  const names: (string | null)[] = [];
  for (let turn = 0; turn < 4; turn++) {
    names.push((await through().ask({ path: "/healthz" })).headers.get(upstreamHeader));
  }
  expect([...names.slice(0, 2)].sort()).toEqual(["0", "1"]);
  expect(names.slice(2)).toEqual(names.slice(0, 2));
});

test("a stream arrives word by word, and leaving ends it at the server and in the ledger", async () => {
  const { bearer } = await enterNew();
  site.setModel(talkingForever());
  onTestFinished(() => void site.setModel(null));
  const { outgoing, incoming, status } = await openChat({
    port: proxy.port,
    headers: { ...bearer, host: through().domain },
  });
  expect(status).toBe(200);
  await readUntil(incoming, "on and on");
  const standing = async () => (await at(1)({ path: "/api/quota", headers: bearer })).body;
  outgoing.destroy();
  await waitUntil(async () => (await standing()).reserved === 0 && Number((await standing()).used) > 0);
});

test("a cached reading ends with a new block, also on the server that does not watch", async () => {
  const { account, tokenId } = await enterNew();
  const call = { method: "tools/call", params: { name: "key_status", arguments: { tokenId } } };
  const readOwner = async (index: number, { bearer }: { bearer: Record<string, string> }) => {
    const { body } = await at(index)({ path: "/api/mcp", method: "POST", json: call, headers: bearer });
    return (body.result as { structuredContent: { owner: string } }).structuredContent.owner.toLowerCase();
  };
  const client = await enterNew();
  for (const index of [0, 1]) expect(await readOwner(index, client)).toBe(account.address.toLowerCase());
  const { address } = await site.gate.rich();
  await site.gate.transferKey({ from: account, to: address, tokenId });
  // This test's settings cache it for 300 seconds, unless the block is noticed.
  for (const index of [0, 1]) {
    await waitUntil(async () => (await readOwner(index, client)) === address.toLowerCase());
  }
});

test("both servers publish the same keys and the same API description", async () => {
  for (const path of ["/.well-known/jwks.json", "/api/openapi"]) {
    const [one, other] = await Promise.all([0, 1].map((index) => at(index)({ path })));
    expect(one!.body).toEqual(other!.body);
    expect(one!.headers.get("etag")).toBe(other!.headers.get("etag"));
  }
});

test("each notification is sent once, by either server", async () => {
  const before = site.receiver.received.length;
  const holders = await Promise.all(Array.from({ length: 8 }, () => site.gate.mintKey()));
  const accepted: Answer[] = [];
  for (const [index, holder] of holders.entries()) {
    const json = await through().formBody({ ...holder, message: `number ${index}` });
    accepted.push(await through().post("/api/form-submission-gate", json));
  }
  expect(accepted.map(({ status }) => status)).toEqual(Array(8).fill(200));
  await waitUntil(() => site.receiver.received.length >= before + 8, { timeoutMs: 20_000 });
  const ids = site.receiver.received.map(({ headers }) => headers["webhook-id"]);
  expect(new Set(ids).size).toBe(ids.length);
  expect(site.receiver.received.every(({ verified }) => verified)).toBe(true);
});

test("a database outage is 503 with Retry-After, and the servers recover without a restart", async () => {
  const { bearer } = await enterNew();
  const pids = site.servers.map(({ pid }) => pid);
  site.way.cut();
  for (const index of [0, 1]) {
    const refused = await enterAt(index, bearer);
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "5"]);
    expect((await at(index)({ path: "/readyz" })).status).toBe(503);
    expect((await at(index)({ path: "/healthz" })).status).toBe(200);
  }
  site.way.mend();
  for (const index of [0, 1]) {
    await waitUntil(async () => (await at(index)({ path: "/readyz" })).status === 200);
    expect((await enterAt(index, bearer)).status).toBe(200);
  }
  await walkThrough({ site, origin: proxy.origin });
  expect(site.servers.map(({ pid, child }) => [pid, child.exitCode])).toEqual(pids.map((pid) => [pid, null]));
});

test("rows locked for too long are a 503, and the next request is served", { timeout: 60_000 }, async () => {
  const holder = await site.gate.mintKey();
  const json = await through().formBody({ ...holder, message: "waits" });
  const columns = {
    chainId: 31337n,
    contractAddress: site.gate.contract.toLowerCase(),
    tokenId: holder.tokenId,
  };
  const refused = await site.database.$transaction(
    async (transaction) => {
      await transaction.usedKey.create({ data: { ...columns, usedBy: "0x", usedAtMs: 1n } });
      const answer = await through().post("/api/form-submission-gate", json);
      await transaction.usedKey.deleteMany({ where: columns });
      return answer;
    },
    { timeout: 30_000 },
  );
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "5"]);
  const again = await through().formBody({ ...holder, message: "waits" });
  expect((await through().post("/api/form-submission-gate", again)).status).toBe(200);
});

test(
  "a server without a free connection refuses in words while the other serves, and recovers",
  { timeout: 60_000 },
  async () => {
    const { tokenId } = await site.gate.mintKey();
    const ask = (index: number) => at(index)({ path: `/api/token-status/${tokenId}` });
    expect((await ask(0)).status).toBe(200);
    const refused = await site.database.$transaction(
      async (transaction) => {
        await transaction.$executeRaw`LOCK TABLE "UsedKey" IN ACCESS EXCLUSIVE MODE`;
        // Ten wait for the table with all connections. The others wait for a connection.
        const waiting = Promise.all(Array.from({ length: 14 }, () => ask(0)));
        expect((await at(0)({ path: "/healthz" })).status).toBe(200);
        expect((await at(1)({ path: "/api/nonce" })).status).toBe(200);
        return waiting;
      },
      { timeout: 30_000 },
    );
    expect(refused.map(({ status }) => status)).toEqual(Array(14).fill(503));
    expect(new Set(refused.map(({ headers }) => headers.get("retry-after")))).toEqual(new Set(["5"]));
    expect(site.servers[0]!.output()).toContain("timeout exceeded when trying to connect");
    expect((await ask(0)).status).toBe(200);
  },
);

test(
  "one server at a time owns the watcher's lease, and when it is killed the other acquires it within the lease",
  { timeout: 120_000 },
  async () => {
    const held = () => Promise.all(site.servers.map(readLeases));
    const countOwners = (each: Record<string, number>[]) =>
      each.reduce((sum, leases) => sum + leases.watcher!, 0);
    await waitUntil(async () => countOwners(await held()) === 1);
    const standing = await held();
    const leader = standing.findIndex((each) => each.watcher === 1);
    const [dead] = site.servers.splice(leader, 1);
    proxy.setPorts(site.servers.map(({ port }) => port));
    const readTerms = async () =>
      (await site.database.lease.findMany()).map(({ name, term }) => ({ name, term }));
    const before = await readTerms();
    expect(before).toMatchObject([{ name: "watcher" }]);
    const holder = await site.gate.mintKey();
    const form = await through().formBody({ ...holder, message: "while one server is dead" });
    await dead!.kill();
    const diedAtMs = performance.now();
    expect((await through().post("/api/form-submission-gate", form)).status).toBe(200);
    // The server that queued a notification sends it, even without the lease.
    await waitUntil(() =>
      site.receiver.received.some(({ body }) => body.includes("while one server is dead")),
    );
    const timeoutMs = (leaseSeconds + 10) * 1000;
    await waitUntil(async () => countOwners(await held()) === 1, { timeoutMs });
    expect(performance.now() - diedAtMs).toBeLessThan((leaseSeconds + 5) * 1000);
    expect(await readTerms()).toEqual(before.map(({ name, term }) => ({ name, term: term + 1n })));

    // The new watcher catches up on transfers it missed.
    const { bearer, account, tokenId } = await enterNew();
    await site.gate.transferKey({ from: account, to: (await site.gate.rich()).address, tokenId });
    await waitUntil(async () => (await at(0)({ path: "/api/quota", headers: bearer })).status === 401);

    // A shutdown releases the lease at once, although it is long.
    const long = { LEASE_SECONDS: String(longLeaseSeconds) };
    for (const _turn of ["to an owner for long", "from an owner for long"]) {
      const next = await site.startInstance(long);
      expect(await readLeases(next)).toEqual({ watcher: 0 });
      await site.servers[0]!.stop();
      site.servers.splice(0, 1, next);
      proxy.setPorts([next.port]);
      await waitUntil(async () => (await readLeases(next)).watcher === 1);
    }
    await walkThrough({ site, origin: proxy.origin });
  },
);
