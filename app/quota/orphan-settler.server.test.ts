import { expect, onTestFinished, test } from "vitest";
import { createTestClock, createTestDatabase } from "~/testing/database";
import { createLogLines } from "~/testing/log-lines";
import { waitUntil } from "~/testing/processes";
import { createOrphanSettler } from "./orphan-settler.server";
import { createQuotaStore } from "./quota.store.server";

const limit = 20_000;
const owner = { kind: "token", subject: "31337:0xaa:1" } as const;
const request = { owner, wanted: 10, limit, windowSeconds: 86_400, leaseSeconds: 60 };

async function openSettler() {
  const { database } = await createTestDatabase();
  const { clock, advance } = createTestClock();
  const store = createQuotaStore({ database, clock, instance: "a" });
  const { log, entries } = createLogLines();
  let failures = 0;
  const settler = createOrphanSettler({
    store: {
      ...store,
      listInstances: () => (failures-- > 0 ? Promise.reject(new Error("away")) : store.listInstances()),
    },
    isGone: () => false,
    clock,
    intervalSeconds: 0.01,
    log,
  });
  onTestFinished(() => settler.stop());
  return { store, settler, advance, entries, failTimes: (times: number) => (failures = times) };
}

test("leases that run out later are found by a later look, also after looks that failed", async () => {
  const { store, settler, advance, entries, failTimes } = await openSettler();
  await store.reserve(request);
  await settler.start();
  expect(await store.readStanding({ owner, limit })).toMatchObject({ used: 0, reserved: 10 });
  failTimes(2);
  advance(60_000);
  await waitUntil(async () => (await store.readStanding({ owner, limit })).used === 10);
  await settler.stop();
  expect(entries().map((entry) => entry.msg)).toEqual([
    expect.stringContaining("next look tries again"),
    expect.stringContaining("next look tries again"),
    expect.stringContaining("counted in full"),
  ]);
});

test("more orphans than one batch are settled in one look", async () => {
  const { store, settler, advance } = await openSettler();
  for (let index = 0; index < 205; index++) await store.reserve(request);
  advance(60_000);
  await settler.start();
  expect(await store.readStanding({ owner, limit })).toMatchObject({ used: 2_050, reserved: 0 });
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
