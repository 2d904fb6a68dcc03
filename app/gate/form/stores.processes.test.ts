import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import { systemClock as clock } from "~/platform/time/clock";
import { isSqlite } from "~/platform/database/database.server";
import { readLines, startTestProcess } from "~e2e/support/child-process";
import { testOnEachDatabase } from "~e2e/support/databases/database";
import { testOnEachState } from "~e2e/support/databases/state";

function findTestProcess(name: string): string {
  return fileURLToPath(new URL(`../../../e2e/support/databases/${name}`, import.meta.url));
}

testOnEachState(
  "two processes on one state admit a nonce, a signature and a key exactly once, and limits hold",
  async (state) => {
    const { databaseUrl, redisUrl, redisPassword, redisPrefix } = state.addresses;
    const args = [databaseUrl, "50", redisUrl, redisPassword, redisPrefix];
    await state.openStores({ clock }).nonces.issueNonce({
      value: "contested",
      clientId: "c",
      ttlSeconds: 600,
    });
    const racers = [1, 2].map(() => {
      const child = startTestProcess(findTestProcess("store-racer.ts"), args);
      return { child, lines: readLines(child) };
    });
    for (const { lines } of racers) expect((await lines.next()).value).toBe("ready");
    for (const { child } of racers) child.stdin.write("go\n");
    const results = await Promise.all(
      racers.map(async ({ lines }) => JSON.parse(String((await lines.next()).value))),
    );
    const total = (name: string) => results.reduce((sum, wins) => sum + wins[name], 0);
    expect({
      nonce: total("nonce"),
      signature: total("signature"),
      submission: total("submission"),
      fixed: total("fixed"),
      sliding: total("sliding"),
    }).toEqual({ nonce: 1, signature: 1, submission: 1, fixed: 60, sliding: 60 });
  },
);

testOnEachDatabase(
  "a process killed repeatedly while it submits keeps what it acknowledged and leaves nothing half done",
  async ({ url, database }) => {
    const acknowledged = new Set<number>();
    const kills = 8;
    for (let round = 0; round < kills; round++) {
      // Each process has its own numbers, so a key used without acknowledgement is not used again.
      const child = startTestProcess(findTestProcess("submit-forever.ts"), [url, String(round * 1e6)]);
      const killAfterLines = 1 + Math.floor(Math.random() * 30);
      let lineCount = 0;
      for await (const line of readLines(child)) {
        acknowledged.add(Number(line));
        lineCount++;
        // At a random moment of the next submission, not always right after one.
        if (lineCount === killAfterLines) setTimeout(() => child.kill("SIGKILL"), Math.random() * 4);
      }
    }

    if (isSqlite(database)) {
      expect(await database.$queryRaw`PRAGMA integrity_check`).toEqual([{ integrity_check: "ok" }]);
    }
    const numbersOf = (rows: { tokenId: string }[]) =>
      rows.map(({ tokenId }) => Number(tokenId)).sort((a, b) => a - b);
    const used = numbersOf(await database.usedKey.findMany());
    expect(numbersOf(await database.submission.findMany())).toEqual(used);
    expect(await database.notification.count()).toBe(used.length);
    expect(await database.notificationDelivery.count()).toBe(2 * used.length);
    expect([...acknowledged].filter((number) => !used.includes(number))).toEqual([]);
    expect(acknowledged.size).toBeGreaterThanOrEqual(kills);
    // At most the one submission in flight at each kill was stored without being acknowledged.
    expect(used.length - acknowledged.size).toBeLessThanOrEqual(kills);
  },
  180_000,
);
