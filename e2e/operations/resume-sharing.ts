import { setTimeout as delay } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { keptText } from "~e2e/support/kept-stream";
import type { KeptReader } from "~e2e/support/kept-stream";
import { waitUntil } from "~e2e/support/processes";
import { fallingSilentAfter } from "~e2e/support/providers/openai-server";
import { longLeaseSeconds } from "./instances-fixture";
import { askForTalk, resumeLeaseSeconds, toTalk } from "./resume-fixture";
import type { ResumeSite } from "./resume-fixture";

/** Pieces are stored every 150 ms, and other instances poll every 200 ms. */
const pieceWithinMs = 400;
/** Plus one read of the store. */
const stopWithinMs = 250 + 200;

/** `leave` makes the store unreachable. */
type Locate = () => { site: ResumeSite; leave: () => void; comeBack: () => void };

/** Longer than any short outage of a store, even on a busy machine. */
export const longLease = { LEASE_SECONDS: String(longLeaseSeconds) };

/** Tests for several instances on any store of replies. The first test locates the site. Its leases are long. */
export function testResumeSharing(locate: Locate): void {
  testReaders(locate);
  testStops(locate);
  testShortOutage(locate);
}

function testReaders(locate: Locate): void {
  test("readers at another server hear an answer as it is written, and every one of them all of it", async () => {
    const { site } = locate();
    const [writer, other] = site.servers as [ResumeSite["servers"][0], ResumeSite["servers"][0]];
    const turn = { ...(await site.enter()), id: site.newConversation() };
    const live = await site.begin({ ...turn, server: writer, question: askForTalk(150, 20) });
    const readers = [live];
    for (let count = 0; count < 5; count += 1) {
      readers.push(await site.takeUp({ ...turn, server: other }));
      await delay(300);
    }
    await Promise.all(readers.map(({ ended }) => ended));
    readers.forEach(expectWhole);
    for (const reader of readers) {
      expect(reader.replyId).toBe(live.replyId);
      expect(keptText(reader.events)).toBe(toTalk(150));
      expect(reader.events.map(({ json }) => json)).toEqual(live.events.map(({ json }) => json));
    }
    expect(shareOf(lagsOf(live, readers[1]!), 0.95)).toBeLessThan(
      pieceWithinMs + (await measureBusiness(site)),
    );
    expect(site.generations.get(turn.id)).toBe(1);
  });

  test("a reader who left comes back at another server and gets exactly what he had not", async () => {
    const { site } = locate();
    const turn = { ...(await site.enter()), id: site.newConversation() };
    const first = await site.begin({ ...turn, server: site.servers[0]!, question: askForTalk(100, 20) });
    const events = first.events.slice(0, 0);
    let reader: KeptReader = first;
    for (let index = 1; !reader.isDone(); index += 1) {
      await Promise.race([reader.ended, delay(250 + 100 * index)]);
      reader.leave();
      events.push(...reader.events);
      if (reader.isDone()) break;
      const after = events.at(-1)?.id ?? 0;
      reader = await site.takeUp({ ...turn, server: site.servers[index % 2]!, after });
    }
    expect(events.map(({ id }) => id)).toEqual(events.map((_, index) => index + 1));
    expect(keptText(events)).toBe(toTalk(100));
    expect(site.generations.get(turn.id)).toBe(1);
  });
}

function testStops(locate: Locate): void {
  test.each(["talks", "is silent"])(
    "a stop at another server ends an answer within 250 ms: the model %s",
    async (manner) => {
      const { site } = locate();
      if (manner === "is silent") {
        const talk = site.talk;
        site.setModel(fallingSilentAfter("w0 "));
        onTestFinished(() => void site.setModel(talk));
      }
      const took: number[] = [];
      for (let turnCount = 0; turnCount < 5; turnCount += 1) {
        const turn = { ...(await site.enter()), id: site.newConversation() };
        const live = await site.begin({ ...turn, server: site.servers[0]!, question: askForTalk(5_000, 10) });
        const follower = await site.takeUp({ ...turn, server: site.servers[1]! });
        await waitUntil(() => keptText(follower.events) !== "");
        const askedAtMs = performance.now();
        const stopped = site.stop({ ...turn, server: site.servers[1]! });
        await live.ended;
        took.push(performance.now() - askedAtMs);
        expect((await stopped).status).toBe(204);
        await follower.ended;
        [live, follower].forEach(expectWhole);
        expect(JSON.parse(live.events.at(-1)!.json)).toEqual({
          type: "finish",
          messageMetadata: { finishReason: "stop" },
        });
        const { used, reserved } = await site.readQuota({ ...turn, server: site.servers[1]! });
        expect([used, reserved]).toEqual([Math.ceil(keptText(live.events).length / 4), 0]);
      }
      expect(shareOf(took, 0.5)).toBeLessThan(stopWithinMs + (await measureBusiness(site)));
    },
  );
}

function testShortOutage(locate: Locate): void {
  test("an answer goes on while its store is away for less than the lease, and all of it is kept", async () => {
    const { site, leave, comeBack } = locate();
    const turn = { ...(await site.enter()), id: site.newConversation() };
    const live = await site.begin({ ...turn, server: site.servers[0]!, question: askForTalk(300, 10) });
    await waitUntil(() => live.events.length > 20);
    leave();
    onTestFinished(comeBack);
    const [seenBefore, leftAtMs] = [live.events.length, performance.now()];
    const elsewhere = { ...turn, server: site.servers[1]! };
    // A suspended store runs pending commands when it resumes, so this stop is for another reply.
    const other = { ...elsewhere, id: site.newConversation() };
    const third = { ...elsewhere, id: site.newConversation() };
    const [refused, stopped, begun] = await Promise.all([
      site.takeUp(elsewhere),
      site.stop(other),
      site.beginInVain(third),
    ]);
    expect([begun.status, begun.body]).toEqual([503, { error: "State unavailable" }]);
    expect(Number(begun.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(refused.status).toBe(503);
    expect(Number(refused.headers["retry-after"])).toBeGreaterThan(0);
    expect(stopped.status).toBe(503);
    expect(Number(stopped.headers.get("retry-after"))).toBeGreaterThan(0);
    await waitUntil(() => live.events.length > seenBefore + 10);
    expect(performance.now() - leftAtMs).toBeLessThan(longLeaseSeconds * 1_000);
    comeBack();
    await live.ended;
    expectWhole(live);
    expect(keptText(live.events)).toBe(toTalk(300));
    const kept = await comeBackTo(site, turn);
    expect(kept.events.map(({ json }) => json)).toEqual(live.events.map(({ json }) => json));
  });
}

/** For a site with the fixture's default leases. */
export function testLongOutage(locate: Locate): void {
  test("a store that is away for longer than the lease ends the answer, once, and the conversation is free", async () => {
    const { site, leave, comeBack } = locate();
    const turn = { ...(await site.enter()), id: site.newConversation() };
    const live = await site.begin({ ...turn, server: site.servers[0]!, question: askForTalk(5_000, 10) });
    await waitUntil(() => live.events.length > 20);
    leave();
    onTestFinished(comeBack);
    await delay(resumeLeaseSeconds * 1_000 + 1_500);
    const seenAfterTheLease = keptText(live.events);
    await delay(500);
    expect(keptText(live.events)).toBe(seenAfterTheLease);
    comeBack();
    const kept = await comeBackTo(site, turn);
    expect(kept.isDone()).toBe(true);
    expect(kept.defects).toEqual([]);
    expect(live.defects).toEqual([]);
    expect(seenAfterTheLease.startsWith(keptText(kept.events))).toBe(true);
    const next = await site.begin({ ...turn, server: site.servers[1]!, question: askForTalk(3, 0) });
    await next.ended;
    expect(keptText(next.events)).toBe(toTalk(3));
    const due = Math.ceil(keptText(kept.events).length / 4) + Math.ceil(toTalk(3).length / 4);
    await waitUntil(async () => (await site.readQuota({ ...turn, server: site.servers[1]! })).reserved === 0);
    expect((await site.readQuota({ ...turn, server: site.servers[1]! })).used).toBe(due);
    expect(site.generations.get(turn.id)).toBe(2);
  });
}

/** Reads the stored reply, once the store is reachable and the reply has ended. */
async function comeBackTo(site: ResumeSite, turn: Omit<Parameters<ResumeSite["stop"]>[0], "server">) {
  const readers: KeptReader[] = [];
  await waitUntil(
    async () => {
      const reader = await site.takeUp({ ...turn, server: site.servers[1]! });
      readers.unshift(reader);
      if (reader.status !== 200) return false;
      await Promise.race([reader.ended, delay(6_000)]);
      return reader.isDone();
    },
    { timeoutMs: 20_000 },
  );
  return readers[0]!;
}

export function expectWhole(reader: KeptReader): void {
  expect(reader.status).toBe(200);
  expect(reader.defects).toEqual([]);
  expect(reader.isDone()).toBe(true);
}

/** The extra time on a busy machine. A stop is a chain of about six small requests. */
async function measureBusiness({ servers }: ResumeSite): Promise<number> {
  const took: number[] = [];
  for (let count = 0; count < 20; count += 1) {
    const askedAtMs = performance.now();
    await fetch(`http://127.0.0.1:${servers[count % 2]!.port}/healthz`).then((response) => response.text());
    took.push(performance.now() - askedAtMs);
  }
  return 6 * shareOf(took, 0.5);
}

/** How much later the second reader got each event. Events before it joined are omitted. */
function lagsOf(first: KeptReader, second: KeptReader): number[] {
  const cameAtMs = second.events[0]!.atMs;
  return second.events
    .map(({ atMs }, index) => ({ atMs, firstAtMs: first.events[index]!.atMs }))
    .filter(({ firstAtMs }) => firstAtMs > cameAtMs)
    .map(({ atMs, firstAtMs }) => atMs - firstAtMs);
}

function shareOf(values: readonly number[], share: number): number {
  const sorted = [...values].sort((left, right) => left - right);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Infinity;
}
