import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import { readLines, startTestProcess } from "~e2e/support/child-process";
import { testOnEachDatabase } from "~e2e/support/databases/database";
import { waitUntil } from "~e2e/support/processes";

const file = fileURLToPath(new URL("../../../e2e/support/databases/lease-worker.ts", import.meta.url));
const leaseSeconds = 2;
/** Long enough that an owner within `waitUntil`'s ten seconds was given it. */
const longLeaseSeconds = 30;
/** After a lease expires, others check every two thirds of a second. The rest is for a busy machine. */
const longestGapMs = 5_000;

async function startWorker(url: string, name: string, seconds: number = leaseSeconds) {
  const child = startTestProcess(file, [url, name, String(seconds)]);
  const said: string[] = [];
  const ended = (async () => {
    for await (const line of readLines(child)) said.push(line);
  })();
  await waitUntil(() => said.includes("started"));
  return { child, said, ended, count: (word: string) => said.filter((line) => line === word).length };
}

testOnEachDatabase(
  "another process acquires a killed owner's lease when it has expired, and not before",
  async ({ url, database }) => {
    const first = await startWorker(url, "first");
    const second = await startWorker(url, "second");
    await waitUntil(() => first.count("worked") > 3);
    expect(second.said).toEqual(["started"]);

    const [before] = await database.lease.findMany();
    first.child.kill("SIGKILL");
    await first.ended;
    const [atDeath] = await database.lease.findMany();
    expect(atDeath?.owner).toBe("first");
    await waitUntil(() => second.count("worked") > 0, { timeoutMs: 20_000 });
    const [after] = await database.lease.findMany();
    expect(after).toMatchObject({ owner: "second", term: (before?.term ?? 0n) + 1n });
    // Both times are the database's. The lease was taken after the dead owner's expired, and soon after.
    const takenAtMs = Number(after?.expiresAtMs) - leaseSeconds * 1_000;
    expect(takenAtMs).toBeGreaterThanOrEqual(Number(atDeath?.expiresAtMs));
    expect(takenAtMs).toBeLessThan(Number(atDeath?.expiresAtMs) + longestGapMs);
  },
);

testOnEachDatabase(
  "a process that shuts down releases its lease at once, long before it would expire",
  async ({ url, database }) => {
    const first = await startWorker(url, "first", longLeaseSeconds);
    const second = await startWorker(url, "second", longLeaseSeconds);
    await waitUntil(() => first.count("worked") > 0);
    const [before] = await database.lease.findMany();
    first.child.kill("SIGTERM");
    await first.ended;
    await waitUntil(() => second.count("worked") > 0);
    const [after] = await database.lease.findMany();
    expect(after).toMatchObject({ owner: "second", term: (before?.term ?? 0n) + 1n });
    const takenAtMs = Number(after?.expiresAtMs) - longLeaseSeconds * 1_000;
    expect(takenAtMs).toBeLessThan(Number(before?.expiresAtMs));
    expect(first.count("refused")).toBe(0);
  },
);

testOnEachDatabase(
  "a process paused until its lease has expired changes nothing when it wakes up",
  async ({ url, database }) => {
    const first = await startWorker(url, "first");
    await waitUntil(() => first.count("worked") > 0);
    const second = await startWorker(url, "second");
    for (let round = 0; round < 3; round++) {
      const [worker, other] = round % 2 === 0 ? [first, second] : [second, first];
      const worked = other.count("worked");
      const done = worker.count("worked");
      // Right after a statement, so that on SQLite it isn't suspended while it has the file's lock.
      await waitUntil(() => worker.count("worked") > done, { everyMs: 1 });
      worker.child.kill("SIGSTOP");
      await waitUntil(() => other.count("worked") > worked);
      const before = worker.count("worked");
      worker.child.kill("SIGCONT");
      // By the time the other one has done much more, anything in progress at the suspension is over.
      const target = other.count("worked") + 20;
      await waitUntil(() => other.count("worked") > target);
      expect(worker.count("worked") - before).toBe(0);
      const [cursor] = await database.chainCursor.findMany();
      expect(cursor?.blockHash).toBe(other === second ? "second" : "first");
    }
  },
);
