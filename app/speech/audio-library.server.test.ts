import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtemp, readdir, rm, truncate, utimes, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createAudioCache } from "./audio-cache.server";
import { createAudioLibrary } from "./audio-library.server";
import type { OpenAudio } from "./audio-library.server";
import { SpeechBusy, SpeechFault } from "./providers/speech-provider.server";

type Feed = {
  signal: AbortSignal;
  give: (chunk: Uint8Array) => void;
  end: () => void;
  fail: (error: Error) => void;
  /** How many bytes were pulled. */
  taken: () => number;
};

/** A provider under the test's control. */
function createSpeaker() {
  const feeds: Feed[] = [];
  async function speak({ signal }: { signal: AbortSignal }) {
    const queue: (Uint8Array | Error | null)[] = [];
    let wake = () => {};
    let taken = 0;
    const put = (entry: Uint8Array | Error | null) => (queue.push(entry), wake());
    signal.addEventListener("abort", () => put(signal.reason as Error));
    feeds.push({ signal, give: put, end: () => put(null), fail: put, taken: () => taken });
    async function* chunks() {
      for (;;) {
        while (queue.length === 0) await new Promise<void>((resolve) => (wake = resolve));
        const entry = queue.shift();
        if (entry === null || entry === undefined) return;
        if (entry instanceof Error) throw entry;
        taken += entry.length;
        yield entry;
      }
    }
    return await Promise.resolve({ contentType: "audio/test", chunks: chunks() });
  }
  return { speak, feeds };
}

async function openLibrary({
  maxBytes = 10_000_000,
  maxSyntheses,
  dir: given,
}: { maxBytes?: number; maxSyntheses?: number; dir?: string } = {}) {
  const dir = given ?? (await mkdtemp(path.join(os.tmpdir(), "latchkey-speech-")));
  if (!given) onTestFinished(() => rm(dir, { recursive: true, force: true }));
  let nowMs = 1_700_000_000_000;
  const warnings: string[] = [];
  const cache = createAudioCache({
    dir,
    maxBytes,
    clock: () => nowMs,
    log: { warn: (_fields, message) => void warnings.push(message) },
  });
  await cache.start();
  const library = createAudioLibrary(cache, maxSyntheses);
  const speaker = createSpeaker();
  const open = async (
    text: string,
    signal = new AbortController().signal,
    { onRequest = () => {}, clientId = "a" } = {},
  ) => {
    const identity = ["voice", text];
    const cached = await library.findCached(identity);
    return cached ?? (await library.open({ identity, speak: speaker.speak, onRequest, clientId, signal }));
  };
  const listFiles = async (ending: string) => (await readdir(dir)).filter((name) => name.endsWith(ending));
  return { dir, open, ...speaker, listFiles, warnings, pass: (ms: number) => (nowMs += ms) };
}

async function readAll({ reader }: OpenAudio): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for (let chunk = await reader.next(); chunk !== null; chunk = await reader.next()) chunks.push(chunk);
  reader.leave();
  return Buffer.concat(chunks);
}

async function say(fixture: Awaited<ReturnType<typeof openLibrary>>, text: string, bytes: Buffer) {
  const count = fixture.feeds.length;
  const audio = await fixture.open(text);
  const feed = fixture.feeds[count];
  feed?.give(bytes);
  feed?.end();
  const read = await readAll(audio);
  return { isCached: audio.isCached, read };
}

test("a text spoken once is served from the cache, in another process too", async () => {
  const fixture = await openLibrary();
  const bytes = randomBytes(200_000);
  expect(await say(fixture, "a", bytes)).toEqual({ isCached: false, read: bytes });
  const again = await fixture.open("a");
  expect([again.isCached, again.contentType, again.totalBytes]).toEqual([true, "audio/test", 200_000]);
  expect(await readAll(again)).toEqual(bytes);
  expect((await fixture.open("b")).isCached).toBe(false);

  const other = await openLibrary({ dir: fixture.dir });
  expect(await readAll(await other.open("a"))).toEqual(bytes);
  expect(other.feeds).toHaveLength(0);
});

test("concurrent requests for the same text share one synthesis, late ones from its beginning", async () => {
  const { open, feeds } = await openLibrary();
  const early = await Promise.all(Array.from({ length: 10 }, () => open("a")));
  expect(feeds).toHaveLength(1);
  const reading = early.map(readAll);
  feeds[0]!.give(Buffer.from("one "));
  expect(Buffer.from((await (await open("a")).reader.next())!).toString()).toBe("one ");
  const late = readAll(await open("a"));
  feeds[0]!.give(Buffer.from("two"));
  feeds[0]!.end();
  for (const bytes of await Promise.all([...reading, late])) expect(bytes.toString()).toBe("one two");
  expect(feeds).toHaveLength(1);
});

test("one listener who leaves does not end it for others, and the last one ends the provider's work", async () => {
  const { open, feeds, listFiles } = await openLibrary();
  const leaving = new AbortController();
  const [first, second] = [await open("a", leaving.signal), await open("a")];
  feeds[0]!.give(Buffer.from("one"));
  await first.reader.next();
  leaving.abort(new Error("gone"));
  expect(feeds[0]!.signal.aborted).toBe(false);
  await second.reader.next();
  second.reader.leave();
  expect(feeds[0]!.signal.aborted).toBe(true);
  await expect.poll(() => listFiles(".part")).toEqual([]);
  expect(await listFiles(".audio")).toEqual([]);
  await open("a");
  expect(feeds).toHaveLength(2);
});

test("interrupted audio is sent as far as it came, then an error, and not cached", async () => {
  const { open, feeds, listFiles } = await openLibrary();
  const audio = await open("a");
  feeds[0]!.give(Buffer.from("half"));
  expect(Buffer.from((await audio.reader.next())!).toString()).toBe("half");
  feeds[0]!.fail(new SpeechFault({ details: "broke off" }));
  await expect(audio.reader.next()).rejects.toThrow("broke off");
  audio.reader.leave();
  await expect.poll(() => listFiles("")).toEqual([]);

  const empty = await open("b");
  feeds[1]!.end();
  await expect(empty.reader.next()).rejects.toThrow("no audio came");
});

test("cached files that are empty or not audio are never served", async () => {
  const fixture = await openLibrary();
  const bytes = randomBytes(1_000);
  const damages: ((file: string) => Promise<unknown>)[] = [
    (file) => truncate(file, 100),
    (file) => truncate(file, 0),
    (file) => writeFile(file, bytes),
    // A pipe, which an ordinary open would wait at.
    async (file) => (await rm(file), execFileSync("mkfifo", [file])),
  ];
  for (const damage of damages) {
    expect(await say(fixture, "a", bytes)).toEqual({ isCached: false, read: bytes });
    const [name] = await fixture.listFiles(".audio");
    await damage(path.join(fixture.dir, name!));
  }
  expect(await say(fixture, "a", bytes)).toEqual({ isCached: false, read: bytes });
});

test("the cache keeps to its size, and evicts the least recently used first", async () => {
  const fixture = await openLibrary({ maxBytes: 100_000 });
  const bytes = randomBytes(20_000);
  for (const text of ["a", "b", "c", "d"]) {
    await say(fixture, text, bytes);
    fixture.pass(1_000);
  }
  expect(await say(fixture, "a", bytes)).toMatchObject({ isCached: true });
  fixture.pass(1_000);
  await say(fixture, "e", bytes);
  await expect.poll(() => fixture.listFiles(".audio")).toHaveLength(4);
  expect(await say(fixture, "a", bytes)).toMatchObject({ isCached: true });
  expect(await say(fixture, "b", bytes)).toMatchObject({ isCached: false });

  const large = await openLibrary({ maxBytes: 100_000 });
  await say(large, "large", randomBytes(25_001));
  const none = await openLibrary({ maxBytes: 0 });
  await say(none, "a", bytes);
  for (const { listFiles } of [large, none]) await expect.poll(() => listFiles("")).toEqual([]);
});

test("partial files of a dead process are deleted at the next start, those of a living one stay", async () => {
  const { dir } = await openLibrary();
  await writeFile(path.join(dir, "old.part"), "half");
  await writeFile(path.join(dir, "new.part"), "half");
  await utimes(path.join(dir, "old.part"), 1_600_000_000, 1_600_000_000);
  const { listFiles } = await openLibrary({ dir });
  expect(await listFiles(".part")).toEqual(["new.part"]);
});

test("the provider is paused while the reader takes nothing, a megabyte ahead of it", async () => {
  const { open, feeds } = await openLibrary();
  const audio = await open("a");
  const chunk = Buffer.alloc(256 * 1024, 1);
  for (let index = 0; index < 40; index += 1) feeds[0]!.give(chunk);
  feeds[0]!.end();
  await audio.reader.next();
  await expect.poll(() => feeds[0]!.taken()).toBeGreaterThanOrEqual(1024 * 1024);
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(feeds[0]!.taken()).toBeLessThanOrEqual(1024 * 1024 + 2 * chunk.length);
  expect((await readAll(audio)).length).toBe(40 * chunk.length - 64 * 1024);
});

test("the number of concurrent syntheses is bounded, and a client that left before its turn is not served", async () => {
  const { open, feeds } = await openLibrary({ maxSyntheses: 2 });
  const [one] = [await open("a"), await open("b")];
  await expect(open("c")).rejects.toThrow(SpeechBusy);
  expect((await open("a")).isCached).toBe(false);
  one.reader.leave();
  expect(feeds).toHaveLength(2);
  await expect(open("c", AbortSignal.abort(new Error("gone")))).rejects.toThrow("gone");
});

test("audio that is complete takes no place of the next synthesis, however slowly it is read", async () => {
  const fixture = await openLibrary({ maxSyntheses: 2 });
  const bytes = randomBytes(300_000);
  const slow: OpenAudio[] = [];
  for (const text of ["a", "b", "c"]) {
    const audio = await fixture.open(text);
    fixture.feeds.at(-1)!.give(bytes);
    fixture.feeds.at(-1)!.end();
    await audio.reader.next();
    await expect.poll(() => fixture.listFiles(".audio")).toHaveLength(slow.push(audio));
  }
  await say(fixture, "d", bytes);
  const cached = await fixture.open("d");
  await Promise.all([fixture.open("e"), fixture.open("f")]);
  await expect(fixture.open("g")).rejects.toThrow(SpeechBusy);
  for (const audio of [...slow, cached]) expect((await readAll(audio)).length).toBeGreaterThan(200_000);
});

test("four texts of one client are in the making at once, and the places left stay for others", async () => {
  const { open } = await openLibrary({ maxSyntheses: 20 });
  const [first] = await Promise.all(["0", "1", "2", "3"].map((text) => open(text)));
  await expect(open("one more")).rejects.toThrow("You have 4 texts being spoken.");
  const other = await open("one more", undefined, { clientId: "b" });
  expect((await open("one more")).isCached).toBe(false);
  first!.reader.leave();
  await open("4");
  await expect(open("5")).rejects.toThrow(SpeechBusy);
  other.reader.leave();
});

test("one client listens to at most 16 texts at once, and the places left stay for others", async () => {
  const { open } = await openLibrary({ maxSyntheses: 20 });
  const texts = Array.from({ length: 16 }, (_, index) => String(index));
  // Others ask for them first.
  for (const text of texts) await open(text, undefined, { clientId: `of ${text}` });
  const [first] = await Promise.all(texts.map((text) => open(text)));
  await expect(open("one more")).rejects.toThrow("You are listening to 16 texts.");
  await expect(open("0")).rejects.toThrow(SpeechBusy);
  expect((await open("one more", undefined, { clientId: "b" })).isCached).toBe(false);
  first!.reader.leave();
  first!.reader.leave();
  await open("one more");
  await expect(open("one more")).rejects.toThrow(SpeechBusy);
});

test("the next turn goes to the longest waiting client that is still there", async () => {
  const { open, feeds } = await openLibrary();
  const askedFor: string[] = [];
  const leaving = new AbortController();
  const hearing = (name: string, signal = new AbortController().signal) =>
    open("a", signal, { onRequest: () => void askedFor.push(name) });
  const first = hearing("first", leaving.signal);
  const others = [hearing("second"), hearing("third")];
  // It isn't known yet whether the audio is cached.
  leaving.abort(new Error("gone"));
  await expect(first).rejects.toThrow("gone");
  const heard = [...(await Promise.all(others)), await hearing("late")];
  feeds[0]!.give(Buffer.from("sound"));
  feeds[0]!.end();
  await Promise.all(heard.map(readAll));
  expect((await hearing("later")).isCached).toBe(true);
  expect(askedFor).toEqual(["second"]);
  expect(feeds).toHaveLength(1);
});
