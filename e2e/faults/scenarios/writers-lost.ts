import { setTimeout as delay } from "node:timers/promises";
import { charsPerToken } from "~/chat/chat-limits";
import { brokenOff, keptText, parseKept } from "~e2e/support/kept-stream";
import type { KeptEvent, KeptReader } from "~e2e/support/kept-stream";
import { waitUntil } from "~e2e/support/processes";
import type { RunningServer } from "~e2e/support/running-server";
import { askForTalk, resumeLeaseSeconds } from "~e2e/operations/resume-fixture";
import type { ResumeSite, Talker } from "~e2e/operations/resume-fixture";
import type { Random } from "../random";
import type { Figure } from "../scenario";

/** Each key asks once, so each ledger shows one reply. */
const talkerCount = 4;
/** The lease, the check that finds it expired, and a margin for a busy machine. */
const endingWithinMs = resumeLeaseSeconds * 1_000 + 3_000;
/** For the replies themselves, which are not measured. */
const beginsWithinMs = 30_000;

type LostWriters = ReturnType<typeof newTally>;

export function newTally() {
  return {
    answers: 0,
    storedEvents: 0,
    /** Events that a reader got but the store didn't. */
    seenBeyond: 0,
    generatedTwice: 0,
    defects: 0,
    lostOrChanged: 0,
    notEnded: 0,
    slowestEndingMs: 0,
    withoutEnding: 0,
    wrongQuotas: 0,
    notFree: 0,
  };
}

type Round = {
  site: ResumeSite;
  talkers: readonly Talker[];
  random: Random;
  writer: RunningServer;
  other: RunningServer;
  tally: LostWriters;
  say: (line: string) => void;
  /** Takes the writer away with these readers. Resolves when it can no longer write. */
  lose: (readers: readonly KeptReader[]) => Promise<void>;
};

export const openTalkers = (site: ResumeSite): Promise<Talker[]> =>
  Promise.all(Array.from({ length: talkerCount }, () => site.enter()));

/** Replies of one server are read there, and at another one after the first is lost. */
export async function playRound(round: Round): Promise<void> {
  const { site, talkers, random, writer, other, lose } = round;
  const before = await Promise.all(talkers.map((talker) => site.readQuota({ ...talker, server: other })));
  const answers = talkers.map((talker) => ({ talker, id: site.newConversation() }));
  const question = askForTalk(5_000, random.between(1, 20));
  const beginnings = answers.map(({ talker, id }) =>
    site.begin({ ...talker, id, server: writer, question }).catch(() => null),
  );
  // Usually in the middle of a reply, and sometimes while it is requested.
  if (random.chance(0.8)) await Promise.race([Promise.all(beginnings), delay(beginsWithinMs)]);
  await delay(random.between(0, 1_200));
  // Readers who come before the writer is lost follow it live. Later ones find the reply as it was left.
  const earlyFollowers = random.chance(0.5)
    ? await Promise.all(answers.map(({ talker, id }) => site.takeUp({ ...talker, id, server: other })))
    : null;
  await delay(random.between(0, 400));
  const opened = await Promise.all(beginnings.map((reader) => Promise.race([reader, delay(0, null)])));
  await lose(opened.filter((reader) => reader !== null));
  const lostAtMs = performance.now();
  const live = await Promise.all(beginnings);
  const followers =
    earlyFollowers ??
    (await Promise.all(answers.map(({ talker, id }) => site.takeUp({ ...talker, id, server: other }))));

  await Promise.all(
    answers.map(async ({ talker, id }, index) => {
      const reader = live[index] ?? null;
      const follower = followers[index]!.status === 200 ? followers[index]! : null;
      await checkAnswer({ round, talker, id, reader, follower, lostAtMs, usedBefore: before[index]!.used });
    }),
  );
}

type Check = {
  round: Round;
  talker: Talker;
  id: string;
  reader: KeptReader | null;
  follower: KeptReader | null;
  lostAtMs: number;
  usedBefore: number;
};

async function checkAnswer(check: Check): Promise<void> {
  const { round, talker, id, reader, follower, lostAtMs, usedBefore } = check;
  const { site, other, tally, say } = round;
  const turn = { ...talker, id, server: other };
  const seen = reader?.status === 200 ? reader.events : [];
  const note = (
    name: "notEnded" | "lostOrChanged" | "withoutEnding" | "notFree" | "wrongQuotas",
    what: string,
  ) => {
    tally[name] += 1;
    say(`${name}: ${id}: ${what}`);
  };
  if (follower !== null) {
    const isOver = await within(follower.ended, lostAtMs + endingWithinMs - performance.now());
    if (!isOver || !follower.isDone())
      note("notEnded", `${follower.events.length} events, ${follower.defects.join()}`);
    tally.slowestEndingMs = Math.max(tally.slowestEndingMs, performance.now() - lostAtMs);
    follower.leave();
  }
  // After the lease has expired, the conversation is free again, and the next question gets a whole reply.
  await waitUntil(async () => isTaken(await site.takeUp(turn)), { timeoutMs: endingWithinMs }).catch(
    () => undefined,
  );
  const kept = await readWhole(await site.takeUp(turn));
  if (kept === null) {
    // The reply was lost before it began, so nobody has seen any of it.
    if (seen.length > 0 || follower !== null) note("withoutEnding", "nothing is kept");
  } else {
    tally.answers += 1;
    const ending = endingOf(kept.events);
    const stored = kept.events.slice(0, kept.events.length - ending.length);
    tally.storedEvents += stored.length;
    if (ending.length === 0) note("withoutEnding", JSON.stringify(kept.events.slice(-3)));
    tally.seenBeyond += Math.max(0, seen.length - stored.length);
    for (const other of [seen, follower?.events ?? []]) {
      const changed = stored.find(
        ({ json }, index) => other[index] !== undefined && other[index]!.json !== json,
      );
      if (changed)
        note("lostOrChanged", `${changed.id} was ${other[changed.id - 1]!.json}, is ${changed.json}`);
    }
    const reference = follower?.events ?? [];
    if (follower !== null && reference.length !== kept.events.length)
      note("lostOrChanged", `${reference.length} of ${kept.events.length} events`);
    if (seen.length > 0) await checkComingBack(check, seen.at(-1)!.id, note);
    await checkQuota({ check, stored, usedBefore, note });
  }
  if ((site.generations.get(id) ?? 0) > 1) tally.generatedTwice += 1;
  for (const each of [reader, follower, kept]) if (each?.status === 200) tally.defects += each.defects.length;
  const next = await site.begin({ ...turn, question: askForTalk(3, 0) });
  await within(next.ended, beginsWithinMs);
  if (next.status !== 200 || !next.isDone() || !keptText(next.events).endsWith("w2 "))
    note("notFree", `${next.status} ${keptText(next.events)}`);
  next.leave();
}

type Note = (name: "withoutEnding" | "wrongQuotas", what: string) => void;

/** The first reader gets the ending even if it has seen more than was stored. */
async function checkComingBack(
  { round: { site, other, tally }, talker, id }: Check,
  after: number,
  note: Note,
) {
  const back = await readWhole(await site.takeUp({ ...talker, id, server: other, after }));
  if (back === null || endingOf(back.events).length === 0)
    note("withoutEnding", `after ${after}: ${JSON.stringify(back?.events.slice(-3))}`);
  else tally.defects += back.defects.length;
}

type QuotaCheck = { check: Check; stored: readonly KeptEvent[]; usedBefore: number; note: Note };

async function checkQuota({ check, stored, usedBefore, note }: QuotaCheck): Promise<void> {
  const { site, other } = check.round;
  const due = Math.ceil(keptText(stored).length / charsPerToken);
  const read = () => site.readQuota({ ...check.talker, server: other });
  await waitUntil(async () => (await read()).reserved === 0, { timeoutMs: 10_000 }).catch(() => undefined);
  const { used, reserved } = await read();
  if (used - usedBefore !== due || reserved !== 0)
    note("wrongQuotas", `${used - usedBefore} used instead of ${due}, ${reserved} reserved`);
}

/** There is no reply, or one that has ended. */
async function isTaken(reader: KeptReader): Promise<boolean> {
  if (reader.status !== 200) return true;
  await within(reader.ended, 300);
  reader.leave();
  return reader.isDone();
}

async function readWhole(reader: KeptReader): Promise<KeptReader | null> {
  if (reader.status === 204) return null;
  if (!(await within(reader.ended, 10_000))) reader.leave();
  return reader;
}

async function within(promise: Promise<unknown>, ms: number): Promise<boolean> {
  return await Promise.race([promise.then(() => true), delay(Math.max(0, ms), false)]);
}

/** `error` and `finish` at the very end, as written for a lost writer. */
function endingOf(events: readonly KeptEvent[]): readonly KeptEvent[] {
  const isBroken = (event: KeptEvent) => {
    const parsed = parseKept(event);
    return parsed.type === "error" && parsed.errorText.startsWith(brokenOff);
  };
  const at = events.findIndex(isBroken);
  const types = events.slice(at).map((event) => parseKept(event).type);
  return at >= 0 && types.join() === "error,finish" ? events.slice(at) : [];
}

/** Whether only the ending follows after `after` events. */
export function isOnlyEnding(events: readonly KeptEvent[], after: number): boolean {
  return endingOf(events).length >= events.length - after;
}

export function toFigures(tally: LostWriters, atLeastAnswers: number): Figure[] {
  const none = (what: string, measured: number): Figure => ({ what, measured, bound: { equals: 0 } });
  return [
    { what: "answers that lost their writer", measured: tally.answers, bound: { atLeast: atLeastAnswers } },
    { what: "events stored of them", measured: tally.storedEvents, bound: { atLeast: atLeastAnswers } },
    none("answers generated twice", tally.generatedTwice),
    none("stored events lost or changed", tally.lostOrChanged),
    none("gaps, repetitions and events of another kind", tally.defects),
    none("readers elsewhere without the end in time", tally.notEnded),
    {
      what: "slowest end for a reader elsewhere",
      measured: Math.round(tally.slowestEndingMs / 100) / 10,
      unit: "s",
      bound: { atMost: endingWithinMs / 1_000 },
    },
    none("answers without the ending that says so", tally.withoutEnding),
    none("quotas that are not what was stored", tally.wrongQuotas),
    none("conversations that were not free again", tally.notFree),
  ];
}
