import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import { createLogLines } from "~e2e/support/log-lines";
import { createSqliteTestDatabase } from "~e2e/support/databases/database";
import { waitUntil } from "~e2e/support/processes";
import type { ChatEvent } from "../reply/chat-events";
import type { KeptEvent } from "./kept-reply";
import { createKeptAnswerStore } from "./kept-answers.store.server";
import type { KeptAnswerStore } from "./kept-answers.store.server";
import { ReplyReader } from "./reply-reader.server";
import { createKeptReplies, writerGoneText } from "./kept-replies.server";

/** None expires, even on a busy machine. */
const longLeaseMs = 60_000;
const conversation = { owner: "key of a wallet", conversationId: "conversation-0001" };
const finish: ChatEvent = { type: "finish", messageMetadata: { finishReason: "stop" } };

/** Instances on one store, with each one's settlements. */
async function openInstances() {
  const keptAnswers = createKeptAnswerStore((await createSqliteTestDatabase()).database, Date.now);
  const settled: { reservationId: string; usedTokens: number }[] = [];
  const open = (
    changes: Partial<KeptAnswerStore> = {},
    leaseMs = longLeaseMs,
    settling: (usage: { reservationId: string }) => Promise<void> = () => Promise.resolve(),
  ) =>
    createKeptReplies({
      store: { ...keptAnswers, ...changes },
      leaseMs,
      keptForMs: 60_000,
      maxOpen: 4,
      settle: async (usage) => {
        await settling(usage);
        const isSettled = settled.some(({ reservationId }) => reservationId === usage.reservationId);
        if (!isSettled) settled.push(usage);
      },
      shutdownSignal: new AbortController().signal,
      clock: Date.now,
      log: createLogLines().log,
    });
  return { store: keptAnswers, settled, open };
}

/** A reply whose events the test emits one by one. */
async function beginAnswer(
  kept: ReturnType<typeof createKeptReplies>,
  usedTokens = 7,
  conversationId = conversation.conversationId,
) {
  const answer = kept.prepare({ ...conversation, conversationId, openFor: "key", proofHash: null });
  await answer.begin();
  const said: ChatEvent[] = [];
  let wake = () => {};
  async function* events(): AsyncGenerator<ChatEvent> {
    for (let at = 0; ; at += 1) {
      while (said.length <= at && !answer.feed.isLost) {
        await new Promise<void>((resolve) => {
          wake = resolve;
          answer.signal.addEventListener("abort", () => resolve(), { once: true });
        });
      }
      const event = said[at];
      if (answer.feed.isLost || event === undefined) return;
      yield event;
      if (event.type === "finish") return;
    }
  }
  let settledCount = 0;
  const settle = async () => void (settledCount += 1);
  const reader = kept.read(answer, 0);
  void answer.write(events(), { readUsedTokens: () => usedTokens, settle });
  return {
    answer,
    source: reader,
    reader: iterate(reader),
    say(...more: ChatEvent[]): void {
      said.push(...more);
      wake();
    },
    settledCount: () => settledCount,
  };
}

const text = (delta: string): ChatEvent => ({ type: "text-delta", id: "text-1", delta });

/** One call at a time. */
function iterate(reader: ReplyReader): AsyncIterator<readonly KeptEvent[], undefined> {
  const next = () =>
    new Promise<IteratorResult<readonly KeptEvent[], undefined>>((resolve, reject) => {
      const look = () => {
        try {
          const events = reader.take();
          if (events === null) resolve({ done: true, value: undefined });
          else if (events.length > 0) resolve({ done: false, value: events });
          else return;
          reader.onMore(() => undefined);
        } catch (error) {
          reject(error as Error);
        }
      };
      reader.onMore(look);
      look();
    });
  return { next };
}

async function take(reader: AsyncIterator<readonly KeptEvent[]>, count = Infinity): Promise<KeptEvent[]> {
  const events: KeptEvent[] = [];
  while (events.length < count) {
    const next = await reader.next();
    if (next.done) break;
    events.push(...next.value);
  }
  return events;
}

function readAgain(kept: ReturnType<typeof createKeptReplies>, afterId: number) {
  return kept.find(conversation).then((found) => iterate(kept.read(found!, afterId)));
}

test("readers get each event at once, and the ending once it is stored and settled", async () => {
  const { store, open, settled } = await openInstances();
  let isHeldBack = true;
  const kept = open({
    append: async (request) => {
      while (isHeldBack) await delay(5);
      return await store.append(request);
    },
  });
  const { reader, say, settledCount } = await beginAnswer(kept);
  say(text("Hello"), finish);
  expect(await take(reader, 1)).toMatchObject([{ id: 1 }]);
  const ending = take(reader);
  expect(await Promise.race([ending, delay(300, "nothing yet")])).toBe("nothing yet");
  expect(settledCount()).toBe(0);
  isHeldBack = false;
  expect(await ending).toEqual([{ id: 2, json: JSON.stringify(finish) }]);
  expect([settledCount(), settled]).toEqual([1, []]);
});

test("an append whose outcome is unknown is asked for again, and nothing is doubled", async () => {
  const { store, open } = await openInstances();
  let failures = 3;
  const kept = open({
    append: async (request) => {
      const isHeld = await store.append(request);
      if (request.events.length > 0 && failures-- > 0) throw new Error("connection lost");
      return isHeld;
    },
  });
  const { reader, say } = await beginAnswer(kept);
  for (let count = 0; count < 8; count += 1) {
    say(text(`${count}`));
    await delay(60);
  }
  say(finish);
  const events = await take(reader);
  expect(events.map(({ id }) => id)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
  expect(await take(await readAgain(open(), 0))).toEqual(events);
});

test("a writer that cannot store beyond its lease ends without a word; its readers keep what they saw and get the ending", async () => {
  const { store, open, settled } = await openInstances();
  let isAway = false;
  const kept = open(
    {
      append: (request) => (isAway ? Promise.reject(new Error("away")) : store.append(request)),
    },
    2_000,
  );
  const { answer, reader, say, settledCount } = await beginAnswer(kept);
  say(text("stored"));
  const other = await readAgain(open(), 0);
  expect(await take(other, 1)).toMatchObject([{ id: 1 }]);
  isAway = true;
  say(text("seen, "), text("and not stored"));
  expect((await take(reader, 3)).map(({ id }) => id)).toEqual([1, 2, 3]);
  await waitUntil(() => answer.feed.isLost);
  isAway = false;
  const ending = await take(reader);
  expect(ending).toMatchObject([{ id: 2 }, { id: 3 }]);
  expect(JSON.parse(ending[0]!.json)).toEqual({ type: "error", errorText: writerGoneText });
  expect(await take(other)).toEqual(ending);
  for (const afterId of [1, 2, 3, 4, 99])
    expect(await take(await readAgain(open(), afterId))).toEqual(ending);
  expect(settledCount()).toBe(0);
  expect(settled).toEqual([{ reservationId: answer.replyId, usedTokens: 2 }]);
  await open()
    .prepare({ ...conversation, openFor: "key", proofHash: null })
    .begin();
});

test("readers of an answer that has lost its writer end it once for all of them", async () => {
  const { store, open } = await openInstances();
  const replyId = randomUUID();
  await store.begin({ ...conversation, replyId, openFor: "key", proofHash: null, maxOpen: 4, leaseMs: 0 });
  let conclusions = 0;
  const conclude: KeptAnswerStore["conclude"] = (request) => ((conclusions += 1), store.conclude(request));
  const kept = open({ conclude });
  const readers = Array.from({ length: 20 }, (_, at) => iterate(kept.read({ replyId }, at)));
  for (const events of await Promise.all(readers.map((reader) => take(reader))))
    expect(events).toHaveLength(2);
  expect(conclusions).toBe(1);
});

test("a beginning whose outcome is unknown leaves nothing behind", async () => {
  const { store, open } = await openInstances();
  const begin: KeptAnswerStore["begin"] = async (request) => {
    await store.begin(request);
    throw new Error("connection lost");
  };
  const answer = open({ begin }).prepare({ ...conversation, openFor: "key", proofHash: null });
  await expect(answer.begin()).rejects.toThrow("connection lost");
  expect(await store.find(conversation)).toBeNull();
});

test("an ending whose outcome is unknown is settled", async () => {
  const { store, open, settled } = await openInstances();
  const kept = open({
    append: async (request) => {
      const isHeld = await store.append(request);
      if (request.ending && isHeld) throw new Error("connection lost");
      return isHeld;
    },
  });
  const { answer, reader, say, settledCount } = await beginAnswer(kept);
  say(text("Hello"), finish);
  expect((await take(reader)).map(({ id }) => id)).toEqual([1, 2]);
  await answer.done;
  expect(settledCount()).toBe(0);
  expect(settled).toEqual([{ reservationId: answer.replyId, usedTokens: 7 }]);
});

test.each(["the store's word", "the settlement"])(
  "a conclusion is settled where %s was lost, and does not keep others from theirs",
  async (lost) => {
    const { store, open, settled } = await openInstances();
    const [replyId, other] = [randomUUID(), randomUUID()];
    const session = { openFor: "key", proofHash: null, maxOpen: 4, leaseMs: 0 };
    await store.begin({ ...conversation, replyId, ...session });
    await store.begin({ ...conversation, conversationId: "conversation-0002", replyId: other, ...session });
    let isAway = true;
    const fail = async (failing: string) => {
      if (isAway && failing === replyId) throw new Error("connection lost");
    };
    const isOfStore = lost === "the store's word";
    const conclude: KeptAnswerStore["conclude"] = async (request) => {
      const isConcluded = await store.conclude(request);
      await fail(request.replyId);
      return isConcluded;
    };
    const listAbandoned = async () => ((await store.listAbandoned()).length > 0 ? [replyId, other] : []);
    const settling = ({ reservationId }: { reservationId: string }) => fail(reservationId);
    const kept = isOfStore
      ? open({ conclude, listAbandoned })
      : open({ listAbandoned }, longLeaseMs, settling);
    await kept.concludeAbandoned();
    expect(new Set(settled.map(({ reservationId }) => reservationId))).toEqual(
      new Set(isOfStore ? [other, replyId] : [other]),
    );
    isAway = false;
    await kept.concludeAbandoned();
    expect(settled).toContainEqual({ reservationId: replyId, usedTokens: 0 });
    expect(settled).toHaveLength(2);
  },
);

test("a reader that was closed takes nothing more", async () => {
  const { open } = await openInstances();
  const { answer, source, say } = await beginAnswer(open());
  source.close();
  say(text("Hello"), finish);
  await answer.done;
  expect(source.take()).toBeNull();
});

test("a reader may be closed while it reads the store", async () => {
  let refuse = () => {};
  const read = () => new Promise<never>((_, reject) => (refuse = () => reject(new Error("away"))));
  const unused = {
    conclude: () => Promise.resolve(),
    patienceMs: 0,
    shutdownSignal: AbortSignal.abort(),
  };
  const reader = new ReplyReader({ replyId: "reply", feed: null, read, afterId: 0, ...unused });
  reader.take();
  reader.close();
  refuse();
  await delay(1);
  expect(reader.take()).toBeNull();
});

test("a stop by its name ends an answer, and keeps one from beginning whose question is on its way", async () => {
  const { open } = await openInstances();
  const { answer, say, reader } = await beginAnswer(open());
  const late = "a-name-of-the-client";
  await open().stop(conversation, late);
  await delay(500);
  expect(answer.signal.aborted).toBe(false);
  await open().stop(conversation, answer.replyId);
  await waitUntil(() => answer.signal.aborted);
  say(finish);
  await take(reader);
  const owner = { ...conversation, openFor: "key", proofHash: null };
  await expect(open().prepare(owner, late).begin()).rejects.toMatchObject({ slug: "reply-id-taken" });
  await open().prepare(owner, "another-name-of-the-client").begin();
});

test("a reader who comes while a lost answer is being settled gets its ending", async () => {
  const { store, open } = await openInstances();
  let isAway = false;
  let settle = () => {};
  const mayBeSettled = new Promise<void>((resolve) => (settle = resolve));
  let isWaiting: Promise<void> | null = null;
  const append: KeptAnswerStore["append"] = (request) =>
    isAway ? Promise.reject(new Error("away")) : store.append(request);
  const findUsages: KeptAnswerStore["findUsages"] = async (replyIds) => {
    // The writer's own settlement waits, and the reader's does not.
    if (!isWaiting) await (isWaiting = mayBeSettled);
    return await store.findUsages(replyIds);
  };
  const kept = open({ append, findUsages }, 600);
  const { answer, reader, say } = await beginAnswer(kept);
  await reader.return?.();
  isAway = true;
  say(text("Hello"));
  await waitUntil(() => answer.feed.isLost);
  const ending = await take(await readAgain(kept, 0));
  expect(ending.map(({ json }) => (JSON.parse(json) as ChatEvent).type)).toEqual(["error", "finish"]);
  settle();
  await answer.done;
});

test("another instance knows the headers of an answer that has said nothing yet", async () => {
  const { open } = await openInstances();
  const { answer } = await beginAnswer(open({}, 600));
  const headers = { "X-Quota-Limit": "20000" };
  answer.setHeaders(headers);
  for (const kept of [open(), open()]) {
    const found = await kept.find(conversation);
    expect(await kept.headersOf(found!, conversation)).toEqual(headers);
  }
  await answer.discard();
  const gone = await open().headersOf(
    { replyId: answer.replyId, headers: null, lastId: 0, hasWriter: true, ending: null },
    conversation,
  );
  expect(gone).toEqual({});
});

test("an answer that cannot be stored breaks off, and others go on", async () => {
  const { store, open } = await openInstances();
  let failing = "";
  const shortLeaseMs = 1_500;
  const append: KeptAnswerStore["append"] = async (request) => {
    if (request.replyId === failing) throw new Error("cut");
    return await store.append(request);
  };
  const kept = open({ append }, shortLeaseMs);
  const [one, other] = [await beginAnswer(kept), await beginAnswer(kept, 7, "conversation-0002")];
  failing = one.answer.replyId;
  await waitUntil(() => one.answer.feed.isLost);
  await delay(shortLeaseMs);
  expect(other.answer.feed.isLost).toBe(false);
  other.say(text("Hello"), finish);
  expect(await take(other.reader)).toHaveLength(2);
  expect(other.settledCount()).toBe(1);
});

test("a store that takes most of the lease for every write loses no answer", async () => {
  const { store, open } = await openInstances();
  const slowLeaseMs = 3_000;
  const append: KeptAnswerStore["append"] = async (request) => {
    await delay(1_700);
    return await store.append(request);
  };
  const { reader, say } = await beginAnswer(open({ append }, slowLeaseMs));
  const words = Array.from({ length: 40 }, (_, index) => text(`${index}`));
  const taken = take(reader);
  for (const word of words) {
    say(word);
    await delay(100);
  }
  say(finish);
  expect((await taken).map(({ json }) => json)).toEqual(
    [...words, finish].map((event) => JSON.stringify(event)),
  );
});

test("a store that is away holds an answer back once 1 MiB of it waits, and none of it is lost", async () => {
  const { store, open } = await openInstances();
  let isAway = true;
  const append: KeptAnswerStore["append"] = (request) =>
    isAway ? Promise.reject(new Error("away")) : store.append(request);
  const kept = open({ append });
  const { reader, say } = await beginAnswer(kept);
  const large = "x".repeat(256 * 1024);
  const words = Array.from({ length: 12 }, (_, index) => text(`${index} ${large}`));
  say(...words, finish);
  const seen: KeptEvent[] = [];
  const taking = (async () => {
    for (let next = await reader.next(); !next.done; next = await reader.next()) seen.push(...next.value);
  })();
  await delay(500);
  expect(seen.length).toBeLessThan(5);
  isAway = false;
  await taking;
  expect(seen.map(({ json }) => json)).toEqual([...words, finish].map((event) => JSON.stringify(event)));
});

test("a reader who takes nothing costs the answer nothing, and gets the rest from the store", async () => {
  const { open } = await openInstances();
  const kept = open();
  const { reader, say } = await beginAnswer(kept);
  const long = "x".repeat(64 * 1024);
  for (let count = 0; count < 48; count += 1) {
    say(text(`${count} ${long}`));
    if (count % 6 === 0) await delay(50);
  }
  say(finish);
  await waitUntil(async () => (await kept.find(conversation))?.ending !== null);
  const events = await take(reader);
  expect(events.map(({ id }) => id)).toEqual(Array.from({ length: 49 }, (_, index) => index + 1));
  expect((JSON.parse(events[40]!.json) as { delta: string }).delta).toBe(`40 ${long}`);
});

test("a stop that another instance was asked for reaches the writer with its next look", async () => {
  const { open } = await openInstances();
  const { answer, say, reader } = await beginAnswer(open());
  say(text("Hello"));
  await open().stop(conversation);
  await waitUntil(() => answer.signal.aborted, { timeoutMs: 5_000 });
  expect(answer.feed.isLost).toBe(false);
  say(finish);
  await take(reader);
});

test("readers at another instance cost the store no more than one does, also while there is something to read", async () => {
  const { store, open } = await openInstances();
  const { say } = await beginAnswer(open());
  let reads = 0;
  const other = open({ read: (request) => ((reads += 1), store.read(request)) });
  say(text("Hello"));
  await waitUntil(async () => (await other.find(conversation))?.lastId === 1);
  const readers = await Promise.all(Array.from({ length: 50 }, () => readAgain(other, 0)));
  // Each reader waits at a different event beyond the stored ones.
  const ahead = await Promise.all(Array.from({ length: 50 }, (_, at) => readAgain(other, 1_000 + at)));
  for (const reader of readers) await take(reader, 1);
  const rests = readers.map((reader) => take(reader));
  const endings = ahead.map((reader) => take(reader));
  await delay(500);
  const readsBefore = reads;
  for (let word = 0; word < 10; word += 1) {
    say(text("word"));
    await delay(100);
  }
  expect(reads - readsBefore).toBeLessThan(25);
  say(finish);
  for (const rest of rests)
    expect((await rest).map(({ id }) => id)).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
  for (const ending of endings) expect(await ending).toEqual([{ id: 12, json: JSON.stringify(finish) }]);
});

test("readers of an answer that did not begin are cut off, and nothing of it is found", async () => {
  const { open } = await openInstances();
  const kept = open();
  const answer = kept.prepare({ ...conversation, openFor: "key", proofHash: null });
  await answer.begin();
  const readers = [await readAgain(kept, 0), await readAgain(open(), 0)];
  const cut = readers.map((reader) => expect(take(reader)).rejects.toMatchObject({ name: "StreamCutOff" }));
  await answer.discard();
  await Promise.all(cut);
  expect(await kept.find(conversation)).toBeNull();
});
