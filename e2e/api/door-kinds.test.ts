import { afterAll, beforeAll, expect, test } from "vitest";
import { waitUntil } from "~e2e/support/processes";
import { latchkeyRight } from "~e2e/support/chain/key-kinds";
import { developmentAccount } from "../../contracts/local-chain.mjs";
import { asPage, openDoorClient } from "./door-fixture";
import { claimsOf, openKeysGate, takeAway } from "./keys-fixture";
import type { KindName, KeysGate } from "./keys-fixture";

const founders = "founders.example.com";
const patrons = "patrons.example.com";
const lent = "lent.example.com";
const chosen = "chosen.example.com";

let gate: KeysGate;
let door: ReturnType<typeof openDoorClient>;
beforeAll(async () => {
  gate = await openKeysGate({
    doors: { founder: chosen, patron: chosen },
    env: {
      DOOR_HOSTS: `${founders}=founder, ${patrons}=patron, ${lent}=lent, ${chosen}`,
      TRUST_PROXY: "loopback",
      OWNERSHIP_CACHE_SECONDS: "1",
      RATE_LIMIT_SESSION_ENTER: "0",
    },
  });
  door = openDoorClient(gate);
}, 120_000);
afterAll(() => gate?.close());

async function signIn(name: KindName, index: number, rest: { tokenId?: string; vault?: string } = {}) {
  const { account } = developmentAccount(index);
  const { body } = await gate.post("/api/gate-access", await gate.siwe(name, account, rest));
  expect(body.access, JSON.stringify(body)).toBe("granted");
  return String(body.accessToken);
}

async function refusalOf(token: string, host: string) {
  const { order } = await door.start("/", { host });
  const { status, body } = await door.goOn(token, order);
  return { status, slug: String(body.type).split("/problems/")[1], body };
}

test("one sign-in opens each site whose kind it is, or whose membership its wallet meets", async () => {
  const tokenId = await gate.mintKey(1);
  const token = await signIn("founder", 1, { tokenId });
  const cookie = await door.letIn(token, { host: founders });
  const answer = await door.question({ host: founders, cookie });
  expect([answer.status, answer.headers.get("remote-groups"), answer.headers.get("x-latchkey-key")]).toEqual([
    200,
    "founder",
    `founder:${tokenId}`,
  ]);
  const before = await refusalOf(token, patrons);
  expect([before.status, before.slug]).toEqual([403, "not-opened-by-this-key"]);
  expect(before.body.detail).toContain("Patrons");
  expect(JSON.stringify(before.body.requirements)).toContain("5 coins");

  await gate.fund(1, 5_000_000n);
  const asPatron = await door.letIn(token, { host: patrons });
  const met = await door.question({ host: patrons, cookie: asPatron });
  const id = BigInt(developmentAccount(1).address).toString();
  expect([met.status, met.headers.get("remote-groups"), met.headers.get("x-latchkey-key")]).toEqual([
    200,
    "patron",
    `patron:${id}`,
  ]);
  // Each site has its own cookie.
  expect((await door.question({ host: founders, cookie: asPatron })).status).toBe(302);

  const signedOut = { Cookie: `access_token=${token}` };
  expect((await gate.ask({ path: "/session", method: "DELETE", headers: signedOut })).status).toBe(200);
  expect((await door.question({ host: founders, cookie })).status).toBe(302);
  expect((await door.question({ host: patrons, cookie: asPatron })).status).toBe(302);
});

test("a vault and its delegate who signed the same text sign out and are counted each for themselves", async () => {
  const [vault, delegate] = [developmentAccount(6), developmentAccount(7)];
  const tokenId = await gate.mintKey(6);
  await gate.registry.delegateAll({ from: 6, to: delegate.address, rights: latchkeyRight });
  const timestamp = Date.now();
  const signInAs = async ({ account }: typeof vault, rest: { vault?: string } = {}) => {
    const body = await gate.legacy("lent", account, { tokenId, timestamp, ...rest });
    return String((await gate.post("/api/gate-access", body)).body.accessToken);
  };
  const [ofVault, ofDelegate] = [await signInAs(vault), await signInAs(delegate, { vault: vault.address })];
  expect(claimsOf(ofVault).siwe_hash).toBe(claimsOf(ofDelegate).siwe_hash);
  const cookie = await door.letIn(ofVault, { host: lent });

  for (let round = 0; round < 5; round++) await door.beginWayIn(ofDelegate, { host: lent });
  const { order } = await door.start("/", { host: lent });
  expect((await door.goOn(ofDelegate, order)).status).toBe(429);
  await door.beginWayIn(ofVault, { host: lent });

  const headers = { Cookie: `access_token=${ofDelegate}` };
  expect((await gate.ask({ path: "/session", method: "DELETE", headers })).status).toBe(200);
  expect((await door.goOn(ofDelegate, order)).status).toBe(401);
  expect((await door.question({ host: lent, cookie })).status).toBe(200);
  await door.beginWayIn(ofVault, { host: lent });
});

test("a session of another kind is told which one opens the site", async () => {
  await gate.fund(2, 5_000_000n);
  const token = await signIn("patron", 2);
  const { status, slug, body } = await refusalOf(token, founders);
  expect([status, slug]).toEqual([403, "not-opened-by-this-key"]);
  expect(body.detail).toContain("Founder's key");
  expect(body.requirements).toEqual({
    outcome: "unmet",
    any: [{ label: "Founder's key", outcome: "unmet", needed: "1", chainId: 31337 }],
  });
  // No code is issued, so none counts.
  for (let round = 0; round < 5; round++) {
    expect((await refusalOf(token, founders)).slug).toBe("not-opened-by-this-key");
  }
});

test("a membership that its wallet has used up is no way in, and another kind's is", async () => {
  await gate.fund(8, 5_000_000n);
  const token = await signIn("founder", 8, { tokenId: await gate.mintKey(8) });
  const { account } = developmentAccount(8);
  // Adds a block, because using a key up requires a holding one block deep.
  await gate.fund(9, 1n);
  const used = await gate.post(
    "/api/form-submission-gate",
    await gate.form("patron", account, { message: "used" }),
  );
  expect(used.status).toBe(200);
  const refused = await refusalOf(token, patrons);
  expect([refused.status, refused.slug]).toEqual([403, "this-token-has-already-been-used"]);
  // A browser gets a page that says so, and no redirect loop.
  const { order } = await door.start("/", { host: patrons });
  const page = await door.send(`/gate?${new URLSearchParams(order).toString()}`, {
    ...asPage,
    Cookie: `access_token=${token}`,
  });
  expect([page.status, page.location]).toEqual([200, ""]);
  const cookie = await door.letIn(token, { host: chosen });
  expect((await door.question({ host: chosen, cookie })).headers.get("remote-groups")).toBe("founder");
});

test("a site without a kind of its own opens to every kind that names it", async () => {
  const tokenId = await gate.mintKey(3);
  const founder = await signIn("founder", 3, { tokenId });
  const cookie = await door.letIn(founder, { host: chosen });
  expect((await door.question({ host: chosen, cookie })).headers.get("remote-groups")).toBe("founder");
  const other = await signIn("silent", 3, { tokenId });
  expect((await refusalOf(other, chosen)).status).toBe(403);
});

test("a delegate is let in for the vault, which the site is told", async () => {
  const vault = developmentAccount(4).address;
  const delegate = developmentAccount(5).address;
  const tokenId = await gate.mintKey(4);
  await gate.registry.delegateAll({ from: 4, to: delegate, rights: latchkeyRight });
  const token = await signIn("lent", 5, { tokenId, vault });
  const cookie = await door.letIn(token, { host: lent });
  const answer = await door.question({ host: lent, cookie });
  const told = ["remote-user", "x-latchkey-key", "x-latchkey-vault"].map((name) => answer.headers.get(name));
  expect(told).toEqual([delegate.toLowerCase(), `lent:${tokenId}`, vault.toLowerCase()]);
});

test("a kind that is no longer met closes the site within the cache's time", async () => {
  await gate.fund(6, 5_000_000n);
  const token = await signIn("patron", 6);
  const cookie = await door.letIn(token, { host: patrons });
  expect((await door.question({ host: patrons, cookie })).status).toBe(200);
  await gate.spendCoins(6, 1n);
  await waitUntil(async () => (await door.question({ host: patrons, cookie })).status === 302, {
    timeoutMs: 5_000,
    everyMs: 100,
  });
});

test("while a chain is away its fresh reading stands, then the site neither opens nor turns away", async () => {
  await gate.fund(7, 5_000_000n);
  const token = await signIn("patron", 7);
  const cookie = await door.letIn(token, { host: patrons });
  takeAway(gate.second);
  const statuses = new Set<number>();
  await waitUntil(
    async () => {
      const { status } = await door.question({ host: patrons, cookie });
      statuses.add(status);
      return status === 503;
    },
    { timeoutMs: 10_000, everyMs: 50 },
  );
  expect([...statuses]).toEqual([200, 503]);
  expect((await refusalOf(token, patrons)).status).toBe(503);
});
