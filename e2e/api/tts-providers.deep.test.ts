import { createHash } from "node:crypto";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { memoryReportOptions, readMemory } from "~e2e/support/measure/memory-report";
import {
  answeringSpeech,
  breakingOffAfter,
  neverSpeaking,
  pausingAfter,
  sounding,
  soundingLong,
} from "~e2e/support/providers/speech-server";
import type { SpeechBehaviour } from "~e2e/support/providers/speech-server";
import { limitsOff } from "~e2e/support/limits";
import { quotaOn, signInNew } from "./chat-fixture";
import { openGate } from "./gate-fixture";
import type { Gate } from "./gate-fixture";
import {
  localSpeaker,
  openSpeech,
  readAudio,
  sendSpeech,
  speak,
  speechLimitOff,
  startSpeaker,
  startSpeechGate,
} from "./tts-fixture";

const key = "sk-test-0123456789abcdefghijklmnop";
const sound = Buffer.from("the sound of a voice");

// Starts many servers in sequence.
vi.setConfig({ testTimeout: 120_000 });

let gate: Gate;
beforeAll(async () => {
  gate = await openGate({ env: { ...limitsOff, ...speechLimitOff } });
});
afterAll(() => gate.close());

const providers = [
  {
    name: "openai",
    settings: (baseUrl: string) => ({
      NEXT_PUBLIC_AI_CHAT_REQUIRES_JWT: "false",
      TTS_PROVIDER: "openai",
      OPENAI_API_KEY: key,
      OPENAI_BASE_URL: baseUrl,
    }),
    path: "/v1/audio/speech",
    headers: { authorization: `Bearer ${key}` },
    body: { model: "gpt-4o-mini-tts", voice: "alloy", input: "Read me.", response_format: "mp3" },
  },
  {
    name: "elevenlabs",
    settings: (baseUrl: string) => ({
      NEXT_PUBLIC_AI_CHAT_REQUIRES_JWT: "false",
      TTS_PROVIDER: "elevenlabs",
      ELEVENLABS_API_KEY: key,
      ELEVENLABS_VOICE_ID: "voice1",
      ELEVENLABS_BASE_URL: baseUrl,
    }),
    path: "/v1/text-to-speech/voice1/stream?output_format=mp3_44100_128",
    headers: { "xi-api-key": key },
    body: { model_id: "eleven_multilingual_v2", text: "Read me." },
  },
  {
    name: "local",
    settings: (baseUrl: string) => ({
      TTS_BASE_URL: baseUrl,
      TTS_VOICE: "nova",
      TTS_MODEL: "kokoro",
      TTS_API_KEY: key,
    }),
    path: "/v1/audio/speech",
    headers: { authorization: `Bearer ${key}` },
    body: { model: "kokoro", voice: "nova", input: "Read me.", response_format: "mp3" },
  },
];

test.each(providers)("$name is asked in its own protocol, with speakable text", async (provider) => {
  const { baseUrl, calls } = await startSpeaker(
    sounding(sound),
    ({ response }) => void response.writeHead(200, { "Content-Type": "audio/wav; x=1" }).end(sound),
    ({ response }) => void response.writeHead(200, { "Content-Type": "application/octet-stream" }).end(sound),
  );
  const { server } = await startSpeechGate({ gate, env: provider.settings(baseUrl) });
  const ask = (text: string) => speak({ port: server.port, json: { text, messageId: "m:1" } });
  const answer = await ask("Read **me** 🎉.");
  expect([answer.status, answer.bytes, answer.isWhole]).toEqual([200, sound, true]);
  expect([answer.headers["content-type"], answer.headers["x-message-id"]]).toEqual(["audio/mpeg", "m:1"]);
  expect([calls[0]!.path, calls[0]!.body]).toEqual([provider.path, provider.body]);
  expect(calls[0]!.headers).toMatchObject(provider.headers);
  expect((await ask("Two.")).headers["content-type"]).toBe("audio/wav");
  expect((await ask("Three.")).headers["content-type"]).toBe("audio/mpeg");
  expect((await ask("Two.")).headers["content-type"]).toBe("audio/wav");
  expect((await ask("Read me.")).bytes).toEqual(sound);
  expect(calls).toHaveLength(3);
});

test.each(providers)(
  "a failing $name is a 500 that says what happened, without the key",
  async ({ settings }) => {
    const json = { "Content-Type": "application/json" };
    const words = (message: string) => JSON.stringify({ error: { message } });
    const detail = JSON.stringify({ detail: { message: `bad key ${key}` } });
    const failures: [SpeechBehaviour, RegExp][] = [
      [answeringSpeech(401, json, words(`Wrong key ${key}. Bearer ${key}`)), /^HTTP 401: Wrong key/],
      [answeringSpeech(401, json, detail), /^HTTP 401/],
      [answeringSpeech(429, json, words("Slow down")), /^HTTP 429: Slow down$/],
      [answeringSpeech(500, { "Content-Type": "text/plain" }, key), /^HTTP 500$/],
      [
        answeringSpeech(302, { Location: "http://127.0.0.1:9/elsewhere" }, ""),
        /^HTTP 302: redirects are not followed$/,
      ],
      [
        answeringSpeech(200, { "Content-Type": "text/html" }, `<p>${key}</p>`),
        /^HTTP 200: an answer of type text\/html instead of audio$/,
      ],
      [answeringSpeech(200, { "Content-Type": "audio/mpeg" }, ""), /^HTTP|^an empty answer/],
      [({ response }) => void response.destroy(), /broke off/],
      [({ response }) => void response.socket?.end(`nonsense ${key}\r\n\r\n`), /./],
    ];
    const [first, ...rest] = failures.map(([behaviour]) => behaviour) as [
      SpeechBehaviour,
      ...SpeechBehaviour[],
    ];
    const { baseUrl, calls, close } = await startSpeaker(first, ...rest);
    const { server } = await startSpeechGate({ gate, env: settings(baseUrl) });
    for (const [, details] of failures) {
      const { status, body } = await speak({ port: server.port });
      expect([status, body]).toEqual([
        500,
        { error: "TTS generation failed", details: expect.stringMatching(details) as string },
      ]);
      expect(JSON.stringify(body)).not.toContain(key.slice(0, 12));
    }
    expect(calls).toHaveLength(failures.length);
    await close();
    const refused = await speak({ port: server.port });
    expect(refused.body).toEqual({ error: "TTS generation failed", details: "connection refused" });
    expect(server.output()).not.toContain(key.slice(0, 12));
  },
);

test.each(providers)("readiness names speech, and is degraded while $name is away", async ({ settings }) => {
  const { baseUrl, close } = await startSpeaker(sounding(sound));
  const readSpeech = async (url: string) => {
    const { server } = await startSpeechGate({ gate, env: settings(url) });
    const response = await fetch(`http://127.0.0.1:${server.port}/readyz`);
    const body = (await response.json()) as { status: string; dependencies: Record<string, object> };
    return [response.status, body.status, body.dependencies.speech];
  };
  const latencyMs = expect.any(Number) as number;
  expect(await readSpeech(baseUrl)).toEqual([200, "ready", { state: "up", latencyMs }]);
  await close();
  const detail = "The provider of speech cannot be reached.";
  expect(await readSpeech(baseUrl)).toEqual([200, "degraded", { state: "down", latencyMs, detail }]);
});

test("the first byte is sent when the provider's first byte comes, long before its last", async () => {
  let proceed = () => {};
  const gone = new Promise<void>((resolve) => (proceed = resolve));
  const { baseUrl } = await startSpeaker(pausingAfter(sound, sound, gone));
  const { server } = await startSpeechGate({ gate, env: localSpeaker({ baseUrl }) });
  const { incoming, status } = await openSpeech({ port: server.port });
  expect(status).toBe(200);
  const first = await new Promise<Buffer>((resolve) => incoming.once("data", resolve));
  expect(first).toEqual(sound);
  const rest = readAudio(incoming);
  proceed();
  expect(await rest).toEqual({ bytes: sound, isWhole: true });
});

test("audio interrupted after its first byte does not look whole, and is requested again the next time", async () => {
  const { baseUrl, calls } = await startSpeaker(breakingOffAfter(sound), sounding(sound));
  const { server } = await startSpeechGate({ gate, env: localSpeaker({ baseUrl }) });
  const broken = await speak({ port: server.port });
  expect([broken.status, broken.isWhole]).toEqual([200, false]);
  expect(await speak({ port: server.port })).toMatchObject({ status: 200, isWhole: true, bytes: sound });
  expect(calls).toHaveLength(2);
  const files = await readdir(path.join(server.dataDir, "speech"));
  expect(files.map((name) => path.extname(name))).toEqual([".audio"]);
});

/** Reads without keeping anything. */
function listenTo(incoming: IncomingMessage) {
  const hash = createHash("sha256");
  let bytes = 0;
  incoming.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    hash.update(chunk);
  });
  const ended = new Promise<void>((resolve) => incoming.once("close", resolve));
  return { bytes: () => bytes, digest: ended.then(() => [incoming.complete, hash.digest("hex")]) };
}

test("eight texts of twenty megabytes each are streamed in constant memory, and again from the cache", async () => {
  const [count, listeners, mebi] = [320, 8, 1024 * 1024];
  let proceed = () => {};
  const waiting = new Promise<void>((resolve) => (proceed = resolve));
  const { baseUrl, calls } = await startSpeaker(sounding(sound), soundingLong(count, waiting));
  const { server } = await startSpeechGate({
    gate,
    env: { ...localSpeaker({ baseUrl }), TRUST_PROXY: "1" },
    nodeOptions: memoryReportOptions,
  });
  const hash = createHash("sha256");
  for (let index = 0; index < count; index += 1) hash.update(Buffer.alloc(65_536, index % 251));
  const expected = Array.from({ length: listeners }, () => [true, hash.copy().digest("hex")]);
  // Each text needs its own synthesis, so none is shared.
  const openAll = () =>
    Promise.all(
      Array.from({ length: listeners }, (_, index) =>
        openSpeech({
          port: server.port,
          json: { text: `Long text number ${index}.` },
          // One client may have four texts made at once.
          headers: { "X-Forwarded-For": `192.0.2.${index % 2}` },
        }),
      ),
    );
  await speak({ port: server.port, json: { text: "Warm up." } });
  const before = await readMemory(server);
  const expectLittleHeld = async () => {
    const now = await readMemory(server);
    // Each stream holds a few buffers. Collecting everything would take 160 MiB.
    expect(now.heldBytes - before.heldBytes).toBeLessThan(40 * mebi);
    // The system's memory isn't all returned at once.
    expect(now.rss - before.rss).toBeLessThan(140 * mebi);
  };

  const spoken = (await openAll()).map(({ incoming }) => listenTo(incoming));
  const hasAll = () => spoken.every(({ bytes }) => bytes() === (count - 1) * 65_536);
  await expect.poll(hasAll, { timeout: 60_000 }).toBe(true);
  // All but the last piece of each has passed through, and none has ended.
  await expectLittleHeld();
  proceed();
  expect(await Promise.all(spoken.map(({ digest }) => digest))).toEqual(expected);
  expect(calls).toHaveLength(1 + listeners);

  const answers = await openAll();
  expect(answers.map(({ headers }) => headers["content-length"])).toEqual(
    answers.map(() => String(count * 65_536)),
  );
  const kept = answers.map(({ incoming }) => listenTo(incoming));
  await expect.poll(() => kept.every(({ bytes }) => bytes() > mebi), { timeout: 60_000 }).toBe(true);
  for (const { incoming } of answers) incoming.pause();
  await expectLittleHeld();
  for (const { incoming } of answers) incoming.resume();
  expect(await Promise.all(kept.map(({ digest }) => digest))).toEqual(expected);
  expect(calls).toHaveLength(1 + listeners);
});

test("one text requested concurrently is one call of the provider, and later none", async () => {
  let proceed = () => {};
  const waiting = new Promise<void>((resolve) => (proceed = resolve));
  const { baseUrl, calls } = await startSpeaker(
    pausingAfter(sound, sound, waiting),
    sounding(Buffer.from("something else")),
  );
  const { server } = await startSpeechGate({ gate, env: localSpeaker({ baseUrl }) });
  const listeners = await Promise.all(
    Array.from({ length: 8 }, (_, index) =>
      openSpeech({ port: server.port, json: { text: "Hello there.", messageId: `m:${index}` } }),
    ),
  );
  const read = Promise.all(listeners.map(({ incoming }) => readAudio(incoming)));
  proceed();
  for (const audio of await read)
    expect(audio).toEqual({ bytes: Buffer.concat([sound, sound]), isWhole: true });
  // Each has its own message id.
  expect(listeners.map(({ headers }) => headers["x-message-id"])).toEqual(
    listeners.map((_, index) => `m:${index}`),
  );
  expect((await speak({ port: server.port })).bytes).toEqual(Buffer.concat([sound, sound]));
  expect(calls).toHaveLength(1);
});

test("a client that leaves before the first byte ends the provider's work, but not that of another with the same text", async () => {
  const { baseUrl, calls } = await startSpeaker(neverSpeaking, sounding(sound));
  const { server } = await startSpeechGate({ gate, env: localSpeaker({ baseUrl }) });
  const one = sendSpeech({ port: server.port });
  await expect.poll(() => calls.length).toBe(1);
  const other = sendSpeech({ port: server.port });
  // The later request got its response, so the other server is listening by now.
  expect((await speak({ port: server.port, json: { text: "Something else." } })).status).toBe(200);
  one.destroy();
  await expect.poll(() => server.output().split('"cutOff":true').length - 1).toBe(1);
  expect(calls[0]!.isClosed()).toBe(false);
  other.destroy();
  await calls[0]!.closed;
  expect(calls).toHaveLength(2);
});

test("a client that hangs up before the first byte is charged for the text, until its budget is spent", async () => {
  const { baseUrl, calls } = await startSpeaker(neverSpeaking);
  const { server, signIn } = await startSpeechGate({
    gate,
    env: { ...quotaOn, ...localSpeaker({ baseUrl }), TTS_QUOTA_CHARACTERS: "100" },
  });
  const { bearer } = await signInNew(gate, { signIn });
  const question = (letter: string) => ({
    port: server.port,
    headers: bearer,
    json: { text: letter.repeat(40) },
  });
  for (const [index, letter] of ["a", "b"].entries()) {
    const outgoing = sendSpeech(question(letter));
    await expect.poll(() => calls.length).toBe(index + 1);
    outgoing.destroy();
    await calls[index]!.closed;
    await expect.poll(() => server.output().split('"cutOff":true').length - 1).toBe(index + 1);
  }
  const refused = await speak(question("c"));
  expect([refused.status, refused.body]).toMatchObject([429, { error: "Quota exceeded", remaining: 20 }]);
  expect(Object.keys(refused.body ?? {})).not.toContain("details");
  expect(calls).toHaveLength(2);
});

test("a server that is killed while it speaks leaves nothing that is served as whole", async () => {
  const dataDir = await mkdtemp(path.join(os.tmpdir(), "latchkey-speech-"));
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }));
  const forever = new Promise<void>(() => undefined);
  const { baseUrl, calls } = await startSpeaker(
    sounding(sound),
    pausingAfter(sound, sound, forever),
    sounding(Buffer.from("again")),
  );
  const env = localSpeaker({ baseUrl });
  const first = await startSpeechGate({ gate, env, dataDir });
  await speak({ port: first.server.port, json: { text: "Whole." } });
  const { incoming } = await openSpeech({ port: first.server.port, json: { text: "Half." } });
  await new Promise((resolve) => incoming.once("data", resolve));
  await first.server.kill();
  const second = await startSpeechGate({ gate, env, dataDir });
  expect((await speak({ port: second.server.port, json: { text: "Whole." } })).bytes).toEqual(sound);
  expect(calls).toHaveLength(2);
  const again = await speak({ port: second.server.port, json: { text: "Half." } });
  expect(again.bytes.toString()).toBe("again");
  expect(calls).toHaveLength(3);
});

test("the embedded voice refuses a client's fourth text at once, and says when to come back", async () => {
  const { server } = await startSpeechGate({ gate, env: {} });
  const answers = await Promise.all(
    Array.from({ length: 4 }, (_, index) =>
      speak({
        port: server.port,
        json: { text: `This is text number ${index}, and it takes its time to speak.` },
      }),
    ),
  );
  const refused = answers.filter(({ status }) => status === 429);
  expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThan(0);
  expect(refused.length).toBeGreaterThan(0);
  for (const { body, headers } of refused) {
    expect(body).toEqual({ error: "TTS is busy", details: expect.any(String) as string });
    expect(Number(headers["retry-after"])).toBeGreaterThan(0);
  }
});
