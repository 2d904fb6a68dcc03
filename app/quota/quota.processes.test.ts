import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished } from "vitest";
import { systemClock as clock } from "~/platform/time/clock";
import { readLines, startTestProcess } from "~e2e/support/child-process";
import { createLogLines } from "~e2e/support/log-lines";
import { waitUntil } from "~e2e/support/processes";
import { testOnEachState } from "~e2e/support/databases/state";
import type { TestState } from "~e2e/support/databases/state";
import { createInstanceId } from "~/platform/instance/instance.server";
import { createOrphanSettler } from "./orphan-settler.server";

const limit = 20_000;
const owner = { kind: "token", subject: "31337:0xaa:1" } as const;
const racerFile = fileURLToPath(new URL("../../e2e/support/databases/quota-racer.ts", import.meta.url));

async function startRacer({ addresses }: TestState) {
  const { databaseUrl, redisUrl, redisPassword, redisPrefix } = addresses;
  // All of them share this process's host name and id, as containers may.
  const terms = [owner.subject, String(limit), "600", createInstanceId()];
  const args = [databaseUrl, ...terms, redisUrl, redisPassword, redisPrefix];
  const child = startTestProcess(racerFile, args);
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

testOnEachState(
  "100 concurrent answers of two processes at the limit reserve exactly the limit",
  async (state) => {
    const racers = await Promise.all([startRacer(state), startRacer(state)]);
    const amounts = (await Promise.all(racers.map((racer) => racer.order("50 900 -")))).flat();
    expect(amounts).toHaveLength(100);
    expect(sumOf(amounts)).toBe(limit);
    const store = state.openStores({ clock, instance: "watcher" }).quota;
    expect(await store.readStanding({ owner, limit })).toMatchObject({
      used: 0,
      reserved: limit,
      remaining: 0,
    });
  },
);

testOnEachState("concurrently ending answers of two processes are all counted, once", async (state) => {
  const racers = await Promise.all([startRacer(state), startRacer(state)]);
  const amounts = (await Promise.all(racers.map((racer) => racer.order("50 150 70")))).flat();
  const admitted = amounts.filter((amount) => amount > 0);
  expect(admitted).toHaveLength(100);
  const store = state.openStores({ clock, instance: "watcher" }).quota;
  expect(await store.readStanding({ owner, limit })).toMatchObject({ used: 7_000, reserved: 0 });
});

testOnEachState(
  "reservations of a killed process count in full once they have expired, and not before",
  async (state) => {
    const racer = await startRacer(state);
    expect(await racer.order("3 1000 -")).toEqual([1_000, 1_000, 1_000]);
    racer.child.kill("SIGKILL");
    await once(racer.child, "close");
    const store = state.openStores({ clock, instance: "watcher" }).quota;
    expect(await store.settleOrphans({ nowMs: clock() })).toBe(0);
    expect(await store.readStanding({ owner, limit })).toMatchObject({ used: 0, reserved: 3_000 });
    expect(await store.settleOrphans({ nowMs: clock() + 600_000 })).toBe(3);
    expect(await store.readStanding({ owner, limit })).toMatchObject({ used: 3_000, reserved: 0 });
  },
);

testOnEachState(
  "reservations of a killed process are settled soon, and a living one with the same host name and process id is spared",
  async (state) => {
    const [killed, living] = await Promise.all([startRacer(state), startRacer(state)]);
    await killed.order("3 1000 -");
    await living.order("1 500 -");
    killed.child.kill("SIGKILL");
    await once(killed.child, "close");
    const instance = createInstanceId();
    const store = state.openStores({ clock, instance }).quota;
    const { log, entries } = createLogLines();
    const settler = createOrphanSettler({ store, clock, heartbeatTimeoutSeconds: 1, instance, log });
    onTestFinished(() => settler.stop());
    await settler.start();
    await waitUntil(async () => (await store.readStanding({ owner, limit })).used > 0);
    // Many looks later.
    await waitUntil(async () => !(await store.listGoneInstances()).length);
    expect(await store.readStanding({ owner, limit })).toMatchObject({ used: 3_000, reserved: 500 });
    expect(entries()).toMatchObject([{ level: "warn", reservations: 3 }]);
  },
);
