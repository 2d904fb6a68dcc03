import { readdir } from "node:fs/promises";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createTestDir } from "~e2e/support/databases/database";
import { openSpeechFixture, startSpeechProvider } from "~e2e/support/providers/speech-fixture";
import {
  answeringSpeech,
  breakingOffAfter,
  clearingItsThroat,
  neverSpeaking,
  pausingAfter,
  sounding,
} from "~e2e/support/providers/speech-server";
import { createFlitePool } from "./flite/flite-pool.server";
import { createFliteSpeech } from "./providers/flite.gateway.server";

const sound = Buffer.from("the sound of a voice");
const limit = 100;

/** The status and the quota headers. Reads the body to its end. */
async function readOutcome(response: Response) {
  await response.arrayBuffer();
  return [response.status, response.headers.get("x-quota-remaining")];
}

test("the headers show the budget after this text is settled: spoken, repeated, failed, refused", async () => {
  const { provider } = await startSpeechProvider([
    sounding(sound),
    answeringSpeech(500, {}, ""),
    sounding(sound),
  ]);
  const { ask, readStanding, clock } = await openSpeechFixture({ provider, limit });
  const resetAt = new Date(clock() + 60_000).toISOString();
  const first = await ask("Twelve chars");
  expect(first.headers.get("x-quota-limit")).toBe("100");
  expect(first.headers.get("x-quota-reset")).toBe(resetAt);
  expect(await readOutcome(first)).toEqual([200, "88"]);
  expect(await readOutcome(await ask("Twelve chars"))).toEqual([200, "88"]);
  expect(await readOutcome(await ask("This one fails."))).toEqual([500, "88"]);
  expect(await readOutcome(await ask("This one works."))).toEqual([200, "73"]);
  const refused = await ask("x".repeat(74));
  expect(refused.headers.get("retry-after")).toBe("60");
  expect(await refused.clone().json()).toEqual({ error: "Quota exceeded", remaining: 73, resetAt });
  expect(await readOutcome(refused)).toEqual([429, "73"]);
  // A text without anything to speak is refused before the budget check.
  expect(await readOutcome(await ask("🎉"))).toEqual([422, null]);
  expect(await readStanding()).toMatchObject({ used: 27, reserved: 0, remaining: 73 });
});

test("cached audio opens no window and reserves nothing, and is refused to a key with too little left", async () => {
  const { provider, calls } = await startSpeechProvider([sounding(sound)]);
  const { ask, advance, readStanding } = await openSpeechFixture({ provider, limit: 30 });
  expect(await readOutcome(await ask("Twelve chars"))).toEqual([200, "18"]);
  advance(60_000);
  const cached = await ask("Twelve chars");
  expect([cached.headers.get("x-quota-remaining"), cached.headers.get("x-quota-reset")]).toEqual([
    "30",
    null,
  ]);
  expect(Buffer.from(await cached.arrayBuffer())).toEqual(sound);
  expect(await readStanding()).toMatchObject({ used: 0, resetAtMs: null });
  expect(await readOutcome(await ask("Nineteen characters"))).toEqual([200, "11"]);
  expect(await readOutcome(await ask("Twelve chars"))).toEqual([429, "11"]);
  expect(calls).toHaveLength(2);
});

test("a voice without room or sounds for a text returns its characters before it answers", async () => {
  const { provider } = await startSpeechProvider([sounding(sound)]);
  const full = await openSpeechFixture({ provider, limit, maxSyntheses: 0 });
  const busy = await full.ask("Twelve chars");
  expect(busy.headers.get("retry-after")).toBe("2");
  expect(await busy.clone().json()).toMatchObject({ error: "TTS is busy" });
  expect(await readOutcome(busy)).toEqual([429, "100"]);
  const pool = createFlitePool({ maxThreads: 1, maxWaiting: 1 });
  onTestFinished(pool.stop);
  const english = await openSpeechFixture({ provider: createFliteSpeech(pool, "slt"), limit });
  expect(await readOutcome(await english.ask("Здравствуйте"))).toEqual([422, "100"]);
});

test("the provider is not asked, and nothing counts, where audio cannot be stored", async () => {
  const { provider, calls } = await startSpeechProvider([sounding(sound)]);
  const dir = path.join(await createTestDir(), "not-there");
  const { ask, readStanding } = await openSpeechFixture({ provider, limit, dir });
  await expect(ask("Twelve chars")).rejects.toThrow("ENOENT");
  expect(calls).toHaveLength(0);
  expect(await readStanding()).toMatchObject({ used: 0, reserved: 0 });
});

test("failed audio leaves no file behind", async () => {
  const failing = answeringSpeech(500, {}, "");
  const { provider } = await startSpeechProvider([failing]);
  const dir = await createTestDir();
  const { ask } = await openSpeechFixture({ provider, limit, dir });
  expect((await ask("Twelve chars")).status).toBe(500);
  expect(await readdir(dir)).toEqual([]);
});

test("others' reservations are not shown as left, and an ended window is not shown at all", async () => {
  let proceed = () => {};
  const gone = new Promise<void>((resolve) => (proceed = resolve));
  const { provider, calls } = await startSpeechProvider([
    async (call) => {
      await gone;
      await sounding(sound)(call);
    },
    sounding(sound),
    async (call) => {
      advance(60_000);
      await answeringSpeech(500, {}, "")(call);
    },
  ]);
  const { ask, advance } = await openSpeechFixture({ provider, limit });
  const slow = ask("Twelve chars");
  await expect.poll(() => calls.length).toBe(1);
  expect(await readOutcome(await ask("Ten chars."))).toEqual([200, "78"]);
  proceed();
  expect(await readOutcome(await slow)).toEqual([200, "78"]);
  const late = await ask("Over the edge");
  expect(late.headers.get("x-quota-reset")).toBeNull();
  expect(await readOutcome(late)).toEqual([500, "100"]);
});

test("a text that must wait for another's reservation gets the time when that one must have ended", async () => {
  const { provider, calls } = await startSpeechProvider([neverSpeaking]);
  const { ask, clock } = await openSpeechFixture({ provider, limit });
  const leaving = new AbortController();
  const slow = ask("x".repeat(90), leaving.signal);
  await expect.poll(() => calls.length).toBe(1);
  const refused = await ask("Twelve chars");
  expect(refused.headers.get("retry-after")).toBe("60");
  expect(await refused.clone().json()).toEqual({
    error: "Quota exceeded",
    remaining: 10,
    resetAt: new Date(clock() + 60_000).toISOString(),
    details: expect.stringMatching(
      /^90 of this key's 100 characters are set aside for speech under way\. /,
    ) as string,
  });
  expect(await readOutcome(refused)).toEqual([429, "10"]);
  leaving.abort(new Error("gone"));
  await slow;
});

test("characters of a budget are code points: a hundred letters fit, and a hundred and one do not", async () => {
  const { provider } = await startSpeechProvider([sounding(sound)]);
  const { ask } = await openSpeechFixture({ provider, limit });
  expect((await ask(`a${"𝒂".repeat(100)}`)).status).toBe(429);
  expect(await readOutcome(await ask(`a${"𝒂".repeat(99)}`))).toEqual([200, "0"]);
});

const row = (words: string) => `| ${words} |\n`;

test.each([
  ["a long header before each cell", row("The name") + row("-") + row("a").repeat(60), 756, /The name: a\.$/],
  ["a header of sentences", row("é. ".repeat(600)) + row("-") + row("a").repeat(365), 4_000, /é\.: a\.$/],
  ["a text that is shorter when spoken", "**Hello** [there](https://example.com/a) 🎉🎉", 11, /there$/],
  ["a text as it is spoken", "The door is open. Come in.", 26, /Come in\.$/],
])("what the provider gets is bounded, and is what counts: %s", async (_name, text, maxChars, end) => {
  const { provider, calls } = await startSpeechProvider([sounding(sound)]);
  const { ask, readStanding } = await openSpeechFixture({ provider, limit: 10_000 });
  const response = await ask(text);
  await response.arrayBuffer();
  const spoken = String(calls[0]!.body.text);
  expect(spoken).toMatch(end);
  expect(spoken.length).toBeLessThanOrEqual(maxChars);
  expect(spoken.length).toBeGreaterThan(maxChars / 2);
  expect(response.headers.get("x-speech-cut")).toBe(text.startsWith("|") ? "1" : null);
  expect(await readStanding()).toMatchObject({ used: spoken.length });
});

test("the embedded voice is given no more than is counted, though it says signs in words", async () => {
  const pool = createFlitePool({ maxThreads: 1, maxWaiting: 4 });
  onTestFinished(pool.stop);
  const said: string[] = [];
  const counting: typeof pool.speak = (call) => (said.push(call.sentence.text), pool.speak(call));
  const provider = createFliteSpeech({ speak: counting }, "slt");
  const { ask, readStanding } = await openSpeechFixture({ provider, limit: 1_000 });
  const response = await ask(`One. ${"¾".repeat(20)}`);
  await response.arrayBuffer();
  expect(response.headers.get("x-speech-cut")).toBe("1");
  expect(said.join(" ")).toBe("One.");
  expect(await readStanding()).toMatchObject({ used: 4 });
});

test.each([
  ["says nothing at all", neverSpeaking],
  ["sends headers and no audio", clearingItsThroat],
])("a provider that %s is given up in time, with 500", async (_name, behaviour) => {
  const { provider, calls } = await startSpeechProvider([behaviour], { firstByteTimeoutMs: 50 });
  const { ask } = await openSpeechFixture({ provider, limit });
  const response = await ask("Hello there.");
  expect(await response.clone().json()).toEqual({
    error: "TTS generation failed",
    details: "no audio within 0.05 seconds",
  });
  expect(await readOutcome(response)).toEqual([500, "100"]);
  await calls[0]!.closed;
});

test("a provider that falls silent in mid-speech is given up, and the answer breaks off instead of ending", async () => {
  const forever = new Promise<void>(() => undefined);
  const { provider, calls } = await startSpeechProvider(
    [pausingAfter(sound, sound, forever), sounding(sound)],
    { idleTimeoutMs: 50 },
  );
  const { ask } = await openSpeechFixture({ provider, limit });
  const response = await ask("Hello there.");
  expect([response.status, response.headers.get("x-quota-remaining")]).toEqual([200, "88"]);
  const reader = response.body!.getReader();
  expect(Buffer.from((await reader.read()).value!)).toEqual(sound);
  await expect(reader.read()).rejects.toThrow("Speech failed: ");
  await calls[0]!.closed;
  // Half a recording is not cached.
  expect(await readOutcome(await ask("Hello there."))).toEqual([200, "76"]);
  expect(calls).toHaveLength(2);
});

test("a text interrupted after its first byte counts as spoken", async () => {
  const { provider } = await startSpeechProvider([breakingOffAfter(sound)]);
  const { ask, readStanding } = await openSpeechFixture({ provider, limit });
  const response = await ask("Twelve chars");
  expect(response.headers.get("x-quota-remaining")).toBe("88");
  await expect(response.arrayBuffer()).rejects.toThrow("Speech failed: ");
  expect(await readStanding()).toMatchObject({ used: 12, reserved: 0 });
});

/** Asks, and hangs up as soon as the provider has the text. */
async function hangUpOnceAsked({ fixture, calls, text }: HangUp): Promise<void> {
  const before = calls.length;
  const leaving = new AbortController();
  const pending = fixture.ask(text, leaving.signal);
  await expect.poll(() => calls.length).toBe(before + 1);
  leaving.abort(new Error("gone"));
  await pending;
  await calls[before]!.closed;
}
type HangUp = {
  fixture: Awaited<ReturnType<typeof openSpeechFixture>>;
  calls: { closed: Promise<void> }[];
  text: string;
};

test("a client that leaves before the first byte ends the provider's work, and the text counts", async () => {
  const { provider, calls } = await startSpeechProvider([neverSpeaking]);
  const fixture = await openSpeechFixture({ provider, limit });
  await hangUpOnceAsked({ fixture, calls, text: "Twelve chars" });
  expect(await fixture.readStanding()).toMatchObject({ used: 12, reserved: 0 });
});

test("a client that hangs up before the first byte repeatedly is refused when the budget is spent", async () => {
  const { provider, calls } = await startSpeechProvider([neverSpeaking]);
  const fixture = await openSpeechFixture({ provider, limit });
  for (const letter of ["a", "b", "c"]) {
    await hangUpOnceAsked({ fixture, calls, text: letter.repeat(33) });
  }
  expect((await fixture.ask("d".repeat(33))).status).toBe(429);
  expect(calls).toHaveLength(3);
  expect(await fixture.readStanding()).toMatchObject({ used: 99, reserved: 0 });
});

test("a client that leaves before the provider was asked is not counted", async () => {
  const { provider, calls } = await startSpeechProvider([neverSpeaking]);
  const { ask, readStanding } = await openSpeechFixture({ provider, limit });
  await ask("Twelve chars", AbortSignal.abort(new Error("gone")));
  expect(await readStanding()).toMatchObject({ used: 0, reserved: 0 });
  expect(calls).toHaveLength(0);
});

test("one text requested several times at once is spoken once and counts once", async () => {
  let proceed = () => {};
  const gone = new Promise<void>((resolve) => (proceed = resolve));
  const { provider, calls } = await startSpeechProvider([
    async (call) => (await gone, await sounding(sound)(call)),
  ]);
  const { ask, readStanding } = await openSpeechFixture({ provider, limit });
  const pending = Array.from({ length: 5 }, () => ask("Twelve chars"));
  await expect.poll(() => calls.length).toBe(1);
  await expect.poll(async () => (await readStanding()).reserved).toBe(60);
  proceed();
  for (const response of await Promise.all(pending)) {
    expect(Buffer.from(await response.arrayBuffer())).toEqual(sound);
  }
  expect(await readStanding()).toMatchObject({ used: 12, reserved: 0 });
  expect(calls).toHaveLength(1);
});
