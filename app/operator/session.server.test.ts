import { expect, test } from "vitest";
import type { Database } from "~/platform/database/database.server";
import { createLog } from "~/platform/log/log.server";
import { createTestClock, testOnEachDatabase } from "~e2e/support/databases/database";
import { readNext } from "./page-guard.server";
import { createSessionAccess, writeOperatorCookie } from "./session.server";
import { createSessionStore } from "./sessions.store.server";

const operatorCookieName = "latchkey_operator";
const secret = "k3Vq9ZsT1mXbW7hD";
const actor = { clientId: "192.0.2.1", requestId: "request-1" };
const idleSeconds = 600;
const maxSeconds = 3_600;

function prepare(database: Database) {
  const { clock, advance } = createTestClock();
  const lines: string[] = [];
  const log = createLog("info", { write: (line) => void lines.push(line) });
  const sessions = createSessionStore(database, clock);
  const dependencies = { secret, idleSeconds, maxSeconds, sessions, clock, log };
  const enter = async () => {
    const { value } = await createSessionAccess(dependencies).signIn({ given: secret, actor });
    return `other=1; ${operatorCookieName}=${value}`;
  };
  const isIn = async (cookie: string | undefined, its = dependencies) => {
    try {
      await createSessionAccess(its).requireSession({ cookie });
      return true;
    } catch (error) {
      expect(error).toMatchObject({ refusalName: "operator-sign-in-needed", status: 401 });
      return false;
    }
  };
  return { dependencies, advance, enter, isIn, lines };
}

async function readAudit(database: Database) {
  const entries = await database.auditEntry.findMany({ orderBy: { atMs: "asc" } });
  return entries.map(({ kind, clientId }) => [kind, clientId]);
}

testOnEachDatabase("the right secret opens a session, which signing out ends", async ({ database }) => {
  const { dependencies, enter, isIn, advance } = prepare(database);
  const [cookie, other] = [await enter(), await enter()];
  expect(await isIn(cookie)).toBe(true);
  advance(1);
  await createSessionAccess(dependencies).signOut({ cookie, actor });
  await createSessionAccess(dependencies).signOut({ cookie, actor });
  expect(await isIn(cookie)).toBe(false);
  expect(await isIn(other)).toBe(true);
  expect(await readAudit(database)).toEqual([
    ["operator-sign-in", "192.0.2.1"],
    ["operator-sign-in", "192.0.2.1"],
    ["operator-sign-out", "192.0.2.1"],
  ]);
});

testOnEachDatabase(
  "a wrong secret is recorded with its client, and its text nowhere",
  async ({ database }) => {
    const { dependencies, lines } = prepare(database);
    for (const given of ["", "wrong-and-typed", `${secret} `, secret.toLowerCase()]) {
      await expect(createSessionAccess(dependencies).signIn({ given, actor })).rejects.toMatchObject({
        refusalName: "operator-secret-wrong",
        status: 401,
      });
    }
    expect(await readAudit(database)).toEqual([["operator-sign-in-refused", "192.0.2.1"]]);
    expect(await database.operatorSession.count()).toBe(0);
    const kept = JSON.stringify(await database.auditEntry.findMany(), (_, value) => String(value));
    expect(`${kept}${lines.join("")}`).not.toContain("wrong-and-typed");
  },
);

testOnEachDatabase(
  "wrong secrets are one row for an address and hour, which counts every one",
  async (its) => {
    const { database } = its;
    const { dependencies, advance } = prepare(database);
    const clients = ["192.0.2.1", "2001:db8::/64"];
    const guess = (clientId: string, requestId: string) =>
      createSessionAccess(dependencies)
        .signIn({ given: "wrong", actor: { clientId, requestId } })
        .catch(() => undefined);
    const readRows = async () =>
      (await database.auditEntry.findMany({ orderBy: [{ atMs: "asc" }, { clientId: "asc" }] })).map((row) => [
        ...[row.kind, row.clientId, JSON.parse(row.detail)],
      ]);
    for (const clientId of clients)
      await Promise.all(Array.from({ length: 60 }, (_, index) => guess(clientId, `request-${index}`)));
    const msLeft = 3_600_000 - (dependencies.clock() % 3_600_000);
    for (const ms of [1, 60_000, msLeft - 60_002]) {
      advance(ms);
      for (const clientId of clients)
        await Promise.all(Array.from({ length: 20 }, (_, index) => guess(clientId, `later-${index}`)));
    }
    const kind = "operator-sign-in-refused";
    const first = clients.map((clientId) => [kind, clientId, { times: 120 }]);
    expect(await readRows()).toEqual(first);
    advance(1);
    await guess(clients[0]!, "request-last");
    advance(60_000);
    await guess(clients[0]!, "request-latest");
    expect(await readRows()).toEqual([...first, [kind, clients[0], { times: 2 }]]);
    const latest = await database.auditEntry.findFirstOrThrow({ orderBy: { atMs: "desc" } });
    expect([latest.requestId, Number(latest.atMs)]).toEqual(["request-latest", dependencies.clock()]);
  },
);

testOnEachDatabase("a session expires after its idle time, to the millisecond", async ({ database }) => {
  const { enter, isIn, advance } = prepare(database);
  const cookie = await enter();
  advance(idleSeconds * 1000 - 1);
  expect(await isIn(cookie)).toBe(true);
  advance(idleSeconds * 1000 - 1);
  expect(await isIn(cookie)).toBe(true);
  advance(idleSeconds * 1000);
  expect(await isIn(cookie)).toBe(false);
});

testOnEachDatabase("a session in constant use expires all the same", async ({ database }) => {
  const { enter, isIn, advance } = prepare(database);
  const cookie = await enter();
  for (let minute = 1; minute < 60; minute++) {
    advance(60_000);
    expect(await isIn(cookie)).toBe(true);
  }
  advance(59_999);
  expect(await isIn(cookie)).toBe(true);
  advance(1);
  expect(await isIn(cookie)).toBe(false);
});

testOnEachDatabase(
  "changing the secret ends every session, and only a complete cookie is valid",
  async ({ database }) => {
    const { dependencies, enter, isIn } = prepare(database);
    const cookie = await enter();
    expect(await isIn(cookie, { ...dependencies, secret: "another-k3Vq9ZsT1m" })).toBe(false);
    for (const wrong of [undefined, "", `${operatorCookieName}=`, cookie.slice(0, -1), `${cookie}A`]) {
      expect(await isIn(wrong)).toBe(false);
    }
    const { digest } = await database.operatorSession.findFirstOrThrow();
    expect(cookie).not.toContain(digest);
    expect(await isIn(`${operatorCookieName}=${digest}`)).toBe(false);
  },
);

testOnEachDatabase("a session that is ended while it is used stays ended", async ({ database }) => {
  const { dependencies, enter, isIn, advance } = prepare(database);
  const cookie = await enter();
  advance(120_000);
  await Promise.all([
    ...Array.from({ length: 20 }, () => isIn(cookie)),
    createSessionAccess(dependencies).signOut({ cookie, actor }),
    ...Array.from({ length: 20 }, () => isIn(cookie)),
  ]);
  expect(await isIn(cookie)).toBe(false);
  expect(await database.operatorSession.count()).toBe(0);
});

test("the session cookie is sent to the operator's pages only, and hidden from scripts and other sites", () => {
  expect(writeOperatorCookie({ value: "v", maxAgeSeconds: 60 }, "https://gate.example.com")).toBe(
    "latchkey_operator=v; Path=/operator; Max-Age=60; HttpOnly; SameSite=Strict; Secure",
  );
  expect(writeOperatorCookie({ value: "v", maxAgeSeconds: 60 }, "http://localhost:3000")).not.toContain(
    "Secure",
  );
});

test.each([
  [null, "/operator/state"],
  ["/operator/keys?sort=usedBy", "/operator/keys?sort=usedBy"],
  ["https://evil.example/operator/", "/operator/state"],
  ["//evil.example/operator/", "/operator/state"],
  ["/operator//evil.example", "/operator//evil.example"],
  ["/operator/../gate", "/operator/state"],
  ["/operator/\\evil.example", "/operator/state"],
  ["/operator/sign-in", "/operator/state"],
  ["/gate", "/operator/state"],
  ["/operator/\nx", "/operator/state"],
])("signing in with the return address %j leads to %s", (next, expected) => {
  expect(readNext(next)).toBe(expected);
});
