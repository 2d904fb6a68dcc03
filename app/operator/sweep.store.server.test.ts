import { expect } from "vitest";
import { createTestClock, testOnEachDatabase } from "~e2e/support/databases/database";
import { hourSeconds, minuteSeconds } from "./activity/activity.store.server";
import { createOperatorSweep } from "./sweep.store.server";

const dayMs = 86_400_000;
const { clock } = createTestClock();
const retention = { decisionDays: 30, maxDecisions: 1_000, activityDays: 90, auditDays: 365 };

const decision = { route: "/", outcome: "granted", clientId: "c", requestId: "r" };

testOnEachDatabase(
  "records are deleted at the end of their retention, to the millisecond",
  async ({ database }) => {
    const nowMs = clock();
    for (const [name, offsetMs] of [
      ["old", -1],
      ["new", 0],
    ] as const) {
      const at = (days: number) => BigInt(nowMs - days * dayMs + offsetMs);
      await database.accessDecision.create({ data: { ...decision, id: name, atMs: at(30) } });
      const entry = { kind: "quota-reset", clientId: "c", requestId: "r", detail: "{}" };
      await database.auditEntry.create({ data: { ...entry, id: name, atMs: at(365) } });
      const count = { series: name, amount: 1n };
      await database.activityCount.createMany({
        data: [
          { ...count, spanSeconds: hourSeconds, startMs: at(90) },
          { ...count, spanSeconds: minuteSeconds, startMs: BigInt(nowMs - 25 * 3_600_000 + offsetMs) },
        ],
      });
      const session = { digest: name, clientId: "c", startedAtMs: 1n, seenAtMs: 1n };
      await database.operatorSession.create({ data: { ...session, endsAtMs: BigInt(nowMs + offsetMs + 1) } });
    }
    const sweep = createOperatorSweep({ database, retention });
    expect(await sweep.deleteBatch({ nowMs, batchSize: 100 })).toBe(1);
    expect(await sweep.deleteBatch({ nowMs, batchSize: 100 })).toBe(0);
    expect((await database.accessDecision.findMany()).map(({ id }) => id)).toEqual(["new"]);
    expect((await database.auditEntry.findMany()).map(({ id }) => id)).toEqual(["new"]);
    expect((await database.operatorSession.findMany()).map(({ digest }) => digest)).toEqual(["new"]);
    expect((await database.activityCount.findMany()).map(({ series }) => series)).toEqual(["new", "new"]);
  },
);

testOnEachDatabase(
  "the oldest decisions beyond the maximum are deleted, batch by batch",
  async ({ database }) => {
    const nowMs = clock();
    const ids = Array.from({ length: 25 }, (_, index) => `${nowMs}-${String(index).padStart(3, "0")}`);
    await database.accessDecision.createMany({
      data: ids.map((id) => ({ ...decision, id, atMs: BigInt(nowMs) })),
    });
    const sweep = createOperatorSweep({ database, retention: { ...retention, maxDecisions: 10 } });
    const deleted = [];
    for (let round = 0; round < 3; round++) deleted.push(await sweep.deleteBatch({ nowMs, batchSize: 8 }));
    expect(deleted).toEqual([8, 7, 0]);
    const left = await database.accessDecision.findMany({ orderBy: { id: "asc" } });
    expect(left.map(({ id }) => id)).toEqual(ids.slice(15));
  },
);
