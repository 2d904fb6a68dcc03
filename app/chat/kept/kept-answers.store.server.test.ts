import { randomUUID } from "node:crypto";
import { expect } from "vitest";
import {
  createPostgresqlTestDatabase,
  createTestClock,
  openTestDatabase,
  testOnEachDatabase,
  testOnPostgresql,
} from "~e2e/support/databases/database";
import type { TestDatabase } from "~e2e/support/databases/database";
import type { AppendRequest, BeginRequest, Conversation } from "./kept-reply";
import { createKeptAnswerStore } from "./kept-answers.store.server";
import type { KeptAnswerStore } from "./kept-answers.store.server";

const conversation: Conversation = { owner: "key of a wallet", conversationId: "conversation-0001" };
const longLeaseMs = 60_000;
const endingEvents = ['{"type":"error"}', '{"type":"finish"}'];

function open({ database }: Pick<TestDatabase, "database">) {
  const { clock, advance } = createTestClock();
  const store = createKeptAnswerStore(database, clock);
  return { store, clock, advance, ...actionsOn(store, clock) };
}

function actionsOn(store: KeptAnswerStore, clock: () => number) {
  return {
    async begin(changes: Partial<BeginRequest> = {}) {
      const replyId = randomUUID();
      const limits = { openFor: "key", proofHash: null, maxOpen: 4, leaseMs: longLeaseMs };
      const outcome = await store.begin({ ...conversation, replyId, ...limits, ...changes });
      return { replyId, ...outcome };
    },
    append(replyId: string, events: string[], changes: Partial<AppendRequest> = {}): Promise<boolean> {
      const request = { replyId, leaseMs: longLeaseMs, firstId: 1, events, usedTokens: events.length };
      return store.append({ ...request, headers: null, ending: null, ...changes });
    },
    /** From the event after `afterId` to the end of what is stored. */
    async readAll(replyId: string, afterId = 0, maxBytes = 100_000) {
      const part = await store.read({ replyId, afterId, maxBytes });
      return part?.events;
    },
    conclude: (replyId: string, expiresInMs = 60_000) =>
      store.conclude({ replyId, endingEvents, expiresAtMs: clock() + expiresInMs }),
    endOf: (firstId: number, expiresInMs = 60_000) => ({
      firstId,
      ending: { endingId: firstId, expiresAtMs: clock() + expiresInMs },
    }),
  };
}

testOnEachDatabase(
  "a kept answer is read from any event on, while it is under way and after it ended",
  async (state) => {
    const { store, begin, append, readAll, endOf } = open(state);
    const { replyId, outcome } = await begin();
    expect(outcome).toBe("begun");
    const underWay = { replyId, headers: null, hasWriter: true, ending: null };
    expect(await store.find(conversation)).toEqual({ ...underWay, lastId: 0 });
    expect(await append(replyId, ["1", "2"])).toBe(true);
    expect(await append(replyId, ["3"], { firstId: 3 })).toBe(true);
    expect(await store.find(conversation)).toEqual({ ...underWay, lastId: 3 });
    const all = ["1", "2", "3", "4"].map((json, index) => ({ id: index + 1, json }));
    expect(await readAll(replyId)).toEqual(all.slice(0, 3));
    await append(replyId, ["4"], endOf(4));
    const ended = { lastId: 4, hasWriter: false, ending: { endingId: 4, isBroken: false } };
    expect(await store.find(conversation)).toEqual({ replyId, headers: null, ...ended });
    for (const afterId of [0, 1, 2, 3, 4, 99]) {
      const part = await store.read({ replyId, afterId, maxBytes: 100_000 });
      expect(part).toEqual({ ...ended, events: all.slice(afterId) });
    }
    expect(await append(replyId, ["5"], { firstId: 5 })).toBe(false);
  },
);

testOnEachDatabase("an event comes back as it was appended, whatever is in it", async (state) => {
  const { begin, append, readAll, endOf } = open(state);
  const { replyId } = await begin();
  const deltas = ["a\nb\r\n", "\u0000\ufeff🔑", "\ud83d", 'quotes " \\ and \\u0000', "", "x".repeat(900_000)];
  const events = deltas.map((delta) => JSON.stringify({ type: "text-delta", id: "1", delta }));
  const expected = [...events, ...events].map((json, index) => ({ id: index + 1, json }));
  await append(replyId, events);
  expect(await readAll(replyId, 0, 2_000_000)).toEqual(expected.slice(0, events.length));
  await append(replyId, events, endOf(events.length + 1));
  expect(await readAll(replyId, 0, 4_000_000)).toEqual(expected);
});

testOnEachDatabase("a reading stays within its bytes and gets on all the same", async (state) => {
  const { store, begin, append, endOf } = open(state);
  const { replyId } = await begin();
  const large = JSON.stringify("x".repeat(100_000));
  for (let firstId = 1; firstId <= 9; firstId += 3) {
    const ending = firstId === 7 ? endOf(firstId) : {};
    await append(replyId, [large, '"small"', '"small"'], { firstId, ...ending });
  }
  const ids: number[] = [];
  for (;;) {
    const part = await store.read({ replyId, afterId: ids.at(-1) ?? 0, maxBytes: 150_000 });
    if (part!.events.length === 0) break;
    const bytes = part!.events.reduce((sum, { json }) => sum + json.length, 0);
    expect(bytes).toBeLessThan(300_000);
    ids.push(...part!.events.map(({ id }) => id));
  }
  expect(ids).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
});

testOnEachDatabase(
  "a repeated append stores nothing twice, and one that does not go on is refused",
  async (state) => {
    const { begin, append, readAll, endOf } = open(state);
    const { replyId } = await begin();
    for (let times = 0; times < 3; times += 1) expect(await append(replyId, ["1", "2"])).toBe(true);
    expect(await append(replyId, ["4"], { firstId: 4 })).toBe(false);
    expect(await append(replyId, ["1"], { firstId: 1 })).toBe(false);
    expect(await append(replyId, ["3"], endOf(3))).toBe(true);
    expect((await readAll(replyId))!.map(({ json }) => json)).toEqual(["1", "2", "3"]);
  },
);

testOnEachDatabase(
  "a name that is taken is refused to everybody, until its answer is gone",
  async (state) => {
    const { store, begin, append, endOf } = open(state);
    const name = { replyId: "a-name-of-the-client" };
    expect(await begin(name)).toMatchObject({ outcome: "begun" });
    const others = { ...name, owner: "somebody else", openFor: "another key" };
    expect(await begin(others)).toMatchObject({ outcome: "name-taken" });
    expect(await begin({ ...name, maxOpen: 1, conversationId: "conversation-0002" })).toMatchObject({
      outcome: "name-taken",
    });
    expect(await begin(name)).toMatchObject({ outcome: "under-way", ...name });
    // Another client's failed beginning deletes nothing.
    await store.discard({ ...conversation, ...others });
    await append(name.replyId, ["1"], endOf(1));
    expect(await begin(name)).toMatchObject({ outcome: "name-taken" });
    expect(await store.find(conversation)).toMatchObject(name);
  },
);

testOnEachDatabase(
  "a conversation has one answer under way, and each owner conversations of his own",
  async (state) => {
    const { begin, append, endOf } = open(state);
    const first = await begin();
    const { replyId } = first;
    const second = await begin({ openFor: "somebody else" });
    expect(second).toMatchObject({ outcome: "under-way", replyId });
    expect(await begin({ owner: "" })).toMatchObject({ outcome: "begun" });
    await append(replyId, ["1"], endOf(1));
    expect(await begin()).toMatchObject({ outcome: "begun" });
  },
);

testOnEachDatabase(
  "an answer that has ended stays readable by its id when another one begins",
  async (state) => {
    const { store, begin, append, readAll, endOf } = open(state);
    const first = await begin();
    await append(first.replyId, ["1"], endOf(1));
    const second = await begin();
    expect(await store.find(conversation)).toMatchObject({ replyId: second.replyId, lastId: 0 });
    expect(await readAll(first.replyId)).toEqual([{ id: 1, json: "1" }]);
  },
);

testOnEachDatabase(
  "so many answers may be under way and no more, and the conversation is judged first",
  async (state) => {
    const { begin, append, endOf } = open(state);
    const few = { maxOpen: 2 };
    const first = await begin({ ...few, conversationId: "conversation-0001" });
    await begin({ ...few, conversationId: "conversation-0002" });
    const third = { ...few, conversationId: "conversation-0003" };
    expect(await begin(third)).toMatchObject({ outcome: "too-many" });
    expect(await begin({ ...few, conversationId: "conversation-0001" })).toMatchObject({
      outcome: "under-way",
    });
    expect(await begin({ ...third, openFor: "another key" })).toMatchObject({ outcome: "begun" });
    await append(first.replyId, ["1"], endOf(1));
    expect(await begin({ ...few, conversationId: "conversation-0004" })).toMatchObject({ outcome: "begun" });
  },
);

testOnEachDatabase(
  "of many that begin at once, a conversation gets one and a key as many as it may have",
  async (state) => {
    const { begin } = open(state);
    const again = actionsOn(createKeptAnswerStore(await openTestDatabase(state.url), Date.now), Date.now);
    const both = [begin, again.begin];
    const same = await Promise.all(
      Array.from({ length: 20 }, (_, index) => both[index % 2]!({ openFor: `${index}` })),
    );
    const begun = same.filter(({ outcome }) => outcome === "begun");
    expect(begun).toHaveLength(1);
    expect(new Set(same.map(({ replyId }) => replyId))).toEqual(new Set([begun[0]!.replyId]));
    const others = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        both[index % 2]!({ conversationId: `conversation-of-many-${index}`, maxOpen: 3 }),
      ),
    );
    expect(others.filter(({ outcome }) => outcome === "begun")).toHaveLength(3);
    expect(others.filter(({ outcome }) => outcome === "too-many")).toHaveLength(17);
  },
);

testOnEachDatabase(
  "a writer whose lease has expired changes nothing, and its place is free",
  async (state) => {
    const { store, begin, append, readAll } = open(state);
    const { replyId } = await begin();
    await append(replyId, ["1"], { leaseMs: 0 });
    expect(await append(replyId, ["2"], { firstId: 2 })).toBe(false);
    expect(await readAll(replyId)).toHaveLength(1);
    expect(await store.find(conversation)).toMatchObject({ hasWriter: false, ending: null });
    expect(await store.askToStop(conversation)).toBeNull();
    expect(await begin({ conversationId: "conversation-0002", maxOpen: 1 })).toMatchObject({
      outcome: "begun",
    });
    expect(await begin()).toEqual({ outcome: "abandoned", replyId });
  },
);

testOnEachDatabase(
  "an answer without a writer is concluded by exactly one, after what is stored",
  async (state) => {
    const { store, begin, append, readAll, conclude } = open(state);
    const { replyId } = await begin();
    await append(replyId, ["1", "2"], { usedTokens: 7 });
    expect(await conclude(replyId)).toBe(false);
    expect(await store.listAbandoned()).toEqual([]);
    expect(await store.findUsages([replyId])).toEqual(
      new Map([[replyId, { usedTokens: 7, isUnderWay: true }]]),
    );
    await append(replyId, ["3"], { firstId: 3, usedTokens: 9, leaseMs: 0 });
    expect(await store.listAbandoned()).toEqual([replyId]);
    const outcomes = await Promise.all(Array.from({ length: 10 }, () => conclude(replyId)));
    expect(outcomes.filter((isConcluded) => isConcluded)).toHaveLength(1);
    expect((await readAll(replyId))!.slice(2)).toEqual([
      { id: 3, json: "3" },
      { id: 4, json: endingEvents[0] },
      { id: 5, json: endingEvents[1] },
    ]);
    const ended = { lastId: 5, hasWriter: false, ending: { endingId: 4, isBroken: true } };
    expect(await store.find(conversation)).toEqual({ replyId, headers: null, ...ended });
    expect(await store.listAbandoned()).toEqual([]);
    expect(await store.findUsages([replyId, "unknown"])).toEqual(
      new Map([[replyId, { usedTokens: 9, isUnderWay: false }]]),
    );
    expect(await begin()).toMatchObject({ outcome: "begun" });
  },
);

testOnEachDatabase("a stop is found by the writer, and asked only of an answer under way", async (state) => {
  const { store, begin, append, endOf } = open(state);
  expect(await store.askToStop(conversation)).toBeNull();
  const { replyId } = await begin();
  expect(await store.askToStop({ ...conversation, owner: "somebody else" })).toBeNull();
  const other = await begin({ conversationId: "conversation-0002" });
  const listAsked = () => store.listAskedToStop([replyId, other.replyId, "unknown"]);
  expect(await listAsked()).toEqual([]);
  expect(await store.askToStop(conversation)).toBe(replyId);
  expect(await listAsked()).toEqual([replyId]);
  await append(replyId, ["1"], endOf(1));
  expect(await store.askToStop(conversation)).toBeNull();
});

testOnEachDatabase(
  "a session stops what it has begun, and nothing of the key's other sessions",
  async (state) => {
    const { store, begin, append, endOf } = open(state);
    const of = (proofHash: string | null, number: number) =>
      begin({ proofHash, conversationId: `conversation-000${number}`, maxOpen: 9 });
    const [one, two, ended] = [await of("0x1", 1), await of("0x1", 2), await of("0x1", 3)];
    const [others, stranger] = [await of("0x2", 4), await of(null, 5)];
    // Both hold the key, and signed the same text.
    const neighbour = await begin({ owner: "another wallet", proofHash: "0x1", maxOpen: 9 });
    await append(ended.replyId, ["1"], endOf(1));
    const { owner } = conversation;
    const stopped = await store.askToStopSession({ owner, openFor: "key", proofHash: "0x1" });
    expect(stopped.sort()).toEqual([one.replyId, two.replyId].sort());
    expect(await store.askToStopSession({ owner, openFor: "another key", proofHash: "0x2" })).toEqual([]);
    const all = [one, two, others, stranger, neighbour].map(({ replyId }) => replyId);
    expect((await store.listAskedToStop(all)).sort()).toEqual(stopped);
  },
);

testOnEachDatabase("the headers of the first reader are kept with what is appended next", async (state) => {
  const { store, begin, append } = open(state);
  const { replyId } = await begin();
  const headers = { "X-Quota-Limit": "5", "X-Quota-Reset": "2031-05-06T00:00:00.000Z" };
  await append(replyId, [], { headers });
  expect(await store.find(conversation)).toMatchObject({ lastId: 0, headers });
  await append(replyId, ["1"]);
  expect(await store.find(conversation)).toMatchObject({ lastId: 1, headers });
});

testOnEachDatabase(
  "an answer that failed before it began is discarded, and one that has events is not",
  async (state) => {
    const { store, begin, append } = open(state);
    const first = await begin();
    await store.discard({ ...conversation, ...first });
    expect(await store.find(conversation)).toBeNull();
    expect(await store.read({ replyId: first.replyId, afterId: 0, maxBytes: 1 })).toBeNull();
    const second = await begin();
    await append(second.replyId, ["1"]);
    await store.discard({ ...conversation, ...second });
    expect(await store.find(conversation)).toMatchObject({ replyId: second.replyId });
  },
);

testOnEachDatabase(
  "the answer before one that was discarded is found again until it expires",
  async (state) => {
    const { store, begin, append, endOf, advance } = open(state);
    const first = await begin();
    await append(first.replyId, ["1"], endOf(1, 5_000));
    for (let count = 0; count < 2; count += 1) await store.discard({ ...conversation, ...(await begin()) });
    advance(4_999);
    expect(await store.find(conversation)).toMatchObject({ replyId: first.replyId, lastId: 1 });
    advance(1);
    expect(await store.find(conversation)).toBeNull();
  },
);

testOnEachDatabase("an answer is found until it expires", async (state) => {
  const { store, begin, append, endOf, advance } = open(state);
  const { replyId } = await begin();
  await append(replyId, ["1"], endOf(1, 5_000));
  advance(4_999);
  expect(await store.find(conversation)).toMatchObject({ replyId });
  advance(1);
  expect(await store.find(conversation)).toBeNull();
});

testOnPostgresql("a conversation that another process is about to take holds up no other one", async () => {
  const { database, url } = await createPostgresqlTestDatabase();
  const { clock } = createTestClock();
  const { begin } = actionsOn(createKeptAnswerStore(database, clock), clock);
  const other = await openTestDatabase(url);
  const outcomes: string[] = [];
  const ask = async (conversationId: string) =>
    void outcomes.push(`${conversationId} ${(await begin({ conversationId })).outcome}`);
  const { conversationId } = conversation;
  const waiting = await other.$transaction(async (transaction) => {
    await transaction.keptAnswer.create({
      data: { ...conversation, id: "of another process", openFor: "key", leaseExpiresAtMs: 1n << 50n },
    });
    const asked = ask(conversationId);
    await Promise.all([ask("2"), ask("3")]);
    return { asked };
  });
  await waiting.asked;
  expect([outcomes.slice(0, 2).sort(), outcomes[2]]).toEqual([
    ["2 begun", "3 begun"],
    `${conversationId} under-way`,
  ]);
});

/** The tables as a crash or an older server may have left them. */
function openWithTables({ database }: Pick<TestDatabase, "database">) {
  const opened = open({ database });
  return {
    ...opened,
    database,
    storePiece: (answerId: string, firstId: number) =>
      database.keptPiece.create({
        data: { answerId, firstId, lastId: firstId + 1, bytes: 3, text: "x\ny" },
      }),
    async read(replyId: string, afterId = 0) {
      return (await opened.readAll(replyId, afterId))!.map(({ id, json }) => `${id} ${json}`);
    },
  };
}

testOnEachDatabase(
  "what was stored, and did not become part of the answer before it ended, is not read",
  async (state) => {
    const { begin, append, conclude, storePiece, read } = openWithTables(state);
    const broken = await begin();
    await append(broken.replyId, ["a"], { leaseMs: 0 });
    await storePiece(broken.replyId, 2);
    await conclude(broken.replyId);
    expect(await read(broken.replyId)).toEqual(["1 a", `2 ${endingEvents[0]}`, `3 ${endingEvents[1]}`]);
  },
);

testOnEachDatabase(
  "a short answer is one row, and what follows deleted pieces is not read",
  async (state) => {
    const { begin, append, endOf, database, read } = openWithTables(state);
    const short = await begin();
    await append(short.replyId, ["a", "b"], { ...endOf(2), firstId: 1 });
    expect([await read(short.replyId), await database.keptPiece.count()]).toEqual([["1 a", "2 b"], 0]);

    const swept = await begin();
    await append(swept.replyId, ["a", "b"]);
    await append(swept.replyId, ["c"], endOf(3));
    await database.keptPiece.deleteMany();
    expect(await Promise.all([0, 1, 2].map((afterId) => read(swept.replyId, afterId)))).toEqual([
      [],
      [],
      ["3 c"],
    ]);
  },
);

testOnEachDatabase(
  "an answer that an older server ended, with pieces alone, is read to its end",
  async (state) => {
    const { begin, append, database, read } = openWithTables(state);
    const { replyId } = await begin();
    await append(replyId, ["a", "b"]);
    await database.keptAnswer.update({
      where: { id: replyId },
      data: { endingId: 2, expiresAtMs: BigInt(Number.MAX_SAFE_INTEGER) },
    });
    expect(await read(replyId)).toEqual(["1 a", "2 b"]);
  },
);
