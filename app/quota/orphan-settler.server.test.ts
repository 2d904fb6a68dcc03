import { expect, onTestFinished, test } from "vitest";
import { createTestClock, createTestDatabase } from "~e2e/support/databases/database";
import { createLogLines } from "~e2e/support/log-lines";
import { waitUntil } from "~e2e/support/processes";
import { createOrphanSettler } from "./orphan-settler.server";
import { createQuotaStore } from "./quota.store.server";

const limit = 20_000;
const owner = { kind: "token", subject: "31337:0xaa:1" } as const;
const request = { owner, wanted: 10, limit, windowSeconds: 86_400, expiresInSeconds: 60 };

async function openSettler() {
  const { database } = await createTestDatabase();
  const { clock, advance } = createTestClock();
  const store = createQuotaStore(database, clock, "a");
  const { log, entries } = createLogLines();
  let failures = 0;
  const settler = createOrphanSettler({
    store: {
      ...store,
      settleOrphans: (request) =>
        failures-- > 0 ? Promise.reject(new Error("away")) : store.settleOrphans(request),
    },
    clock,
    heartbeatTimeoutSeconds: 0.03,
    instance: "a",
    log,
  });
  onTestFinished(() => settler.stop());
  return {
    database,
    clock,
    store,
    settler,
    advance,
    entries,
    failTimes: (times: number) => (failures = times),
  };
}

test("a reservation that expires later is found by a later look, after failed ones too", async () => {
  const { store, settler, advance, entries, failTimes } = await openSettler();
  await store.reserve(request);
  await settler.start();
  expect(await store.readStanding({ owner, limit })).toMatchObject({ used: 0, reserved: 10 });
  failTimes(2);
  advance(60_000);
  await waitUntil(async () => (await store.readStanding({ owner, limit })).used === 10);
  await settler.stop();
  expect(entries().map((entry) => entry.msg)).toEqual([
    expect.stringContaining("could not be settled; retrying"),
    expect.stringContaining("could not be settled; retrying"),
    expect.stringContaining("reservations settled"),
  ]);
});

test("more orphans than one batch are settled in one look", async () => {
  const { store, settler, advance } = await openSettler();
  for (let index = 0; index < 205; index++) await store.reserve(request);
  advance(60_000);
  await settler.start();
  expect(await store.readStanding({ owner, limit })).toMatchObject({ used: 2_050, reserved: 0 });
});

test("a process that stops counts in full what it could not settle", async () => {
  const { store, settler, entries } = await openSettler();
  await settler.start();
  await store.reserve(request);
  await settler.stop();
  expect(await store.readStanding({ owner, limit })).toMatchObject({ used: 10, reserved: 0 });
  expect(entries().map((entry) => entry.msg)).toEqual([expect.stringContaining("reservations settled")]);
});

test("a stopped settler looks no more", async () => {
  const { store, settler, advance } = await openSettler();
  await settler.start();
  await settler.stop();
  await store.reserve(request);
  advance(60_000);
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(await store.readStanding({ owner, limit })).toMatchObject({ used: 0, reserved: 10 });
});

test("other processes get a turn to report that they are alive after an outage, before they count as gone", async () => {
  const { database, clock } = await openSettler();
  const [self, other] = ["self", "other"].map((instance) => createQuotaStore(database, clock, instance));
  await other!.reserve(request);
  await other!.sendHeartbeat({ timeoutMs: 3_600_000 });
  const looks: boolean[] = [];
  const settler = createOrphanSettler({
    store: {
      ...self!,
      sendHeartbeat: async (heartbeat) => {
        // By the second look, no heartbeat could have lasted this long.
        if (looks.length === 1) await database.quotaInstance.updateMany({ data: { expiresAtMs: 0n } });
        looks.push(await self!.sendHeartbeat(heartbeat));
        return looks.at(-1)!;
      },
      settleOrphans: async (orphans) => {
        const settled = await self!.settleOrphans(orphans);
        if (looks.length === 2) await other!.sendHeartbeat({ timeoutMs: 3_600_000 });
        return settled;
      },
    },
    clock,
    heartbeatTimeoutSeconds: 0.5,
    instance: "self",
    log: createLogLines().log,
  });
  onTestFinished(() => settler.stop());
  await settler.start();
  await waitUntil(() => looks.length > 3);
  expect(looks.slice(0, 2)).toEqual([false, false]);
  expect(await self!.readStanding({ owner, limit })).toMatchObject({ used: 0, reserved: 10 });
  await other!.leave();
  await waitUntil(async () => (await self!.readStanding({ owner, limit })).used === 10);
  expect(await database.quotaInstance.findMany({ where: { instance: "other" } })).toEqual([]);
});

test("a process that starts, or finds the store again before its heartbeat times out, gives others a turn before they count as gone", async () => {
  const { database, clock } = await openSettler();
  const [self, other] = ["self", "other"].map((instance) => createQuotaStore(database, clock, instance));
  await other!.reserve(request);
  await other!.sendHeartbeat({ timeoutMs: 3_600_000 });
  const expireOther = () =>
    database.quotaInstance.updateMany({ where: { instance: "other" }, data: { expiresAtMs: 0n } });
  await expireOther();
  const judged: (readonly string[])[] = [];
  let looks = 0;
  const settler = createOrphanSettler({
    store: {
      ...self!,
      sendHeartbeat: async () => {
        looks++;
        if (looks === 3) {
          await expireOther();
          throw new Error("away");
        }
        return self!.sendHeartbeat({ timeoutMs: 3_600_000 });
      },
      settleOrphans: async (orphans) => {
        const settled = await self!.settleOrphans(orphans);
        judged.push(orphans.goneInstances ?? []);
        // The other is slower to find that the store is back.
        if (looks === 1 || looks === 4) await other!.sendHeartbeat({ timeoutMs: 3_600_000 });
        return settled;
      },
    },
    clock,
    heartbeatTimeoutSeconds: 0.3,
    instance: "self",
    log: createLogLines().log,
  });
  onTestFinished(() => settler.stop());
  await settler.start();
  await waitUntil(() => judged.length > 4);
  expect(judged.flat()).toEqual([]);
  expect(await self!.readStanding({ owner, limit })).toMatchObject({ used: 0, reserved: 10 });
});
