import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { createFliteSpeech } from "~/speech/providers/flite.gateway.server";
import { SpeechBusy, UnspeakableText } from "~/speech/providers/speech-provider.server";
import { decodeMp3 } from "~e2e/support/mp3";
import { createFlitePool } from "./flite-pool.server";
import type { FlitePool } from "./flite-pool.server";

function openPool(terms: Partial<Parameters<typeof createFlitePool>[0]> = {}): FlitePool {
  const pool = createFlitePool({ maxThreads: 1, maxWaiting: 4, ...terms });
  onTestFinished(pool.stop);
  return pool;
}

const { signal } = new AbortController();
const clientId = "192.0.2.1";
const sentence = {
  text: "The lamp in the window is burning, and whoever holds the key may come in.",
  voice: "slt",
};

test("every voice speaks, each sentence is an MP3 of its own, and two can be joined", async () => {
  const pool = openPool();
  for (const voice of ["slt", "rms", "awb", "kal16", "kal"]) {
    const audio = await pool.speak({ sentence: { ...sentence, voice }, isFirst: true, clientId, signal });
    const { seconds, loudness } = await decodeMp3(audio);
    expect(seconds, voice).toBeGreaterThan(2.5);
    expect(seconds, voice).toBeLessThan(8);
    expect(loudness, voice).toBeGreaterThan(0.01);
    const twice = await decodeMp3(Buffer.concat([audio, audio]));
    expect(twice.seconds).toBeGreaterThan(seconds * 1.9);
  }
});

test("the same sentence sounds the same again, and text that looks like an option is spoken", async () => {
  const pool = openPool();
  const speak = (text: string) =>
    pool.speak({ sentence: { text, voice: "slt" }, isFirst: true, clientId, signal });
  const [once, again] = [await speak("Come in."), await speak("Come in.")];
  expect(Buffer.from(once).equals(Buffer.from(again))).toBe(true);
  expect((await decodeMp3(await speak("-o /etc/passwd"))).seconds).toBeGreaterThan(1);
});

test("the main thread stays free while a sentence is spoken", async () => {
  const pool = openPool();
  await pool.speak({ sentence, isFirst: true, clientId, signal });
  let isOver = false;
  const long = { ...sentence, text: `${sentence.text} `.repeat(8) };
  const speaking = pool
    .speak({ sentence: long, isFirst: true, clientId, signal })
    .finally(() => (isOver = true));
  let turns = 0;
  while (!isOver) {
    await nextTurn();
    turns += 1;
  }
  await speaking;
  // On the main thread it would be one turn or two.
  expect(turns).toBeGreaterThan(20);
});

test("the number of threads is bounded, a new text waits only where there is room, one that began always", async () => {
  const pool = openPool({ maxThreads: 2, maxWaiting: 3 });
  const ask = (isFirst: boolean) => pool.speak({ sentence, isFirst, clientId, signal });
  const taken = Array.from({ length: 5 }, () => ask(true));
  expect(pool.readLoad()).toEqual({ waiting: 3, threads: 2 });
  await expect(ask(true)).rejects.toThrow(SpeechBusy);
  const going = ask(false);
  expect(pool.readLoad()).toEqual({ waiting: 4, threads: 2 });
  const audios = await Promise.all([...taken, going]);
  expect(audios.every((audio) => audio.length > 1_000)).toBe(true);
  expect(pool.readLoad()).toEqual({ waiting: 0, threads: 2 });
});

test("a client's first sentence waits although another client's sentences fill the queue", async () => {
  const pool = openPool({ maxWaiting: 1 });
  const ask = (of: string) => pool.speak({ sentence, isFirst: true, clientId: of, signal });
  const taken = [ask(clientId), ask(clientId)];
  await expect(ask(clientId)).rejects.toThrow(SpeechBusy);
  taken.push(...["192.0.2.2", "192.0.2.3", "192.0.2.4"].map(ask));
  await expect(ask("192.0.2.5")).rejects.toThrow(SpeechBusy);
  expect((await Promise.all(taken)).every((audio) => audio.length > 1_000)).toBe(true);
});

test("a client that leaves frees its place in the queue at once", async () => {
  const pool = openPool({ maxWaiting: 1 });
  const leaving = new AbortController();
  const speaking = pool.speak({ sentence, isFirst: true, clientId, signal });
  const waiting = pool.speak({ sentence, isFirst: true, clientId, signal: leaving.signal });
  leaving.abort(new Error("gone"));
  await expect(waiting).rejects.toThrow("gone");
  expect(pool.readLoad().waiting).toBe(0);
  await expect(pool.speak({ sentence, isFirst: true, clientId, signal: leaving.signal })).rejects.toThrow(
    "gone",
  );
  expect((await speaking).length).toBeGreaterThan(1_000);
});

test("a sentence that takes too long ends its thread and not the next sentence", async () => {
  const pool = openPool({ taskTimeoutMs: 1 });
  await expect(pool.speak({ sentence, isFirst: true, clientId, signal })).rejects.toThrow(
    "the embedded voice failed",
  );
  expect(pool.readLoad()).toEqual({ waiting: 0, threads: 0 });
  await expect(pool.speak({ sentence, isFirst: true, clientId, signal })).rejects.toThrow(
    "the embedded voice failed",
  );
});

test("idle threads end, and a stopped pool speaks no more", async () => {
  const pool = openPool({ idleMs: 10 });
  await pool.speak({ sentence, isFirst: true, clientId, signal });
  await expect.poll(() => pool.readLoad().threads).toBe(0);
  const speaking = pool.speak({ sentence, isFirst: true, clientId, signal });
  const waiting = pool.speak({ sentence, isFirst: true, clientId, signal });
  const outcomes = Promise.allSettled([speaking, waiting]);
  await pool.stop();
  expect((await outcomes).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  await expect(pool.speak({ sentence, isFirst: true, clientId, signal })).rejects.toThrow("stopping");
});

test("a text is synthesised one sentence ahead of its listener, and no further", async () => {
  const sentences: string[] = [];
  const pool = {
    speak: ({ sentence: { text } }: { sentence: { text: string } }) => {
      sentences.push(text);
      return Promise.resolve(Buffer.from(text));
    },
  };
  const provider = createFliteSpeech(pool, "slt");
  const { chunks, contentType } = await provider.speak({
    text: "One.\nТолько кириллица.\nTwo. Three. Four.",
    clientId,
    signal,
  });
  expect(contentType).toBe("audio/mpeg");
  const iterator = chunks[Symbol.asyncIterator]();
  expect(sentences).toEqual(["One."]);
  expect(Buffer.from((await iterator.next()).value as Uint8Array).toString()).toBe("One.");
  expect(sentences).toEqual(["One.", "Two."]);
  await iterator.next();
  expect(sentences).toEqual(["One.", "Two.", "Three."]);
  await iterator.return?.();
  expect(sentences).toHaveLength(3);
  await expect(provider.speak({ text: "Только кириллица.", clientId, signal })).rejects.toThrow(
    UnspeakableText,
  );
});

test("a newcomer waits for one sentence of each other client, however many texts they have", async () => {
  const pool = openPool({ maxWaiting: 16 });
  const spoken: string[] = [];
  const ask = (name: string) =>
    pool.speak({ sentence, isFirst: true, clientId: name, signal }).then(() => spoken.push(name));
  await Promise.all([..."aaaaaabbbc"].map(ask));
  // The thread begins with the first that comes.
  expect(spoken.join("")).toBe("aabcababaa");
});

test("each sentence of a text is spoken in its client's turn", async () => {
  const clients: string[] = [];
  const pool = {
    speak: (task: { clientId: string }) => {
      clients.push(task.clientId);
      return Promise.resolve(Buffer.from("a sound"));
    },
  };
  const { chunks } = await createFliteSpeech(pool, "slt").speak({ text: "One. Two.", clientId, signal });
  for await (const chunk of chunks) expect(chunk.length).toBeGreaterThan(0);
  expect(clients).toEqual([clientId, clientId]);
});

test("one client has at most three texts in work and waiting, and each that ends makes room", async () => {
  const speaking: { resolve: (audio: Uint8Array) => void; reject: (error: Error) => void }[] = [];
  const pool = {
    speak: () => new Promise<Uint8Array>((resolve, reject) => void speaking.push({ resolve, reject })),
  };
  const provider = createFliteSpeech(pool, "slt");
  const ask = (name: string, its = signal) =>
    provider.speak({ text: "One. Two.", clientId: name, signal: its });
  const leaving = new AbortController();
  const [first, second, third] = [ask("a"), ask("a"), ask("a", leaving.signal)];
  third.catch(() => undefined);
  await expect(ask("a")).rejects.toThrow(SpeechBusy);
  await expect(ask("a")).rejects.toThrow("You have 3 texts being spoken");
  void ask("b");
  expect(speaking).toHaveLength(4);
  for (const audio of speaking.slice(0, 2)) audio.resolve(Buffer.from("a sound"));
  const [{ chunks }] = await Promise.all([first, second]);
  await expect(ask("a")).rejects.toThrow(SpeechBusy);
  for await (const chunk of chunks) {
    expect(chunk.length).toBeGreaterThan(0);
    speaking.at(-1)!.resolve(Buffer.from("more"));
  }
  const fourth = ask("a");
  await expect(ask("a")).rejects.toThrow(SpeechBusy);
  leaving.abort();
  void ask("a");
  await expect(ask("a")).rejects.toThrow(SpeechBusy);
  speaking[5]!.reject(new Error("broken"));
  await expect(fourth).rejects.toThrow("broken");
  void ask("a");
});
