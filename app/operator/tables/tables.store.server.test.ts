import { expect } from "vitest";
import type { Database } from "~/platform/database/database.server";
import { neverAttemptAtMs } from "~/platform/outbox/outbox";
import { toMoment } from "~/platform/limits/hit-log";
import { createTestClock, testOnEachDatabase } from "~e2e/support/databases/database";
import { readTable } from "./read-table.server";
import { tableNames } from "./table-spec";
import { tableSpecs } from "./table-specs";
import type { TableName, TableRow } from "./table-spec";
import { createTableStore } from "./tables.store.server";

const { clock } = createTestClock();
const nowMs = clock();
const hourMs = 3_600_000;
const contract = { chainId: 31337n, contractAddress: "0xcc" };

function read(database: Database, name: TableName, search = "") {
  const tables = createTableStore(database, clock);
  const settings = { findLimit: () => null, findQuota: () => null };
  return readTable(tableSpecs[name], new URLSearchParams(search), {
    tables,
    settings,
    flush: async () => {},
  });
}

function column(rows: readonly TableRow[], name: string) {
  return rows.map((row) => row[name]);
}

async function addSubmissions(database: Database, count: number): Promise<void> {
  await database.submission.createMany({
    data: Array.from({ length: count }, (_, index) => ({
      ...contract,
      id: `id-${String(index).padStart(5, "0")}`,
      tokenId: String(index),
      address: index % 2 === 0 ? "0xaa" : "0xab",
      message: `Message ${index} 100%`,
      requestId: "request",
      // Three rows share each time, so the time alone doesn't order them.
      createdAtMs: BigInt(nowMs - Math.floor(index / 3) * hourMs),
      handledAtMs: index < 5 ? 1n : null,
    })),
  });
}

testOnEachDatabase("pages follow one another without a gap and without a row twice", async ({ database }) => {
  await addSubmissions(database, 60);
  const seen: unknown[] = [];
  for (const page of [1, 2, 3]) {
    const { rows, total, hasNext } = await read(database, "submissions", `page=${page}`);
    expect([total, hasNext, rows.length]).toEqual([60, page < 3, page < 3 ? 25 : 10]);
    seen.push(...column(rows, "id"));
  }
  expect(new Set(seen).size).toBe(60);
  const moments = column((await read(database, "submissions", "size=100")).rows, "createdAtMs") as number[];
  expect(moments).toEqual(moments.toSorted((left, right) => right - left));
  const turned = await read(database, "submissions", "size=100&order=asc");
  expect(column(turned.rows, "id")).toEqual(seen.toReversed());
  expect((await read(database, "submissions", "page=4")).rows).toEqual([]);
});

testOnEachDatabase("filters find what they say and nothing else", async ({ database }) => {
  await addSubmissions(database, 30);
  const ids = async (search: string) =>
    column((await read(database, "submissions", search)).rows, "tokenId").sort();
  expect(await ids("state=handled")).toEqual(["0", "1", "2", "3", "4"]);
  expect(await ids("state=open&size=100")).toHaveLength(25);
  expect(await ids("tokenId=7")).toEqual(["7"]);
  expect(await ids("tokenId=%25")).toEqual([]);
  expect(await ids("address=0xAB&size=100")).toHaveLength(15);
  expect(await ids("message=age 12 ")).toEqual(["12"]);
  expect(await ids("message=100%25&size=100")).toHaveLength(30);
  // `_` and `%` are wildcards, as in SQL.
  expect(await ids("message=age _2 &size=100")).toEqual(["12", "22"]);
  expect(await ids("within=3600")).toEqual(["0", "1", "2", "3", "4", "5"]);
  expect(await ids("address=0xab&state=open&within=3600")).toEqual(["5"]);
  expect(await ids("address=' OR 1=1 --")).toEqual([]);
});

testOnEachDatabase(
  "every row is exported once, the oldest first, however many there are",
  async ({ database }) => {
    await addSubmissions(database, 1_201);
    const { query } = await read(database, "submissions", "address=0xaa");
    const ids: unknown[] = [];
    const sizes: number[] = [];
    for await (const rows of createTableStore(database, clock).submissions.readAll(query)) {
      sizes.push(rows.length);
      ids.push(...column(rows, "id"));
    }
    expect(sizes).toEqual([500, 101]);
    expect(new Set(ids).size).toBe(601);
    expect(Number(String(ids[0]).slice(3))).toBeGreaterThan(Number(String(ids.at(-1)).slice(3)));
  },
);

testOnEachDatabase(
  "the outbox table shows waiting, given-up and delivered notifications",
  async ({ database }) => {
    const deliveries = [
      { channel: "webhook", nextAttemptAtMs: BigInt(nowMs + 5), attempts: 2, lastError: "HTTP 500" },
      { channel: "email", nextAttemptAtMs: BigInt(neverAttemptAtMs), attempts: 9 },
      { channel: "webhook", nextAttemptAtMs: 1n, deliveredAtMs: 2n },
    ];
    for (const [index, delivery] of deliveries.entries()) {
      const id = `notification-${index}`;
      await database.notification.create({
        data: { id, kind: "submission.received", payload: "{}", createdAtMs: BigInt(nowMs - index) },
      });
      await database.notificationDelivery.create({ data: { notificationId: id, ...delivery } });
    }
    const { rows } = await read(database, "outbox");
    expect(rows.map(({ state, nextAttemptAtMs, lastError }) => [state, nextAttemptAtMs, lastError])).toEqual([
      ["waiting", nowMs + 5, "HTTP 500"],
      ["given up", null, null],
      ["delivered", null, null],
    ]);
    for (const [state, expected] of [
      ["waiting", 0],
      ["given-up", 1],
      ["delivered", 2],
    ] as const) {
      const found = await read(database, "outbox", `state=${state}`);
      expect(column(found.rows, "notificationId")).toEqual([`notification-${expected}`]);
    }
    expect(column((await read(database, "outbox", "sort=attempts")).rows, "attempts")).toEqual([9, 2, 0]);
    expect((await read(database, "outbox", "within=3600&channel=webhook")).total).toBe(2);
  },
);

testOnEachDatabase("open quota windows are shown with their reservations", async ({ database }) => {
  const window = { kind: "token", used: 7, windowStartMs: 1n, resetAtMs: BigInt(nowMs + 1) };
  await database.quotaWindow.createMany({
    data: [
      { ...window, subject: "31337:0xcc:1" },
      { ...window, subject: "31337:0xcc:2", used: 9, kind: "speech" },
      { ...window, subject: "over", resetAtMs: BigInt(nowMs) },
    ],
  });
  const reservation = { kind: "token", subject: "31337:0xcc:1", expiresAtMs: 1n, instance: "one" };
  await database.quotaReservation.createMany({
    data: [
      { ...reservation, id: "a", amount: 30, windowResetAtMs: BigInt(nowMs + 1) },
      { ...reservation, id: "b", amount: 12, windowResetAtMs: BigInt(nowMs + 1) },
      { ...reservation, id: "c", amount: 99, windowResetAtMs: BigInt(nowMs) },
    ],
  });
  const { rows, total } = await read(database, "quotas");
  expect(total).toBe(2);
  expect(rows.map(({ kind, used, reserved }) => [kind, used, reserved])).toEqual([
    ["speech", 9, 0],
    ["token", 7, 42],
  ]);
  expect((await read(database, "quotas", "subject=:2")).total).toBe(1);
});

testOnEachDatabase(
  "limits of both kinds are shown as one table, and only while they count",
  async ({ database }) => {
    const expiresAtMs = BigInt(nowMs + 60_000);
    await database.rateLimitWindow.createMany({
      data: [
        { key: "gate-access:192.0.2.1", startedAtMs: BigInt(nowMs), points: 5, expiresAtMs },
        { key: "gate-access:2001:db8::/64", startedAtMs: BigInt(nowMs), points: 2, expiresAtMs },
        { key: "chat:192.0.2.1", startedAtMs: 1n, points: 99, expiresAtMs: BigInt(nowMs) },
        { key: "chat:a_b%c!", startedAtMs: 1n, points: 1, expiresAtMs },
      ],
    });
    const hits = [nowMs - 10, nowMs - 5, nowMs].map(toMoment).join("");
    await database.rateLimitLog.create({ data: { key: "nonce:192.0.2.1", hits, expiresAtMs } });
    const { rows, total } = await read(database, "limits");
    expect(total).toBe(4);
    expect(rows.map(({ limiter, client, points }) => [limiter, client, points])).toEqual([
      ["gate-access", "192.0.2.1", 5],
      ["nonce", "192.0.2.1", 3],
      ["gate-access", "2001:db8::/64", 2],
      ["chat", "a_b%c!", 1],
    ]);
    expect(rows[1]).toMatchObject({ startedAtMs: nowMs - 10, expiresAtMs: nowMs + 60_000 });
    const clients = async (search: string) => column((await read(database, "limits", search)).rows, "client");
    expect(await clients("client=192.0&order=asc")).toEqual(["192.0.2.1", "192.0.2.1"]);
    expect(await clients("limiter=gate-access&client=2001")).toEqual(["2001:db8::/64"]);
    expect(await clients("client=a_b%25c!")).toEqual(["a_b%c!"]);
    expect(await clients("client=a_c")).toEqual([]);
    expect(await clients("sort=expiresAtMs&size=25&page=2")).toEqual([]);
  },
);

testOnEachDatabase(
  "payments are shown with their amounts, and found by their state",
  async ({ database }) => {
    const signed = {
      chainId: 1n,
      recipient: "0xbb",
      payer: "0xaa",
      amountWei: "1500000000000000",
      rawTransaction: "0x",
    };
    const at = { createdAtMs: BigInt(nowMs), countedAtMs: BigInt(nowMs) };
    await database.payment.createMany({
      data: ["signed", "paid", "failed"].map((state, index) => ({
        ...signed,
        ...at,
        state,
        nonce: BigInt(index),
        idempotencyKey: state,
        transactionHash: `0x${index}`,
        blockNumber: state === "paid" ? 7n : null,
      })),
    });
    const rows = async (search: string) => (await read(database, "payments", search)).rows;
    expect(column(await rows("sort=nonce&order=asc"), "state")).toEqual(["open", "paid", "failed"]);
    expect(await rows("state=paid")).toEqual([
      {
        createdAtMs: nowMs,
        recipient: "0xbb",
        amount: "0.0015",
        state: "paid",
        nonce: 1,
        blockNumber: "7",
        transactionHash: "0x1",
        chainId: "1",
      },
    ]);
    expect(column(await rows("state=signed"), "nonce")).toEqual([0]);
  },
);

testOnEachDatabase("every table can be sorted by each of its sortable columns", async ({ database }) => {
  await addSubmissions(database, 3);
  for (const name of tableNames) {
    for (const { key, isSortable } of tableSpecs[name].columns) {
      if (!isSortable) continue;
      const page = await read(database, name, `sort=${key}&order=asc&within=86400`);
      expect([name, key, page.faults, page.query.sort]).toEqual([name, key, [], key]);
    }
    for (const filter of tableSpecs[name].filters) {
      const value = filter.kind === "choice" ? filter.choices[0]![0] : "0x1";
      const page = await read(database, name, new URLSearchParams({ [filter.name]: value }).toString());
      expect([name, filter.name, page.faults]).toEqual([name, filter.name, []]);
    }
  }
});

testOnEachDatabase("rows are counted up to a maximum only", async ({ database }) => {
  const data = Array.from({ length: 10_001 }, (_, index) => ({
    id: `id-${index}`,
    kind: "quota-reset",
    clientId: "c",
    requestId: "r",
    detail: "{}",
    atMs: BigInt(index),
  }));
  await database.auditEntry.createMany({ data: data.slice(0, 10_000) });
  expect(await read(database, "audit")).toMatchObject({ total: 10_000, isTotalExact: true, hasNext: true });
  await database.auditEntry.createMany({ data: data.slice(10_000) });
  const last = await read(database, "audit", "page=100&size=100");
  expect(last).toMatchObject({ total: 10_000, isTotalExact: false, hasNext: false, isCutOff: true });
});
