import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { systemClock as clock } from "~/platform/clock";
import { readLines, startTestProcess } from "~/testing/child-process";
import { createTestDatabase, testOnEachDatabase } from "~/testing/database";
import { createLogLines } from "~/testing/log-lines";
import { isInstanceGone, nameInstance } from "./instance.server";
import { createOrphanSettler } from "./orphan-settler.server";
import { createQuotaStore } from "./quota.store.server";

const limit = 20_000;
const owner = { kind: "token", subject: "31337:0xaa:1" } as const;
const racerFile = fileURLToPath(new URL("../testing/quota-racer.ts", import.meta.url));

async function startRacer({ url, leaseSeconds = 600 }: { url: string; leaseSeconds?: number }) {
  const args = [url, owner.subject, String(limit), String(leaseSeconds)];
  const child = startTestProcess({ file: racerFile, args });
  const lines = readLines(child);
  expect((await lines.next()).value).toBe("ready");
  return {
    child,
    order: async (order: string): Promise<number[]> => {
      child.stdin.write(`${order}\n`);
      return JSON.parse(String((await lines.next()).value)) as number[];
    },
  };
}

const sumOf = (amounts: number[]) => amounts.reduce((sum, amount) => sum + amount, 0);

testOnEachDatabase(
  "100 answers of two processes at the edge reserve exactly the limit",
  async ({ database, url }) => {
    const racers = await Promise.all([startRacer({ url }), startRacer({ url })]);
    const amounts = (await Promise.all(racers.map((racer) => racer.order("50 900 -")))).flat();
    expect(amounts).toHaveLength(100);
    expect(sumOf(amounts)).toBe(limit);
    const store = createQuotaStore({ database, clock, instance: "watcher" });
    expect(await store.readStanding({ owner, limit })).toMatchObject({
      used: 0,
      reserved: limit,
      remaining: 0,
    });
  },
);

testOnEachDatabase(
  "answers of two processes that end at once are all counted, once",
  async ({ database, url }) => {
    const racers = await Promise.all([startRacer({ url }), startRacer({ url })]);
    const amounts = (await Promise.all(racers.map((racer) => racer.order("50 150 70")))).flat();
    const admitted = amounts.filter((amount) => amount > 0);
    expect(admitted).toHaveLength(100);
    const store = createQuotaStore({ database, clock, instance: "watcher" });
    expect(await store.readStanding({ owner, limit })).toMatchObject({ used: 7_000, reserved: 0 });
  },
);

test("what a killed process had reserved counts in full once its lease has run out, and not before", async () => {
  const { database, url } = await createTestDatabase();
  const racer = await startRacer({ url, leaseSeconds: 600 });
  expect(await racer.order("3 1000 -")).toEqual([1_000, 1_000, 1_000]);
  racer.child.kill("SIGKILL");
  await once(racer.child, "close");
  const store = createQuotaStore({ database, clock, instance: "watcher" });
  expect(await store.settleOrphans({ nowMs: clock() })).toBe(0);
  expect(await store.readStanding({ owner, limit })).toMatchObject({ used: 0, reserved: 3_000 });
  expect(await store.settleOrphans({ nowMs: clock() + 600_000 })).toBe(3);
  expect(await store.readStanding({ owner, limit })).toMatchObject({ used: 3_000, reserved: 0 });
});

test("the next start settles at once what a killed process of this machine left, and spares the living", async () => {
  const { database, url } = await createTestDatabase();
  const [killed, living] = await Promise.all([startRacer({ url }), startRacer({ url })]);
  await killed.order("3 1000 -");
  await living.order("1 500 -");
  killed.child.kill("SIGKILL");
  await once(killed.child, "close");
  const self = nameInstance();
  const store = createQuotaStore({ database, clock, instance: self });
  const { log, entries } = createLogLines();
  const settler = createOrphanSettler({
    store,
    isGone: (instance) => isInstanceGone({ instance, self }),
    clock,
    intervalSeconds: 600,
    log,
  });
  onTestFinished(() => settler.stop());
  await settler.start();
  expect(await store.readStanding({ owner, limit })).toMatchObject({ used: 3_000, reserved: 500 });
  expect(entries()).toMatchObject([{ level: "warn", reservations: 3 }]);
});
